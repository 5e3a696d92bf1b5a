-- Fold newly stored spans into their trace: times, names, subject, messages; and send it to extraction again.
WITH joined AS (
    UPDATE traces_trace SET
        started_at = LEAST(started_at, %(started)s::timestamptz),
        ended_at = GREATEST(ended_at, %(ended)s::timestamptz),
        root_name = coalesce(%(root_name)s, root_name),
        root_ended_at = coalesce(%(root_ended)s::timestamptz, root_ended_at),
        status = coalesce(%(status)s, status),
        origin = coalesce(%(origin)s, origin),
        agent_name = coalesce(%(agent_name)s, agent_name),
        agent_id = CASE WHEN %(agent_name)s::text IS NULL THEN agent_id ELSE %(agent)s::uuid END,
        subject_id = coalesce(subject_id, %(subject)s::bigint),
        session_id = coalesce(session_id, %(session)s::bigint),
        span_count = span_count + %(spans)s,
        differing_copies = differing_copies + %(differing)s,
        replaced_characters = replaced_characters + %(replaced)s,
        masked_secrets = masked_secrets + %(masked)s,
        last_arrival_at = CASE WHEN %(arrived)s > 0 THEN clock_timestamp() ELSE last_arrival_at END,
        extracted_at = CASE WHEN %(arrived)s > 0 THEN NULL ELSE extracted_at END,
        attempts = CASE WHEN %(arrived)s > 0 THEN 0 ELSE attempts END,
        dead_reason = CASE WHEN %(arrived)s > 0 THEN '' ELSE dead_reason END
    WHERE project_id = %(project)s AND trace_id = %(trace_id)s
    RETURNING subject_id
), spans_owned AS (
    -- The span that names the user may come last: what came before is the same person's.
    UPDATE traces_span s SET subject_id = j.subject_id FROM joined j
    WHERE s.project_id = %(project)s AND s.trace_id = %(trace_id)s AND s.subject_id IS NULL AND j.subject_id IS NOT NULL
), messages_owned AS (
    UPDATE traces_message m SET subject_id = j.subject_id FROM joined j
    WHERE m.project_id = %(project)s AND m.trace_id = %(trace_id)s AND m.subject_id IS NULL AND j.subject_id IS NOT NULL
)
INSERT INTO traces_message (project_id, trace_id, span_id, role, subject_id, content, at)
SELECT %(project)s, %(trace_id)s, m.span_id, m.role, (SELECT subject_id FROM joined), m.content, m.at
FROM jsonb_to_recordset(%(messages)s::jsonb) AS m (span_id text, role text, content text, at timestamptz)
ON CONFLICT (project_id, trace_id, span_id, role) DO NOTHING;
