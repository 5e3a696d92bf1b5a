-- Runs that a worker may carry on, across projects: ids and lease tokens, nothing else. A claim is no attempt.
CREATE FUNCTION claim_dreams(n int, lease interval, worker text)
RETURNS TABLE (project_id bigint, id bigint, lease_token uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH due AS (
        SELECT r.id FROM dreaming_dreamrun r
        WHERE r.state IN ('queued', 'running')
          AND (r.lease_until IS NULL OR r.lease_until < clock_timestamp())
          AND (r.not_before IS NULL OR r.not_before <= clock_timestamp())
        ORDER BY r.created_at FOR UPDATE SKIP LOCKED LIMIT n
    )
    UPDATE dreaming_dreamrun r
    SET claimed_by = worker, lease_until = clock_timestamp() + lease, lease_token = gen_random_uuid()
    FROM due WHERE r.id = due.id
    RETURNING r.project_id, r.id, r.lease_token;
END $$;

-- Which projects want runs to start by themselves: ids, nothing else.
CREATE FUNCTION projects_that_dream() RETURNS TABLE (project_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT s.project_id FROM dreaming_dreamsettings s
    WHERE s.schedule_hours IS NOT NULL OR s.threshold IS NOT NULL ORDER BY s.project_id;
$$;
