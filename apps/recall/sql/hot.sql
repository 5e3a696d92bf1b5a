-- What may be told, said once for the facts and for their hot rows. One expression and no SET clause each, so that the
-- planner puts them in line.
CREATE FUNCTION marks_allow(
    restricted_at timestamptz, expires_at timestamptz, valid_from timestamptz, valid_to timestamptz, at timestamptz
) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT restricted_at IS NULL AND (expires_at IS NULL OR expires_at > at)
       AND (valid_from IS NULL OR valid_from <= at) AND (valid_to IS NULL OR valid_to > at)
$$;
CREATE OR REPLACE FUNCTION fact_in_force(f facts_fact, at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT f.superseded_at IS NULL AND f.retired_at IS NULL
       AND marks_allow(f.restricted_at, f.expires_at, f.valid_from, f.valid_to, at)
$$;
CREATE FUNCTION grants_allow(sensitivity text, category text, memory_type text, r recall_reader) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT sensitivity = ANY (r.sensitivities) AND (r.categories IS NULL OR category = ANY (r.categories))
       AND (r.memory_types IS NULL OR memory_type = ANY (r.memory_types))
$$;
CREATE OR REPLACE FUNCTION fact_permitted_at_sight(f facts_fact, r recall_reader) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT grants_allow(f.sensitivity, f.category, f.memory_type, r)
$$;
CREATE OR REPLACE FUNCTION fact_head(f facts_fact) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT fact_head(f.id, f.content, f.category, f.importance, f.confidence, f.scope, f.scope_id, f.source, f.approved_at)
$$;
DROP FUNCTION fact_permitted_briefly;

-- For the few rows whose `brief` is null, and the few in dispute: functions that are not put in line cost the others nothing.
CREATE FUNCTION fact_head_by_row(project bigint, the_id bigint) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT fact_head(f) FROM facts_fact f WHERE f.project_id = project AND f.id = the_id
$$;
CREATE FUNCTION fact_end_in_dispute(attribute text, contested_at timestamptz) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT fact_end(NULL, attribute, contested_at)
$$;

-- The whole permission of a hot row. What it does not hold, when a fact was last heard and whom it is kept for, is asked of
-- the fact's row.
CREATE FUNCTION hot_permitted(
    the_id bigint, restricted_at timestamptz, expires_at timestamptz, valid_from timestamptz, valid_to timestamptz,
    sensitivity text, category text, memory_type text, brief text, r recall_reader
) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT marks_allow(restricted_at, expires_at, valid_from, valid_to, r.at)
       AND grants_allow(sensitivity, category, memory_type, r)
       AND (brief IS NOT NULL AND r.since IS NULL OR fact_permitted_by_row(the_id, r))
$$;
-- The most important of all the reader's scopes as one row of facts, merged as they come, each along its index. A
-- partition is named outright, so that no plan looks for it.
CREATE FUNCTION hot_facts(r recall_reader, at_most int)
RETURNS TABLE (
    id bigint, importance float8, norm_hash bytea, loose_hash uuid, brief text, attribute text, contested_at timestamptz
) LANGUAGE sql STABLE AS $$
    (SELECT h.id, h.importance, h.norm_hash, h.loose_hash, h.brief, h.attribute, h.contested_at FROM facts_hot_agent h
     WHERE h.project_id = r.project AND h.agent_id = r.agent
       AND hot_permitted(h.id, h.restricted_at, h.expires_at, h.valid_from, h.valid_to, h.sensitivity, h.category, h.memory_type,
                         h.brief, r)
     ORDER BY h.importance DESC, h.id DESC LIMIT at_most)
    UNION ALL
    (SELECT h.id, h.importance, h.norm_hash, h.loose_hash, h.brief, h.attribute, h.contested_at FROM facts_hot_project h
     WHERE h.project_id = r.project
       AND hot_permitted(h.id, h.restricted_at, h.expires_at, h.valid_from, h.valid_to, h.sensitivity, h.category, h.memory_type,
                         h.brief, r)
     ORDER BY h.importance DESC, h.id DESC LIMIT at_most)
    UNION ALL
    (SELECT h.id, h.importance, h.norm_hash, h.loose_hash, h.brief, h.attribute, h.contested_at FROM facts_hot_user h
     WHERE h.project_id = r.project AND h.scope_id = r.subject_name AND h.agent_id = '00000000-0000-0000-0000-000000000000'
       AND r.subject IS NOT NULL
       AND hot_permitted(h.id, h.restricted_at, h.expires_at, h.valid_from, h.valid_to, h.sensitivity, h.category, h.memory_type,
                         h.brief, r)
     ORDER BY h.importance DESC, h.id DESC LIMIT at_most)
    UNION ALL
    (SELECT h.id, h.importance, h.norm_hash, h.loose_hash, h.brief, h.attribute, h.contested_at FROM facts_hot_user h
     WHERE h.project_id = r.project AND h.scope_id = r.subject_name AND h.agent_id = r.agent AND r.subject IS NOT NULL
       AND hot_permitted(h.id, h.restricted_at, h.expires_at, h.valid_from, h.valid_to, h.sensitivity, h.category, h.memory_type,
                         h.brief, r)
     ORDER BY h.importance DESC, h.id DESC LIMIT at_most)
    ORDER BY importance DESC, id DESC LIMIT at_most
$$;

-- The reader as the rest takes him; all null where there is no such agent, or not for this key.
CREATE FUNCTION reader_of(
    the_project bigint, the_key bigint, the_agent text, the_user text, agents uuid[], sensitivities text[], categories text[],
    memory_types text[], since timestamptz, the_purpose text, the_task_type text, query_hash bytea, the_moment timestamptz
) RETURNS recall_reader LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    agent_row_id uuid;
    agent_row_name text;
    project_slug text;
    subject_row_id bigint;
    subject_row_name text;
BEGIN
    SELECT a.id, a.name, p.slug INTO agent_row_id, agent_row_name, project_slug
    FROM tenancy_agent a JOIN tenancy_project p ON p.id = a.project_id
    WHERE a.project_id = the_project AND a.name = the_agent;
    IF agent_row_id IS NULL AND the_agent ~* '^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$' THEN
        SELECT a.id, a.name, p.slug INTO agent_row_id, agent_row_name, project_slug
        FROM tenancy_agent a JOIN tenancy_project p ON p.id = a.project_id
        WHERE a.project_id = the_project AND a.id = the_agent::uuid;
    END IF;
    IF agent_row_id IS NULL OR NOT (agents IS NULL OR agent_row_id = ANY (agents)) THEN
        RETURN NULL;
    END IF;
    IF the_user IS NOT NULL THEN
        SELECT s.id, s.external_id INTO subject_row_id, subject_row_name FROM tenancy_subject s
        WHERE s.project_id = the_project AND s.kind = 'user' AND s.external_id = the_user AND s.suppressed_at IS NULL;
        IF subject_row_id IS NULL THEN
            SELECT s.id, s.external_id INTO subject_row_id, subject_row_name
            FROM tenancy_subjectalias l JOIN tenancy_subject s ON s.project_id = l.project_id AND s.id = l.subject_id
            WHERE l.project_id = the_project AND l.external_id = the_user AND s.kind = 'user' AND s.suppressed_at IS NULL;
        END IF;
    END IF;
    RETURN ROW(the_project, the_key, agent_row_id, agent_row_name, project_slug, subject_row_id, subject_row_name,
               sensitivities, categories, memory_types, since, the_purpose, the_task_type, query_hash,
               coalesce(the_moment, now()), the_moment IS NOT NULL)::recall_reader;
END $$;

-- The read without a question, as most reads are: the most important first, as JSON, with its row in the ledger. All in
-- one function, since each that is called costs a twentieth of the read, and planned once in each connection: planning
-- anew for each reader takes longer than the read, and the plan is the same for all. Null means there is no such agent here.
-- Runs with the caller's rights under row-level security; binds the project for its own transaction only.
CREATE FUNCTION serve_flat(
    the_project bigint, the_key bigint, the_agent text, the_user text, agents uuid[], sensitivities text[], categories text[],
    memory_types text[], since timestamptz, the_purpose text, the_task_type text, query_hash bytea, at_most int
) RETURNS text LANGUAGE plpgsql SECURITY INVOKER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    bound text;
    r recall_reader;
    answer text;
    ids bigint[];
    told int;
    seen int;
    reach int;
    -- Whether no two say the same.
    apart boolean;
BEGIN
    -- A crash may lose the last moments' ledger rows, never a fact; waiting for the disk would double the read.
    bound := set_config('app.project_id', the_project::text, true) || set_config('synchronous_commit', 'off', true);

    SELECT the_project, the_key, a.id, a.name, NULL, s.id, s.external_id, sensitivities, categories, memory_types, since,
           the_purpose, the_task_type, query_hash, now(), false
    INTO r
    FROM tenancy_agent a
    LEFT JOIN tenancy_subject s ON s.project_id = the_project AND s.kind = 'user' AND s.external_id = the_user
        AND s.suppressed_at IS NULL
    WHERE a.project_id = the_project AND a.name = the_agent AND (agents IS NULL OR a.id = ANY (agents));
    IF r.agent IS NULL OR r.subject IS NULL AND the_user IS NOT NULL THEN
        -- By its id, by another name of the user, or not at all.
        r := reader_of(the_project, the_key, the_agent, the_user, agents, sensitivities, categories, memory_types, since,
                       the_purpose, the_task_type, query_hash, NULL);
        IF r.agent IS NULL THEN
            RETURN NULL;
        END IF;
    END IF;

    SELECT '{"facts":[' || coalesce(string_agg(
               coalesce(h.brief, fact_head_by_row(r.project, h.id))
                   || CASE WHEN h.contested_at IS NULL THEN ',"score":null,"conflict":null}'
                           ELSE fact_end_in_dispute(h.attribute, h.contested_at) END,
               ',' ORDER BY h.importance DESC, h.id DESC), '') || ']}',
           coalesce(array_agg(h.id ORDER BY h.importance DESC, h.id DESC), '{}'), count(*),
           count(DISTINCT h.norm_hash) = count(*) AND count(DISTINCT h.loose_hash) = count(*)
    INTO answer, ids, told, apart FROM hot_facts(r, at_most) h;
    IF NOT apart THEN
        -- What is said twice is told once, so that more have to be read: the same words in two scopes, or with another full
        -- stop, at their best place.
        reach := at_most + 2;
        LOOP
            WITH leg AS MATERIALIZED (
                SELECT h.* FROM hot_facts(r, reach) h
            ), same_words AS (
                SELECT DISTINCT ON (l.norm_hash) l.* FROM leg l ORDER BY l.norm_hash, l.importance DESC, l.id DESC
            ), once AS (
                SELECT DISTINCT ON (s.loose_hash) s.* FROM same_words s ORDER BY s.loose_hash, s.importance DESC, s.id DESC
            ), best AS (
                SELECT o.* FROM once o ORDER BY o.importance DESC, o.id DESC LIMIT at_most
            )
            SELECT '{"facts":[' || string_agg(
                       coalesce(b.brief, fact_head_by_row(r.project, b.id))
                           || CASE WHEN b.contested_at IS NULL THEN ',"score":null,"conflict":null}'
                                   ELSE fact_end_in_dispute(b.attribute, b.contested_at) END,
                       ',' ORDER BY b.importance DESC, b.id DESC) || ']}',
                   array_agg(b.id ORDER BY b.importance DESC, b.id DESC), count(*), (SELECT count(*) FROM leg)
            INTO answer, ids, told, seen FROM best b;
            EXIT WHEN told = at_most OR seen < reach;
            reach := reach * 4;
        END LOOP;
    END IF;

    -- As in `record_read`; a person who looks leaves none.
    IF the_key IS NOT NULL THEN
        INSERT INTO recall_readledger
            (project_id, key_id, agent_id, subject_id, purpose, query_hash, fact_ids, ranks, scores)
        VALUES (r.project, r.key, r.agent, r.subject, coalesce(r.purpose, ''), r.query_hash, ids,
                array_positions(array_fill(0, ARRAY[told]), 0), array_fill(NULL::double precision, ARRAY[told]));
    END IF;
    RETURN answer;
END $$;
