-- The active facts nearest to some words, of one user, one agent and the project.
SELECT f.id, f.content
FROM facts_fact f, to_tsquery('simple', %(words)s) wanted
WHERE f.project_id = %(project)s AND f.words @@ wanted AND f.key IS NULL AND f.label = ''
  AND (f.scope = 'project'
       OR f.scope = 'agent' AND f.agent_id = %(agent)s
       OR f.scope = 'user' AND f.subject_id = %(subject)s AND (f.agent_id IS NULL OR f.agent_id = %(agent)s))
  AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL
  AND (f.expires_at IS NULL OR f.expires_at > now())
  AND (f.valid_from IS NULL OR f.valid_from <= now())
  AND (f.valid_to IS NULL OR f.valid_to > now())
ORDER BY ts_rank(f.words, wanted) DESC, f.id DESC
LIMIT %(most)s;
