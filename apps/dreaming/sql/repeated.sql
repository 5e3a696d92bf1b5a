-- Facts of a place that rest on several messages.
SELECT f.id FROM facts_fact f
JOIN facts_factsource s ON s.project_id = f.project_id AND s.fact_id = f.id
WHERE f.project_id = %(project)s AND f.scope = %(scope)s AND f.scope_id = %(scope_id)s AND f.id <= %(base)s
  AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL AND f.key IS NULL AND f.label = ''
GROUP BY f.id HAVING count(DISTINCT (s.trace_id, s.message_id)) >= %(least)s
ORDER BY f.id DESC LIMIT %(most)s;
