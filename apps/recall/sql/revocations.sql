-- What a reader may have been told since a moment and is told no more: ids, codes and times, oldest first.
WITH gone AS (
    SELECT f.id AS fact_id, f.updated_at AS at, f.scope, f.agent_id, f.sensitivity, f.category,
           CASE WHEN f.superseded_at IS NOT NULL THEN 'superseded' WHEN f.retired_at IS NOT NULL THEN 'retired'
                WHEN f.restricted_at IS NOT NULL THEN 'held' ELSE 'expired' END AS reason
    FROM facts_fact f
    WHERE f.project_id = %(project)s AND f.updated_at > %(since)s
      -- An end that was set into the past holds from when it was set.
      AND (f.superseded_at IS NOT NULL OR f.retired_at IS NOT NULL OR f.restricted_at IS NOT NULL
           OR f.expires_at <= f.updated_at)
    UNION ALL
    SELECT f.id, f.expires_at, f.scope, f.agent_id, f.sensitivity, f.category, 'expired' FROM facts_fact f
    WHERE f.project_id = %(project)s AND f.expires_at > %(since)s AND f.expires_at <= now()
      AND f.expires_at > f.updated_at
      AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL
    UNION ALL
    SELECT f.id, f.valid_to, f.scope, f.agent_id, f.sensitivity, f.category, 'ended' FROM facts_fact f
    WHERE f.project_id = %(project)s AND f.valid_to > %(since)s AND f.valid_to <= now()
      AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL
    UNION ALL
    -- Of a forgotten fact no category is left; an id alone says nothing.
    SELECT w.fact_id, w.at, w.scope, w.agent_id, w.sensitivity, NULL, w.reason FROM facts_withdrawal w
    LEFT JOIN facts_fact f ON f.project_id = w.project_id AND f.id = w.fact_id
    WHERE w.project_id = %(project)s AND w.at > %(since)s
      -- Also where it was forgotten since: that row bears the later sensitivity, which this reader may not see.
      AND (w.reason = 'forgotten' OR (f.sensitivity = ANY (%(sensitivities)s)) IS NOT TRUE)
)
SELECT g.fact_id, g.reason, g.at FROM gone g
WHERE g.sensitivity = ANY (%(sensitivities)s)
  AND (g.category IS NULL OR %(categories)s::text[] IS NULL OR g.category = ANY (%(categories)s))
  AND (g.agent_id IS NULL OR %(agents)s::uuid[] IS NULL OR g.agent_id = ANY (%(agents)s))
  AND g.scope = ANY (%(scopes)s)
  AND (g.at, g.fact_id) > (%(after_at)s, %(after_id)s)
ORDER BY g.at, g.fact_id LIMIT %(limit)s;
