-- What of a permission the hot indexes tell; with the rest of `fact_permitted` it is the whole.
CREATE FUNCTION fact_permitted_at_sight(f facts_fact, r recall_reader) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT f.sensitivity = ANY (r.sensitivities) AND (r.categories IS NULL OR f.category = ANY (r.categories))
       AND (r.memory_types IS NULL OR f.memory_type = ANY (r.memory_types))
$$;
CREATE OR REPLACE FUNCTION fact_permitted(f facts_fact, r recall_reader) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT fact_permitted_at_sight(f, r)
       AND (r.since IS NULL OR coalesce(f.last_seen_at, f.observed_at) >= r.since)
       AND (f.purposes IS NULL OR r.purpose = ANY (f.purposes))
       AND (f.task_types IS NULL OR r.task_type = ANY (f.task_types))
$$;
-- The whole, by the fact's row; a query in an expression is never put in line.
CREATE FUNCTION fact_permitted_by_row(the_id bigint, r recall_reader) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT fact_permitted(f, r) FROM facts_fact f WHERE f.project_id = r.project AND f.id = the_id
$$;
-- The whole, by the hot index alone where that can be: it holds no `brief` of facts that are long or not for everybody,
-- and does not know when a fact was last heard. Touches no column that the index has not.
CREATE FUNCTION fact_permitted_briefly(f facts_fact, r recall_reader) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT fact_permitted_at_sight(f, r) AND (f.brief IS NOT NULL AND r.since IS NULL OR fact_permitted_by_row(f.id, r))
$$;

-- Without a question: the most important first, of all scopes as one row of facts, read no further than it is told.
CREATE OR REPLACE FUNCTION told_flat(r recall_reader, at_most int) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    -- What is said twice is told once, so that a few more have to be read.
    reach int := at_most + 1 + at_most / 10;
    seen int;
    answer text;
    ids bigint[];
BEGIN
    LOOP
        WITH leg AS (
            (SELECT f.id, f.norm_hash, f.importance, f.brief, f.category, f.confidence, f.scope, f.scope_id, f.source,
                    f.approved_at, f.attribute, f.contested_at
             FROM facts_of_agent(r.project, r.agent, 'agent', r.agent_name) f
             WHERE NOT r.past AND fact_in_force(f, r.at) AND fact_permitted_briefly(f, r)
             ORDER BY f.importance DESC, f.id DESC LIMIT reach)
            UNION ALL
            (SELECT f.id, f.norm_hash, f.importance, f.brief, f.category, f.confidence, f.scope, f.scope_id, f.source,
                    f.approved_at, f.attribute, f.contested_at
             FROM facts_of_all(r.project, 'project', r.slug) f
             WHERE NOT r.past AND fact_in_force(f, r.at) AND fact_permitted_briefly(f, r)
             ORDER BY f.importance DESC, f.id DESC LIMIT reach)
            UNION ALL
            (SELECT f.id, f.norm_hash, f.importance, f.brief, f.category, f.confidence, f.scope, f.scope_id, f.source,
                    f.approved_at, f.attribute, f.contested_at
             FROM facts_of_all(r.project, 'user', r.subject_name) f
             WHERE NOT r.past AND r.subject IS NOT NULL AND fact_in_force(f, r.at)
               AND fact_permitted_briefly(f, r)
             ORDER BY f.importance DESC, f.id DESC LIMIT reach)
            UNION ALL
            (SELECT f.id, f.norm_hash, f.importance, f.brief, f.category, f.confidence, f.scope, f.scope_id, f.source,
                    f.approved_at, f.attribute, f.contested_at
             FROM facts_of_agent(r.project, r.agent, 'user', r.subject_name) f
             WHERE NOT r.past AND r.subject IS NOT NULL AND fact_in_force(f, r.at)
               AND fact_permitted_briefly(f, r)
             ORDER BY f.importance DESC, f.id DESC LIMIT reach)
            UNION ALL
            -- No index knows what held at an earlier moment.
            (SELECT f.id, f.norm_hash, f.importance, f.brief, f.category, f.confidence, f.scope, f.scope_id, f.source,
                    f.approved_at, f.attribute, f.contested_at
             FROM facts_fact f
             WHERE r.past AND fact_is_readers(f, r) AND fact_was_in_force(f, r.at) AND fact_permitted(f, r)
             ORDER BY f.importance DESC, f.id DESC LIMIT reach)
            ORDER BY importance DESC, id DESC LIMIT reach
        ), whole AS (
            SELECT l.*, coalesce(l.brief, (
                SELECT f.content FROM facts_fact f WHERE f.project_id = r.project AND f.id = l.id)) AS content
            FROM leg l
        ), same_words AS (
            -- The same words in two scopes, or with another full stop, are told once, at their best place.
            SELECT DISTINCT ON (w.norm_hash) w.* FROM whole w ORDER BY w.norm_hash, w.importance DESC, w.id DESC
        ), once AS (
            SELECT DISTINCT ON (words_alone(s.content)) s.* FROM same_words s
            ORDER BY words_alone(s.content), s.importance DESC, s.id DESC
        ), told AS (
            SELECT o.* FROM once o ORDER BY o.importance DESC, o.id DESC LIMIT at_most
        )
        SELECT json_build_object('facts', coalesce(json_agg(fact_as_told(
                   t.id, t.content, t.category, t.importance, t.confidence, t.scope, t.scope_id, t.source,
                   t.approved_at, t.attribute, t.contested_at, NULL) ORDER BY t.importance DESC, t.id DESC),
                   '[]'::json))::text,
               coalesce(array_agg(t.id ORDER BY t.importance DESC, t.id DESC), '{}'), (SELECT count(*) FROM leg)
        INTO answer, ids, seen FROM told t;
        EXIT WHEN cardinality(ids) = at_most OR seen < reach;
        reach := reach * 4;
    END LOOP;
    PERFORM record_read(r, ids, array_fill(NULL::double precision, ARRAY[cardinality(ids)]));
    RETURN answer;
END $$;
