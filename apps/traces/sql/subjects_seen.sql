-- Note when the subjects of these traces were seen last. To five minutes, so that a busy one's row is left in peace; in
-- one order, so that two batches never wait for each other.
WITH seen AS (
    SELECT subject_id, max(started_at) AS at FROM traces_trace
    WHERE project_id = %(project)s AND trace_id = ANY (%(trace_ids)s) AND subject_id IS NOT NULL GROUP BY subject_id
), moved AS MATERIALIZED (
    SELECT s.id, n.at FROM tenancy_subject s JOIN seen n ON n.subject_id = s.id
    WHERE s.project_id = %(project)s AND (s.last_seen_at IS NULL OR s.last_seen_at < n.at - interval '5 minutes')
    ORDER BY s.id FOR NO KEY UPDATE OF s
)
UPDATE tenancy_subject s SET last_seen_at = greatest(s.last_seen_at, m.at) FROM moved m
WHERE s.project_id = %(project)s AND s.id = m.id;
