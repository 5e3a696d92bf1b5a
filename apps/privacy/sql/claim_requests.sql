-- Requests that a worker may carry on, across projects: ids and lease tokens, nothing else.
CREATE FUNCTION claim_requests(n int, lease interval, worker text)
RETURNS TABLE (project_id bigint, id uuid, lease_token uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH due AS (
        SELECT r.id FROM privacy_privacyrequest r
        WHERE r.state IN ('suppressing', 'erasing', 'purging', 'verifying', 'fulfilling')
          AND (r.lease_until IS NULL OR r.lease_until < clock_timestamp())
          AND (r.not_before IS NULL OR r.not_before <= clock_timestamp())
        ORDER BY r.approved_at FOR UPDATE SKIP LOCKED LIMIT n
    )
    UPDATE privacy_privacyrequest r
    SET claimed_by = worker, lease_until = clock_timestamp() + lease, lease_token = gen_random_uuid(), attempts = attempts + 1
    FROM due WHERE r.id = due.id
    RETURNING r.project_id, r.id, r.lease_token;
END $$;
