-- How many changes of a run are in which state, counting what the reader may see, as `run_shown` has it: what a line of the
-- list says. One JSON object for a row of dreaming_dreamrun.
(SELECT jsonb_build_object('tally', (
    SELECT coalesce(jsonb_agg(t), '[]') FROM (
        SELECT c.op, c.state, c.safe, count(*) AS n FROM dreaming_dreamchange c
        WHERE c.project_id = dreaming_dreamrun.project_id AND c.run_id = dreaming_dreamrun.id
          AND c.sensitivity = ANY (%s)
        GROUP BY c.op, c.state, c.safe) t)))
