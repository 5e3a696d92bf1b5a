-- The heads of all chains, of whichever project, also of those that are gone. Numbers and hashes alone.
CREATE FUNCTION audit_heads() RETURNS TABLE (project_id bigint, seq bigint, hash bytea, signed_seq bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT h.project_id, h.seq, h.hash, h.signed_seq FROM audit_audithead h ORDER BY h.project_id NULLS FIRST
$$;
