-- Tombstones that are in no log yet, of any project: digests, which say nothing without the key. They count as logged when the
-- caller's transaction commits, which it does after the lines are on the disk.
CREATE FUNCTION log_tombstones(n int) RETURNS TABLE (
    project_id bigint, kind text, digest bytea, key_version smallint, until timestamptz, permanent boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH due AS (
        SELECT t.id FROM tenancy_tombstone t WHERE t.logged_at IS NULL ORDER BY t.id FOR UPDATE SKIP LOCKED LIMIT n
    )
    UPDATE tenancy_tombstone t SET logged_at = clock_timestamp() FROM due WHERE t.id = due.id
    RETURNING t.project_id, t.kind::text, t.digest, t.key_version, t.blocks_observed_before, t.permanent
$$;
