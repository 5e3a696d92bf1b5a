-- What waits in each project of a member, for the page that shows all his projects; numbers only, none beyond `most`.
CREATE FUNCTION waiting_counts(member bigint, most int) RETURNS TABLE (project_id bigint, proposals bigint, conflicts bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT m.project_id,
           (SELECT count(*) FROM (SELECT FROM curation_proposal p
                                  WHERE p.project_id = m.project_id AND p.state IN ('pending', 'quarantined')
                                    AND (p.snoozed_until IS NULL OR p.snoozed_until <= now()) LIMIT most) t),
           (SELECT count(*) FROM (SELECT FROM curation_conflict c
                                  WHERE c.project_id = m.project_id AND c.settled_at IS NULL LIMIT most) t)
    FROM (SELECT DISTINCT a.project_id FROM access_membership a WHERE a.user_id = member) m;
$$;
