-- Of a moment: the highest number of the facts that were approved by then, and the later versions, at any distance, of what
-- was in force then and was superseded since, by the facts that were superseded last. From indexes alone.
WITH RECURSIVE gone AS MATERIALIZED (
    SELECT id, superseded_by_id, approved_at FROM facts_fact
    WHERE project_id = %(project)s AND superseded_at > %(at)s ORDER BY superseded_at DESC LIMIT %(most)s
), newer AS (
    SELECT superseded_by_id AS id FROM gone WHERE approved_at <= %(at)s
    UNION
    SELECT g.superseded_by_id FROM gone g JOIN newer n ON g.id = n.id
)
SELECT (SELECT coalesce(max(id), 0) FROM (
            SELECT id FROM facts_fact WHERE project_id = %(project)s AND approved_at <= %(at)s
            ORDER BY approved_at DESC, id DESC LIMIT %(aside)s) t),
       (SELECT coalesce(array_agg(id), '{}') FROM newer WHERE id IS NOT NULL);
