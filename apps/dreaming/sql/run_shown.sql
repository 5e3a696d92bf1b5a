-- What stands beside a run: its phases, how many of its changes are in which state, the gate of its place, its session, and
-- what the project allows. One JSON object for a row of dreaming_dreamrun, counting what the reader may see.
(SELECT jsonb_build_object(
    'phases', (SELECT coalesce(jsonb_agg(to_jsonb(p) ORDER BY p.id), '[]') FROM dreaming_dreamphase p
               WHERE p.project_id = dreaming_dreamrun.project_id AND p.run_id = dreaming_dreamrun.id),
    'tally', (SELECT coalesce(jsonb_agg(t), '[]') FROM (
                SELECT c.op, c.state, c.safe, count(*) AS n FROM dreaming_dreamchange c
                WHERE c.project_id = dreaming_dreamrun.project_id AND c.run_id = dreaming_dreamrun.id
                  AND c.sensitivity = ANY (%s)
                GROUP BY c.op, c.state, c.safe) t),
    'gate', (SELECT to_jsonb(g) FROM dreaming_dreamgate g
             WHERE g.project_id = dreaming_dreamrun.project_id AND g.scope = dreaming_dreamrun.scope
               AND g.scope_id = dreaming_dreamrun.scope_id),
    'session', (SELECT s.external_id FROM traces_session s
                WHERE s.project_id = dreaming_dreamrun.project_id AND s.id = dreaming_dreamrun.session_id),
    'retire_percent', (SELECT o.retire_percent FROM dreaming_dreamsettings o
                       WHERE o.project_id = dreaming_dreamrun.project_id)))
