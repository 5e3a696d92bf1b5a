-- Facts of a place whose time is over by their marks.
SELECT f.id FROM facts_fact f
WHERE f.project_id = %(project)s AND f.scope = %(scope)s AND f.scope_id = %(scope_id)s AND f.id <= %(base)s
      AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL AND f.key IS NULL AND f.label = '' AND NOT f.pinned AND f.contested_at IS NULL
  AND (f.expires_at <= now() OR f.valid_to <= now())
ORDER BY f.id LIMIT %(most)s;
