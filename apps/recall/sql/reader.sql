-- One reader: who asks, for whom, what he may be told, and for when. Null `categories` or `memory_types` allow all, empty
-- none; `since` null means however old. `past`: `at` is an earlier moment, and closed versions may have held then.
CREATE TYPE recall_reader AS (
    project bigint, key bigint, agent uuid, agent_name text, slug text, subject bigint, subject_name text,
    sensitivities text[], categories text[], memory_types text[], since timestamptz, purpose text, task_type text,
    query_hash bytea, at timestamptz, past boolean
);

-- What of a permission the hot indexes tell; with the rest of `fact_permitted` it is the whole.
CREATE FUNCTION fact_permitted_at_sight(f facts_fact, r recall_reader) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT f.sensitivity = ANY (r.sensitivities) AND (r.categories IS NULL OR f.category = ANY (r.categories))
       AND (r.memory_types IS NULL OR f.memory_type = ANY (r.memory_types))
$$;
-- Whether the reader may be told a fact that holds; with `fact_in_force` and `fact_was_in_force` the whole permission.
-- One expression and no SET clause each, so that the planner puts them in line and sees the columns behind them.
CREATE FUNCTION fact_permitted(f facts_fact, r recall_reader) RETURNS boolean LANGUAGE sql STABLE AS $$
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
