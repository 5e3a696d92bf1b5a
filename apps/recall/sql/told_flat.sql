-- One reader: who asks, for whom, and what he may be told. Null `categories` or `memory_types` allow all, empty none.
CREATE TYPE recall_reader AS (
    project bigint, key bigint, agent uuid, agent_name text, slug text, subject bigint, subject_name text,
    sensitivities text[], categories text[], memory_types text[], since timestamptz, purpose text, query_hash bytea
);

-- A fact as an agent reads it. What is in dispute is asked, and the other side's words stay out.
CREATE FUNCTION fact_as_told(
    id bigint, content text, category text, importance double precision, confidence double precision, scope text,
    scope_id text, source text, approved_at timestamptz, attribute text, contested_at timestamptz,
    score double precision
) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'content', content, 'id', id, 'category', category, 'importance', importance, 'confidence', confidence,
        'scope', scope, 'scope_id', scope_id, 'source', source,
        'approved_at', to_char(approved_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'score', score,
        'conflict', CASE WHEN contested_at IS NOT NULL THEN json_build_object(
            'question', 'Sources disagree on ' || coalesce(replace(attribute, '-', ' '), 'this') || '. Which one holds?',
            'since', to_char(contested_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) END)
$$;

-- What two tellings have in common that differ in case and in their last mark.
CREATE FUNCTION words_alone(content text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT rtrim(lower(content), ' .!;…。')
$$;

-- One read for the ledger; a person who looks leaves none.
CREATE FUNCTION record_read(r recall_reader, ids bigint[], scores double precision[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF r.key IS NOT NULL THEN
        INSERT INTO recall_readledger
            (project_id, key_id, agent_id, subject_id, purpose, query_hash, fact_ids, ranks, scores)
        VALUES (r.project, r.key, r.agent, r.subject, coalesce(r.purpose, ''), r.query_hash, ids,
                coalesce(ARRAY(SELECT generate_series(1, cardinality(ids))), '{}'), scores);
    END IF;
END $$;

-- Without a question: the most important first.
CREATE FUNCTION told_flat(r recall_reader, at_most int) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    answer text;
    ids bigint[];
BEGIN
    WITH leg AS (
        (SELECT f.id, f.norm_hash, f.importance, f.content, f.category, f.confidence, f.scope, f.scope_id, f.source, f.approved_at,
                f.attribute, f.contested_at FROM facts_of_agent(r.project, r.agent, 'agent', r.agent_name) f
         WHERE fact_in_force(f, now()) AND fact_permitted(f, r.sensitivities, r.categories, r.memory_types, r.since)
         ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
        UNION ALL
        (SELECT f.id, f.norm_hash, f.importance, f.content, f.category, f.confidence, f.scope, f.scope_id, f.source, f.approved_at,
                f.attribute, f.contested_at FROM facts_of_all(r.project, 'project', r.slug) f
         WHERE fact_in_force(f, now()) AND fact_permitted(f, r.sensitivities, r.categories, r.memory_types, r.since)
         ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
        UNION ALL
        (SELECT f.id, f.norm_hash, f.importance, f.content, f.category, f.confidence, f.scope, f.scope_id, f.source, f.approved_at,
                f.attribute, f.contested_at FROM facts_of_all(r.project, 'user', r.subject_name) f
         WHERE r.subject IS NOT NULL AND fact_in_force(f, now()) AND fact_permitted(f, r.sensitivities, r.categories, r.memory_types, r.since)
         ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
        UNION ALL
        (SELECT f.id, f.norm_hash, f.importance, f.content, f.category, f.confidence, f.scope, f.scope_id, f.source, f.approved_at,
                f.attribute, f.contested_at FROM facts_of_agent(r.project, r.agent, 'user', r.subject_name) f
         WHERE r.subject IS NOT NULL AND fact_in_force(f, now()) AND fact_permitted(f, r.sensitivities, r.categories, r.memory_types, r.since)
         ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
    ), same_words AS (
        -- The same words in two scopes, or with another full stop, are told once, at their best place.
        SELECT DISTINCT ON (l.norm_hash) l.* FROM leg l ORDER BY l.norm_hash, l.importance DESC, l.id DESC
    ), once AS (
        SELECT DISTINCT ON (words_alone(l.content)) l.* FROM same_words l
        ORDER BY words_alone(l.content), l.importance DESC, l.id DESC
    ), told AS (
        SELECT * FROM once o ORDER BY o.importance DESC, o.id DESC LIMIT at_most
    )
    SELECT json_build_object('facts', coalesce(json_agg(fact_as_told(
               t.id, t.content, t.category, t.importance, t.confidence, t.scope, t.scope_id, t.source, t.approved_at,
               t.attribute, t.contested_at, NULL) ORDER BY t.importance DESC, t.id DESC), '[]'::json))::text,
           coalesce(array_agg(t.id ORDER BY t.importance DESC, t.id DESC), '{}')
    INTO answer, ids FROM told t;
    PERFORM record_read(r, ids, array_fill(NULL::double precision, ARRAY[cardinality(ids)]));
    RETURN answer;
END $$;
