-- Facts of a place that stand with others on one attribute, attribute by attribute, the latest said first; where there are many,
-- it has many values at a time and none is looked at. `single` null: any attribute.
SELECT t.id, t.agent_id, t.attribute, t.content, t.observed_at, t.trust, t.pinned, t.valid_from, t.valid_to
FROM (
    SELECT f.id, f.agent_id, f.attribute, f.content, f.observed_at, f.trust, f.pinned, f.valid_from, f.valid_to,
           count(*) OVER (PARTITION BY f.agent_id, f.attribute) AS n
    FROM facts_fact f
    WHERE f.project_id = %(project)s AND f.scope = %(scope)s AND f.scope_id = %(scope_id)s AND f.id <= %(base)s
      AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL AND f.key IS NULL AND f.label = '' AND f.attribute IS NOT NULL AND f.contested_at IS NULL
      AND (f.expires_at IS NULL OR f.expires_at > now()) AND (f.valid_to IS NULL OR f.valid_to > now())
      AND (%(single)s::text[] IS NULL OR f.attribute = ANY (%(single)s))
) t
WHERE t.n BETWEEN 2 AND %(crowd)s
ORDER BY t.agent_id, t.attribute, t.observed_at DESC, t.id DESC LIMIT %(most)s;
