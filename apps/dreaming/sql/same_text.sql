-- Facts of a place that differ in case and in their last mark alone, a group a row.
SELECT array_agg(f.id ORDER BY f.id) FROM facts_fact f
WHERE f.project_id = %(project)s AND f.scope = %(scope)s AND f.scope_id = %(scope_id)s AND f.id <= %(base)s
      AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL AND f.key IS NULL AND f.label = ''
GROUP BY f.agent_id, f.loose_hash HAVING count(*) > 1 ORDER BY min(f.id) LIMIT %(most)s;
