-- Current facts with one of these digests whose time is not over, locked: one that is being forgotten is gone after it.
SELECT id, scope, scope_id, norm_hash FROM facts_fact
WHERE project_id = %(project)s AND norm_hash = ANY (%(digests)s)
  AND superseded_at IS NULL AND retired_at IS NULL
  AND (expires_at IS NULL OR expires_at > now()) AND (valid_to IS NULL OR valid_to > now())
ORDER BY id FOR UPDATE;
