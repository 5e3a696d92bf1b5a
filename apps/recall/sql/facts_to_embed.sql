-- Which current facts have no vector of a model yet, across projects, oldest first: ids, never text.
-- `newest`: only among so many newest ids; every fact is asked about when it is null, which reads the whole index.
CREATE FUNCTION facts_to_embed(model text, n int, newest bigint DEFAULT NULL)
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
      AND f.id > coalesce((SELECT max(id) FROM facts_fact) - newest, 0)
    ORDER BY f.id LIMIT n;
$$;
