-- What a place could best do without: what no person wrote, pinned or marked, the least important, surest and confirmed first.
SELECT f.id FROM facts_fact f
WHERE f.project_id = %(project)s AND f.scope = %(scope)s AND f.scope_id = %(scope_id)s AND f.id <= %(base)s
      AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL AND f.key IS NULL AND f.label = '' AND NOT f.pinned AND f.contested_at IS NULL
  AND f.source <> 'manual' AND NOT f.id = ANY (%(taken)s::bigint[])
ORDER BY f.importance, f.confidence, f.corroborations, coalesce(f.last_seen_at, f.observed_at), f.id LIMIT %(most)s;
