-- What happened in the bound project on each day from %(since)s on, UTC, counted from the rows themselves; a day is
-- counted anew each time, so that a lost or doubled run changes nothing. Whatever was added or ended was updated then.
INSERT INTO extraction_dayfigures (project_id, day, facts_added, facts_ended, traces, runs, failed_runs, proposed,
                                   left_out, tokens_in, tokens_out, cost)
SELECT %(project)s, d.day, coalesce(added.n, 0), coalesce(ended.n, 0), coalesce(came.n, 0), coalesce(ran.n, 0),
       coalesce(ran.failed, 0), coalesce(ran.proposed, 0), coalesce(ran.left_out, 0), coalesce(ran.tokens_in, 0),
       coalesce(ran.tokens_out, 0), ran.cost
FROM (SELECT generate_series(%(since)s::date, (now() AT TIME ZONE 'UTC')::date, '1 day')::date AS day) d
LEFT JOIN (
    SELECT (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS n FROM facts_fact
    WHERE project_id = %(project)s AND updated_at >= %(from)s AND created_at >= %(from)s GROUP BY 1
) added USING (day)
LEFT JOIN (
    SELECT (coalesce(superseded_at, retired_at) AT TIME ZONE 'UTC')::date AS day, count(*) AS n FROM facts_fact
    WHERE project_id = %(project)s AND updated_at >= %(from)s AND coalesce(superseded_at, retired_at) >= %(from)s
    GROUP BY 1
) ended USING (day)
LEFT JOIN (
    SELECT (started_at AT TIME ZONE 'UTC')::date AS day, count(*) AS n FROM traces_trace
    WHERE project_id = %(project)s AND started_at >= %(from)s GROUP BY 1
) came USING (day)
LEFT JOIN (
    SELECT (r.finished_at AT TIME ZONE 'UTC')::date AS day, count(*) AS n,
           count(*) FILTER (WHERE r.outcome = 'failed') AS failed, sum(r.proposed) AS proposed,
           sum((SELECT sum(v.value::numeric) FROM jsonb_each_text(r.dropped) v WHERE v.key <> ALL (%(not_junk)s)))::bigint
               AS left_out,
           sum(r.prompt_tokens) AS tokens_in, sum(r.completion_tokens) AS tokens_out, sum(r.cost) AS cost
    FROM extraction_extractionrun r
    WHERE r.project_id = %(project)s AND r.finished_at >= %(from)s GROUP BY 1
) ran USING (day)
ON CONFLICT (project_id, day) DO UPDATE
SET facts_added = excluded.facts_added, facts_ended = excluded.facts_ended, traces = excluded.traces,
    runs = excluded.runs, failed_runs = excluded.failed_runs, proposed = excluded.proposed,
    left_out = excluded.left_out, tokens_in = excluded.tokens_in, tokens_out = excluded.tokens_out,
    cost = excluded.cost
