-- Spans that wait to be screened, oldest first, across projects: ids only.
CREATE FUNCTION sealed_spans(n int) RETURNS TABLE (project_id bigint, id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT s.project_id, s.id FROM traces_span s WHERE s.sealed IS NOT NULL ORDER BY s.id LIMIT n;
$$;
