-- Places whose facts have grown since their last run, by the newest facts of the project: how many are new, and how many hours
-- ago the last run was asked for (null: never). Not while one waits or goes on.
WITH newest AS (
    SELECT f.scope, f.scope_id, f.id FROM facts_fact f
    WHERE f.project_id = %(project)s ORDER BY f.id DESC LIMIT %(look)s
), last AS (
    SELECT DISTINCT ON (r.scope, r.scope_id) r.scope, r.scope_id, r.base_fact_id, r.created_at, r.state
    FROM dreaming_dreamrun r WHERE r.project_id = %(project)s AND NOT r.dry_run
    ORDER BY r.scope, r.scope_id, r.id DESC
)
SELECT n.scope, n.scope_id, count(*), min(extract(epoch FROM now() - l.created_at) / 3600)::float8
FROM newest n LEFT JOIN last l ON l.scope = n.scope AND l.scope_id = n.scope_id
WHERE n.id > coalesce(l.base_fact_id, 0) AND l.state IS DISTINCT FROM 'queued' AND l.state IS DISTINCT FROM 'running'
GROUP BY n.scope, n.scope_id ORDER BY count(*) DESC, n.scope, n.scope_id LIMIT %(most)s;
