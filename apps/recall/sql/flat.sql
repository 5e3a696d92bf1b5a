-- What a read adds to a fact: its score, and that it is in dispute. The other side's words stay out.
CREATE FUNCTION fact_end(score double precision, attribute text, contested_at timestamptz) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT ',"score":' || coalesce(score::text, 'null') || ',"conflict":' || CASE WHEN contested_at IS NULL THEN 'null'
        ELSE json_build_object(
            'question', 'Sources disagree on ' || coalesce(replace(attribute, '-', ' '), 'this') || '. Which one holds?',
            'since', to_char(contested_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text END || '}'
$$;
CREATE FUNCTION fact_head(f facts_fact) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce(f.brief, fact_head(f.id, f.content, f.category, f.importance, f.confidence, f.scope, f.scope_id,
                                       f.source, f.approved_at))
$$;

-- Without a question: the most important first, of all scopes as one row of facts, read no further than it is told and,
-- where it can be, from the indexes alone. Planned once in each connection: planning anew for each reader takes longer
-- than the read, and the plan is the same for all.
CREATE FUNCTION told_flat(r recall_reader, at_most int) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    -- What is said twice is told once, so that more have to be read where that is so.
    reach int := at_most + 2;
    seen int;
    answer text;
    ids bigint[];
BEGIN
    LOOP
        WITH leg AS (
            (SELECT f.id, f.importance, f.norm_hash, f.loose_hash, f.brief, f.attribute, f.contested_at
             FROM facts_of_agent(r.project, r.agent, 'agent', r.agent_name) f
             WHERE fact_in_force(f, r.at) AND fact_permitted_briefly(f, r)
             ORDER BY f.importance DESC, f.id DESC LIMIT reach)
            UNION ALL
            (SELECT f.id, f.importance, f.norm_hash, f.loose_hash, f.brief, f.attribute, f.contested_at
             FROM facts_of_all(r.project, 'project', r.slug) f
             WHERE fact_in_force(f, r.at) AND fact_permitted_briefly(f, r)
             ORDER BY f.importance DESC, f.id DESC LIMIT reach)
            UNION ALL
            (SELECT f.id, f.importance, f.norm_hash, f.loose_hash, f.brief, f.attribute, f.contested_at
             FROM facts_of_all(r.project, 'user', r.subject_name) f
             WHERE r.subject IS NOT NULL AND fact_in_force(f, r.at) AND fact_permitted_briefly(f, r)
             ORDER BY f.importance DESC, f.id DESC LIMIT reach)
            UNION ALL
            (SELECT f.id, f.importance, f.norm_hash, f.loose_hash, f.brief, f.attribute, f.contested_at
             FROM facts_of_agent(r.project, r.agent, 'user', r.subject_name) f
             WHERE r.subject IS NOT NULL AND fact_in_force(f, r.at) AND fact_permitted_briefly(f, r)
             ORDER BY f.importance DESC, f.id DESC LIMIT reach)
            ORDER BY importance DESC, id DESC LIMIT reach
        ), same_words AS (
            -- The same words in two scopes, or with another full stop, are told once, at their best place.
            SELECT DISTINCT ON (l.norm_hash) l.* FROM leg l ORDER BY l.norm_hash, l.importance DESC, l.id DESC
        ), once AS (
            SELECT DISTINCT ON (s.loose_hash) s.* FROM same_words s ORDER BY s.loose_hash, s.importance DESC, s.id DESC
        ), told AS (
            SELECT o.* FROM once o ORDER BY o.importance DESC, o.id DESC LIMIT at_most
        )
        SELECT '{"facts":[' || coalesce(string_agg(
                   coalesce(t.brief, (SELECT fact_head(f) FROM facts_fact f WHERE f.project_id = r.project AND f.id = t.id))
                       || CASE WHEN t.contested_at IS NULL THEN ',"score":null,"conflict":null}'
                               ELSE fact_end(NULL, t.attribute, t.contested_at) END,
                   ',' ORDER BY t.importance DESC, t.id DESC), '') || ']}',
               coalesce(array_agg(t.id ORDER BY t.importance DESC, t.id DESC), '{}'), (SELECT count(*) FROM leg)
        INTO answer, ids, seen FROM told t;
        EXIT WHEN cardinality(ids) = at_most OR seen < reach;
        reach := reach * 4;
    END LOOP;
    PERFORM record_read(r, ids, array_fill(NULL::double precision, ARRAY[cardinality(ids)]));
    RETURN answer;
END $$;
