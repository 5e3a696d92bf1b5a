-- The sides of conflicts: the current facts they lead to and the proposals that wait (`stands`), then what was a side and
-- no longer stands; each with how often it was told, by at most 200 counts of who was told, and the first words it rests on.
WITH RECURSIVE side AS (
    SELECT s.conflict_id, s.fact_id, s.proposal_id, p.fact_id AS became, p.state
    FROM curation_conflictside s
    LEFT JOIN curation_proposal p ON p.project_id = s.project_id AND p.id = s.proposal_id
    WHERE s.project_id = %(project)s AND s.conflict_id = ANY (%(conflicts)s)
), first AS MATERIALIZED (
    SELECT f.* FROM facts_fact f
    WHERE project_id = %(project)s AND id = ANY (ARRAY (SELECT fact_id FROM side UNION SELECT became FROM side))
), newer AS (
    SELECT s.conflict_id, f.id, f.id IS NOT DISTINCT FROM s.fact_id AS own, f.superseded_by_id
    FROM side s JOIN first f ON f.id IN (s.fact_id, s.became)
    UNION
    SELECT n.conflict_id, f.id, false, f.superseded_by_id FROM newer n CROSS JOIN LATERAL (
        -- One look a fact: joined, Postgres reads every fact that was ever replaced where these are not many.
        SELECT id, superseded_by_id FROM facts_fact WHERE project_id = %(project)s AND id = n.superseded_by_id LIMIT 1) f
    WHERE n.superseded_by_id IS NOT NULL
), shown AS MATERIALIZED (
    SELECT f.*, f.superseded_at IS NULL AND f.retired_at IS NULL AS stands FROM (
        SELECT * FROM first
        UNION ALL
        SELECT f.* FROM facts_fact f
        WHERE f.project_id = %(project)s AND f.id = ANY (ARRAY (SELECT id FROM newer EXCEPT SELECT id FROM first))) f
), found AS (
    SELECT DISTINCT ON (n.conflict_id, f.id) n.conflict_id, f.*
    FROM newer n JOIN shown f ON f.id = n.id
    WHERE n.own OR f.stands
    ORDER BY n.conflict_id, f.id
)
SELECT f.conflict_id, f.stands, f.id AS fact_id, NULL::uuid AS proposal_id, f.content, f.scope, f.scope_id, f.agent_id, f.attribute,
       f.category, f.memory_type, f.sensitivity, f.confidence, f.importance, f.trust, f.speaker, f.source, f.source_trace_id,
       f.observed_at, f.created_at, f.valid_from, f.valid_to, f.expires_at, f.approved_by AS by_whom, f.approved_at AS at,
       f.corroborations, f.pinned, f.restricted_at, f.superseded_by_id, f.retired_at, '' AS state, '{}'::text[] AS flags,
       told.reads, told.more, told.last_at, quotes.rows AS quotes
FROM found f
LEFT JOIN LATERAL (
    SELECT sum(t.reads)::bigint AS reads, count(*) > 200 AS more, max(t.last_at) AS last_at FROM (
        SELECT reads, last_at FROM recall_factserving
        WHERE project_id = %(project)s AND fact_id = f.id AND agent_id IS NOT NULL LIMIT 201) t
) told ON true
LEFT JOIN LATERAL (
    SELECT json_agg(q) AS rows FROM (
        SELECT s.quote, s.trace_id, s.message_id, s.observed_at, m.role, s.start - greatest(0, s.start - 120) AS at,
               substr(m.content, greatest(0, s.start - 120) + 1, s."end" - s.start + 240) AS around
        FROM facts_factsource s LEFT JOIN traces_message m ON m.project_id = s.project_id AND m.id = s.message_id
        WHERE s.project_id = %(project)s AND s.fact_id = f.id ORDER BY s.id LIMIT %(quotes)s) q
) quotes ON true
UNION ALL
SELECT s.conflict_id, p.state = ANY (%(open)s), NULL, p.id, p.content, p.scope, p.scope_id, p.agent_id, p.attribute,
       p.category, p.memory_type, p.sensitivity, p.confidence, p.importance, p.trust, p.speaker, p.origin, p.source_trace_id,
       p.observed_at, p.created_at, p.valid_from, p.valid_to, NULL, p.reviewer, p.decided_at,
       0, false, NULL, p.fact_id, NULL, p.state, p.flags, NULL, false, NULL, quotes.rows
FROM side s JOIN curation_proposal p ON p.project_id = %(project)s AND p.id = s.proposal_id
LEFT JOIN LATERAL (
    SELECT json_agg(q) AS rows FROM (
        SELECT e.quote, e.trace_id, e.message_id, e.observed_at, m.role, e.start - greatest(0, e.start - 120) AS at,
               substr(m.content, greatest(0, e.start - 120) + 1, e."end" - e.start + 240) AS around
        FROM curation_proposalevidence e LEFT JOIN traces_message m ON m.project_id = e.project_id AND m.id = e.message_id
        WHERE e.project_id = %(project)s AND e.proposal_id = p.id ORDER BY e.id LIMIT %(quotes)s) q
) quotes ON true
WHERE p.fact_id IS NULL OR p.state <> 'applied'
ORDER BY conflict_id, stands DESC, fact_id, created_at, proposal_id;
