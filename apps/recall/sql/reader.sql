-- One reader: who asks, for whom, what he may be told, and for when. Null `categories` or `memory_types` allow all, empty
-- none; `since` null means however old. `past`: `at` is an earlier moment, and closed versions may have held then.
CREATE TYPE recall_reader AS (
    project bigint, key bigint, agent uuid, agent_name text, slug text, subject bigint, subject_name text,
    sensitivities text[], categories text[], memory_types text[], since timestamptz, purpose text, task_type text,
    query_hash bytea, at timestamptz, past boolean
);

-- Whether the reader may be told a fact that holds; with `fact_in_force` and `fact_was_in_force` the whole permission.
-- One expression and no SET clause each, so that the planner puts them in line and sees the columns behind them.
CREATE FUNCTION fact_permitted(f facts_fact, r recall_reader) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT f.sensitivity = ANY (r.sensitivities) AND (r.categories IS NULL OR f.category = ANY (r.categories))
       AND (r.memory_types IS NULL OR f.memory_type = ANY (r.memory_types))
       AND (r.since IS NULL OR coalesce(f.last_seen_at, f.observed_at) >= r.since)
       AND (f.purposes IS NULL OR r.purpose = ANY (f.purposes))
       AND (f.task_types IS NULL OR r.task_type = ANY (f.task_types))
$$;

-- Whether a fact is of the reader's scopes, for paths that don't come from there.
CREATE FUNCTION fact_is_readers(f facts_fact, r recall_reader) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT f.project_id = r.project AND f.label = '' AND (
        f.scope = 'agent' AND f.agent_id = r.agent AND f.scope_id = r.agent_name
        OR f.scope = 'project' AND f.agent_id IS NULL AND f.scope_id = r.slug
        OR f.scope = 'user' AND r.subject IS NOT NULL AND f.scope_id = r.subject_name
           AND (f.agent_id IS NULL OR f.agent_id = r.agent))
$$;

-- What the reader may be told: at most so many of each of his scopes, the most important first, each along its index;
-- null means all. Of an earlier moment it is all of them, in no order: no index knows what held then.
CREATE FUNCTION facts_told(r recall_reader, at_most int) RETURNS SETOF facts_fact LANGUAGE sql STABLE AS $$
    (SELECT f.* FROM facts_of_agent(r.project, r.agent, 'agent', r.agent_name) f
     WHERE NOT r.past AND fact_in_force(f, r.at) AND fact_permitted(f, r)
     ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
    UNION ALL
    (SELECT f.* FROM facts_of_all(r.project, 'project', r.slug) f
     WHERE NOT r.past AND fact_in_force(f, r.at) AND fact_permitted(f, r)
     ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
    UNION ALL
    (SELECT f.* FROM facts_of_all(r.project, 'user', r.subject_name) f
     WHERE NOT r.past AND r.subject IS NOT NULL AND fact_in_force(f, r.at) AND fact_permitted(f, r)
     ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
    UNION ALL
    (SELECT f.* FROM facts_of_agent(r.project, r.agent, 'user', r.subject_name) f
     WHERE NOT r.past AND r.subject IS NOT NULL AND fact_in_force(f, r.at) AND fact_permitted(f, r)
     ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
    UNION ALL
    SELECT f.* FROM facts_fact f
    WHERE r.past AND fact_is_readers(f, r) AND fact_was_in_force(f, r.at) AND fact_permitted(f, r)
$$;

-- Whether the reader's scopes hold at most `most` current facts; counts no further, each part from its index alone.
CREATE FUNCTION few_facts(r recall_reader, most int) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    found int;
BEGIN
    SELECT count(*) INTO found FROM (
        (SELECT 1 FROM facts_of_agent(r.project, r.agent, 'agent', r.agent_name) LIMIT most + 1)
        UNION ALL
        (SELECT 1 FROM facts_of_all(r.project, 'project', r.slug) LIMIT most + 1)
        UNION ALL
        (SELECT 1 FROM facts_of_all(r.project, 'user', r.subject_name) WHERE r.subject IS NOT NULL LIMIT most + 1)
        UNION ALL
        (SELECT 1 FROM facts_of_agent(r.project, r.agent, 'user', r.subject_name)
         WHERE r.subject IS NOT NULL LIMIT most + 1)
    ) found_one;
    RETURN found <= most;
END $$;

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
        SELECT f.id, f.norm_hash, f.importance, f.content, f.category, f.confidence, f.scope, f.scope_id, f.source,
               f.approved_at, f.attribute, f.contested_at FROM facts_told(r, at_most) f
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
