-- Which chains wait to be walked, of whichever project; those left longest first. Ids alone.
CREATE FUNCTION open_chain_checks(at_most int) RETURNS TABLE (project_id bigint, check_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT c.project_id, c.id FROM audit_chaincheck c
    WHERE c.finished_at IS NULL AND c.project_id IS NOT NULL
    ORDER BY c.moved_at LIMIT at_most
$$;
