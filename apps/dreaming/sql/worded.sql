-- Facts of a place whose words match a pattern, oldest first.
SELECT f.id, f.content, f.observed_at FROM facts_fact f
WHERE f.project_id = %(project)s AND f.scope = %(scope)s AND f.scope_id = %(scope_id)s AND f.id <= %(base)s
      AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL AND f.key IS NULL AND f.label = '' AND NOT f.pinned AND f.contested_at IS NULL
  AND f.content ~* %(pattern)s
ORDER BY f.id LIMIT %(most)s;
