-- That the head of a chain stands in the second place up to a number; null is the installation's own.
CREATE FUNCTION note_signed_head(of_project bigint, up_to bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    UPDATE audit_audithead SET signed_seq = up_to
    WHERE project_id IS NOT DISTINCT FROM of_project AND signed_seq < up_to AND up_to <= seq
$$;
