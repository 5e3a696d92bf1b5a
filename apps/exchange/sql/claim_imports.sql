-- Imports that a worker may carry on, across projects: ids and lease tokens, nothing else. A claim is no attempt.
CREATE FUNCTION claim_imports(n int, lease interval, worker text)
RETURNS TABLE (project_id bigint, id bigint, lease_token uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH due AS (
        SELECT i.id FROM exchange_import i
        WHERE i.state IN ('checking', 'running')
          AND (i.lease_until IS NULL OR i.lease_until < clock_timestamp())
          AND (i.not_before IS NULL OR i.not_before <= clock_timestamp())
        ORDER BY i.created_at FOR UPDATE SKIP LOCKED LIMIT n
    )
    UPDATE exchange_import i
    SET claimed_by = worker, lease_until = clock_timestamp() + lease, lease_token = gen_random_uuid()
    FROM due WHERE i.id = due.id
    RETURNING i.project_id, i.id, i.lease_token;
END $$;

-- Imports whose lines have no further use, across projects: ids, nothing else.
CREATE FUNCTION imports_to_empty(ended interval, waiting interval)
RETURNS TABLE (project_id bigint, id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT i.project_id, i.id FROM exchange_import i
    WHERE i.emptied_at IS NULL
      AND (i.finished_at < clock_timestamp() - ended
           OR i.state IN ('uploaded', 'checked') AND coalesce(i.checked_at, i.created_at) < clock_timestamp() - waiting)
    ORDER BY i.id LIMIT 100;
$$;
