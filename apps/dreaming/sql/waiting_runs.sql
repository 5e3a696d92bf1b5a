-- How many dream runs wait in each project of a member, for the page that shows all his projects; numbers only, none beyond `most`.
CREATE FUNCTION waiting_runs(member bigint, most int) RETURNS TABLE (project_id bigint, runs bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT m.project_id,
           (SELECT count(*) FROM (SELECT FROM dreaming_dreamrun r
                                  WHERE r.project_id = m.project_id AND r.state = 'proposed' AND NOT r.dry_run LIMIT most) t)
    FROM (SELECT DISTINCT a.project_id FROM access_membership a WHERE a.user_id = member) m;
$$;
