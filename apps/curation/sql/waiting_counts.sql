-- How many proposals wait in each project of a member, for the page that shows all his projects; counts only.
CREATE FUNCTION waiting_counts(member bigint) RETURNS TABLE (project_id bigint, waiting bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT m.project_id, count(p.id)
    FROM (SELECT DISTINCT project_id FROM access_membership WHERE user_id = member) m
    LEFT JOIN curation_proposal p ON p.project_id = m.project_id AND p.state IN ('pending', 'quarantined')
                                 AND (p.snoozed_until IS NULL OR p.snoozed_until <= now())
    GROUP BY m.project_id;
$$;
