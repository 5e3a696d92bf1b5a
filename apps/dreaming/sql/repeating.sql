-- Facts of a place of which two sentences are the same but for their capitals, oldest first.
SELECT f.id, f.content FROM facts_fact f
CROSS JOIN LATERAL (
    SELECT count(*) AS sentences, count(DISTINCT lower(btrim(s))) AS different
    FROM regexp_split_to_table(f.content, '[.!?]+\s+|[.!?]+$|[。！？]+') s WHERE btrim(s) <> ''
) t
WHERE f.project_id = %(project)s AND f.scope = %(scope)s AND f.scope_id = %(scope_id)s AND f.id <= %(base)s
      AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL AND f.key IS NULL AND f.label = '' AND NOT f.pinned AND f.contested_at IS NULL
  AND length(f.content) > 2 * %(least)s AND t.sentences > t.different
ORDER BY f.id LIMIT %(most)s;
