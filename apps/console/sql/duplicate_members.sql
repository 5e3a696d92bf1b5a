-- The facts of groups of duplicates, at most twenty a group, with how often each was told, by at most 200 counts of who was.
SELECT m.group_id, m.alike, f.id, f.content, f.scope, f.scope_id, f.agent_id,
       -- An agent's own facts name it themselves.
       CASE WHEN f.scope = 'agent' THEN f.scope_id ELSE a.name END AS agent_name, f.subject_id, f.sensitivity,
       f.confidence, f.trust, f.speaker, f.source, f.source_trace_id, f.observed_at, f.created_at, f.approved_by, f.approved_at,
       f.corroborations, f.pinned, f.restricted_at, f.restricted_reason, f.contested_at, f.expires_at, f.valid_from, f.valid_to,
       told.reads, told.more, told.last_at
FROM unnest(%(groups)s::bigint[]) g(id)
CROSS JOIN LATERAL (
    SELECT d.group_id, d.fact_id, d.alike FROM curation_duplicatemember d
    WHERE d.project_id = %(project)s AND d.group_id = g.id ORDER BY d.fact_id DESC LIMIT 20) m
JOIN facts_fact f ON f.project_id = %(project)s AND f.id = m.fact_id AND f.superseded_at IS NULL AND f.retired_at IS NULL
LEFT JOIN tenancy_agent a ON a.project_id = %(project)s AND a.id = f.agent_id AND f.scope <> 'agent'
LEFT JOIN LATERAL (
    SELECT sum(t.reads)::bigint AS reads, count(*) > 200 AS more, max(t.last_at) AS last_at FROM (
        SELECT reads, last_at FROM recall_factserving
        WHERE project_id = %(project)s AND fact_id = f.id AND agent_id IS NOT NULL LIMIT 201) t
) told ON true
ORDER BY m.group_id, f.id DESC;
