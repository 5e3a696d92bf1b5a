-- What was learned of a place long ago, that no person wrote, nobody said again, and that is neither sure nor important.
SELECT f.id FROM facts_fact f
WHERE f.project_id = %(project)s AND f.scope = %(scope)s AND f.scope_id = %(scope_id)s AND f.id <= %(base)s
      AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL AND f.key IS NULL AND f.label = '' AND NOT f.pinned AND f.contested_at IS NULL
  AND f.source IN ('learned', 'dream', 'agent', 'import') AND f.speaker <> 'curator'
  AND f.corroborations = 0 AND f.last_seen_at IS NULL AND f.trust <= %(trust)s AND f.confidence <= %(confidence)s
  AND f.importance <= %(importance)s AND f.observed_at < now() - make_interval(days => %(days)s)
ORDER BY f.observed_at, f.id LIMIT %(most)s;
