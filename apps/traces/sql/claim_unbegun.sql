-- Which rows a worker may work on, across projects: ids and lease tokens, never text. By the clock and not by the
-- transaction's start, which may lie far back. A claim is no attempt: a worker that dies with a pile of claims began one
-- of them.
CREATE OR REPLACE FUNCTION claim_work(
    kind text, n int, lease interval, worker text,
    settle interval DEFAULT '10 seconds', quiet interval DEFAULT '1 minute'
) RETURNS TABLE (project_id bigint, id bigint, lease_token uuid, arrival timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF kind <> 'extract' THEN
        RAISE EXCEPTION 'unknown kind of work: %', kind;
    END IF;
    -- A trace that was begun five times is dead until a person sends it round again.
    RETURN QUERY
    WITH due AS (
        SELECT t.id FROM traces_trace t
        WHERE t.extracted_at IS NULL
          AND t.attempts < 5
          AND (t.lease_until IS NULL OR t.lease_until < clock_timestamp())
          AND (t.not_before IS NULL OR t.not_before <= clock_timestamp())
          AND (t.root_ended_at IS NOT NULL AND t.last_arrival_at <= clock_timestamp() - settle
               OR t.last_arrival_at <= clock_timestamp() - quiet)
        ORDER BY t.last_arrival_at
        FOR UPDATE SKIP LOCKED
        LIMIT n
    )
    UPDATE traces_trace t
    SET claimed_by = worker, lease_until = clock_timestamp() + lease, lease_token = gen_random_uuid()
    FROM due WHERE t.id = due.id
    RETURNING t.project_id, t.id, t.lease_token, t.last_arrival_at;
END $$;
