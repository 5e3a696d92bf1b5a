-- As to_count.sql, without projects that are closed: what was counted of them was wiped with the rest.
CREATE OR REPLACE FUNCTION projects_to_count(at_most int) RETURNS SETOF bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT p.id FROM tenancy_project p LEFT JOIN insight_figures f ON f.project_id = p.id
    WHERE p.archived_at IS NULL AND p.closed_at IS NULL AND (f.next_at IS NULL OR f.next_at <= now())
    ORDER BY f.next_at NULLS FIRST, p.id LIMIT at_most;
$$;
