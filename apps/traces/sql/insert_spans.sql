-- Store the spans of a batch; says of each whether it is new, the same again, or differs from the first copy.
WITH sent AS (
    SELECT * FROM jsonb_to_recordset(%(spans)s::jsonb) AS s (
        trace_id text, span_id text, parent_span_id text, name text, status text,
        started_at timestamptz, ended_at timestamptz, attributes jsonb, events jsonb, digest bytea,
        sealed bytea)
), stored AS (
    INSERT INTO traces_span (project_id, trace_id, span_id, parent_span_id, name, status, started_at, ended_at,
                             attributes, events, digest, sealed)
    SELECT %(project)s, trace_id, span_id, parent_span_id, name, status, started_at, ended_at, attributes, events, digest,
           sealed
    FROM sent ORDER BY trace_id, span_id
    ON CONFLICT (project_id, trace_id, span_id) DO NOTHING
    RETURNING trace_id, span_id
)
SELECT s.trace_id, s.span_id,
       CASE WHEN n.span_id IS NOT NULL THEN 'new' WHEN e.digest = s.digest THEN 'same' ELSE 'differs' END
FROM sent s
LEFT JOIN stored n ON n.trace_id = s.trace_id AND n.span_id = s.span_id
LEFT JOIN traces_span e ON e.project_id = %(project)s AND e.trace_id = s.trace_id AND e.span_id = s.span_id;
