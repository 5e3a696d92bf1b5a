-- Which current facts have no vector of a model yet, across projects, oldest first: ids, never text.
-- `newest`: only among so many newest ids; every fact is asked about when it is null, which reads the whole index.
-- `after`: only those with a greater id, so that a walk over all looks at each once.
CREATE FUNCTION facts_to_embed(model text, n int, newest bigint DEFAULT NULL, after bigint DEFAULT 0)
RETURNS TABLE (project_id bigint, fact_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    -- One look a fact: joined, Postgres would read every vector's row to find that none is missing.
    -- A restricted fact is not to be processed, and a remote model would be.
    SELECT f.project_id, f.id FROM facts_fact f
    LEFT JOIN LATERAL (
        SELECT true AS there FROM recall_factembedding e
        WHERE e.project_id = f.project_id AND e.fact_id = f.id AND e.model = facts_to_embed.model LIMIT 1
    ) e ON true
    WHERE f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL AND e.there IS NULL
      AND f.id > greatest(coalesce((SELECT max(id) FROM facts_fact) - newest, 0), after)
    ORDER BY f.id LIMIT n;
$$;

-- How many current facts have a vector of a model, and how many there are; over all projects, numbers alone.
CREATE FUNCTION embedding_coverage(model text, OUT done bigint, OUT total bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT count(e.there), count(*) FROM facts_fact f
    LEFT JOIN LATERAL (
        SELECT true AS there FROM recall_factembedding e
        WHERE e.project_id = f.project_id AND e.fact_id = f.id AND e.model = embedding_coverage.model LIMIT 1
    ) e ON true
    WHERE f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL;
$$;

-- The projects that have vectors of a model.
CREATE FUNCTION projects_with_vectors(model text) RETURNS SETOF bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT p.id FROM tenancy_project p
    WHERE EXISTS (SELECT FROM recall_factembedding e WHERE e.project_id = p.id AND e.model = projects_with_vectors.model)
    ORDER BY p.id;
$$;
