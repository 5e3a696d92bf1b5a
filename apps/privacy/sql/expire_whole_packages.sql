-- Packages that nobody fetched within a week, of any project, are emptied, with the names that were held back; returns how many.
CREATE OR REPLACE FUNCTION expire_packages(kept interval) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH gone AS (
        UPDATE privacy_accesspackage
        SET content = NULL, held = NULL, token_hash = NULL, link_until = NULL, removed_at = clock_timestamp()
        WHERE removed_at IS NULL AND made_at < clock_timestamp() - kept RETURNING 1
    )
    SELECT count(*) FROM gone
$$;
