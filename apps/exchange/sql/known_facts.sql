-- What facts say in some words, or under some keys. Words that a person closed are known too, and not told again for being said
-- again; those whose time was over, or that their writer took out, are not. One leg an index.
SELECT f.id, f.scope, f.scope_id, f.agent_id, f.label, NULL AS key, f.norm_hash, NULL::jsonb AS value
FROM facts_fact f
WHERE f.project_id = %(project)s AND f.norm_hash = ANY (%(digests)s) AND f.key IS NULL
  AND f.superseded_at IS NULL AND f.retired_at IS NULL
  AND (f.restricted_at IS NOT NULL OR ((f.expires_at IS NULL OR f.expires_at > clock_timestamp())
                                       AND (f.valid_to IS NULL OR f.valid_to > clock_timestamp())))
UNION ALL
SELECT f.id, f.scope, f.scope_id, f.agent_id, f.label, NULL, f.norm_hash, NULL
FROM facts_fact f
WHERE f.project_id = %(project)s AND f.norm_hash = ANY (%(digests)s) AND f.key IS NULL
  AND (f.superseded_at IS NOT NULL OR f.retired_at IS NOT NULL)
  AND f.retired_reason NOT IN ('expired', 'undone', 'removed')
  -- What this import brought in closed, for the sake of what was derived from it.
  AND (f.retired_at IS NULL OR f.retired_at <> f.created_at OR f.created_at < %(since)s)
UNION ALL
SELECT f.id, f.scope, f.scope_id, f.agent_id, f.label, f.key, NULL, f.value
FROM unnest(%(scopes)s::text[], %(ids)s::text[], %(agents)s::uuid[], %(labels)s::text[], %(keys)s::text[])
  AS k (scope, scope_id, agent_id, label, key)
JOIN facts_fact f ON f.project_id = %(project)s AND f.agent_id = k.agent_id AND f.scope = k.scope
  AND f.scope_id = k.scope_id AND f.label = k.label AND f.key = k.key
WHERE f.superseded_at IS NULL AND f.retired_at IS NULL
UNION ALL
SELECT f.id, f.scope, f.scope_id, f.agent_id, f.label, f.key, NULL, f.value
FROM unnest(%(scopes)s::text[], %(ids)s::text[], %(agents)s::uuid[], %(labels)s::text[], %(keys)s::text[])
  AS k (scope, scope_id, agent_id, label, key)
JOIN facts_fact f ON f.project_id = %(project)s AND f.agent_id IS NULL AND f.scope = k.scope
  AND f.scope_id = k.scope_id AND f.label = k.label AND f.key = k.key
WHERE k.agent_id IS NULL AND f.superseded_at IS NULL AND f.retired_at IS NULL;
