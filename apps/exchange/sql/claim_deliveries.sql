-- Messages that a worker may post, across projects: ids and lease tokens, nothing else. At most `each` of one webhook are on their
-- way at a time, so that a slow receiver keeps nobody waiting but itself. A claim is no attempt.
CREATE FUNCTION claim_deliveries(n int, each int, lease interval, worker text)
RETURNS TABLE (project_id bigint, id uuid, lease_token uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH due AS (
        SELECT d.id FROM exchange_webhook w
        CROSS JOIN LATERAL (
            SELECT d.id FROM exchange_webhookdelivery d
            WHERE d.project_id = w.project_id AND d.webhook_id = w.id AND d.state = 'waiting'
              AND (d.lease_until IS NULL OR d.lease_until < clock_timestamp())
              AND (d.not_before IS NULL OR d.not_before <= clock_timestamp())
            ORDER BY d.id LIMIT greatest(0, each - (
                SELECT count(*) FROM exchange_webhookdelivery f
                WHERE f.project_id = w.project_id AND f.webhook_id = w.id AND f.state = 'waiting'
                  AND f.lease_until >= clock_timestamp()))
            FOR UPDATE SKIP LOCKED
        ) d
        WHERE w.enabled ORDER BY d.id LIMIT n
    )
    UPDATE exchange_webhookdelivery d
    SET claimed_by = worker, lease_until = clock_timestamp() + lease, lease_token = gen_random_uuid()
    FROM due WHERE d.id = due.id
    RETURNING d.project_id, d.id, d.lease_token;
END $$;

-- Webhooks that have not read their project's audit to its end, across projects: ids, nothing else.
CREATE FUNCTION webhooks_behind(n int) RETURNS TABLE (project_id bigint, id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT w.project_id, w.id FROM exchange_webhook w JOIN audit_audithead h ON h.project_id = w.project_id
    WHERE w.enabled AND w.cursor < h.seq ORDER BY w.cursor - h.seq, w.id LIMIT n;
$$;

-- Projects whose log of messages holds what ended before a moment, across projects: ids, nothing else.
CREATE FUNCTION projects_with_old_deliveries(before timestamptz) RETURNS TABLE (project_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT DISTINCT d.project_id FROM exchange_webhookdelivery d WHERE d.finished_at < before ORDER BY 1;
$$;
