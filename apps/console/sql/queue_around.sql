-- What stands around a page of the queue, a kind, a key and a document each: first words quoted, facts named, traces, people, and what was decided since midnight.
WITH first AS MATERIALIZED (
    SELECT DISTINCT ON (proposal_id) proposal_id, message_id, quote, start, "end", greatest(start - 160, 0) AS cut
    FROM curation_proposalevidence
    WHERE project_id = %(project)s AND proposal_id = ANY (%(ids)s)
    ORDER BY proposal_id, id
), said AS MATERIALIZED (
    SELECT id, role, content FROM traces_message
    WHERE project_id = %(project)s AND id = ANY (ARRAY(SELECT message_id FROM first))
), named AS MATERIALIZED (
    SELECT id, proposal_id, fact_id FROM curation_proposaltarget
    WHERE project_id = %(project)s AND proposal_id = ANY (%(naming)s::uuid[])
), decided AS (
    SELECT source_trace_id, count(*) AS total, count(*) FILTER (WHERE state <> ALL (%(open)s)) AS decided
    FROM curation_proposal
    WHERE project_id = %(project)s AND source_trace_id = ANY (%(traces)s)
    GROUP BY source_trace_id
), trace AS MATERIALIZED (
    SELECT trace_id, agent_name, started_at, subject_id FROM traces_trace
    WHERE project_id = %(project)s AND trace_id = ANY (%(traces)s)
), whose AS MATERIALIZED (
    SELECT id, external_id FROM tenancy_subject
    WHERE project_id = %(project)s AND id = ANY (ARRAY(SELECT subject_id FROM trace))
)
SELECT 'quote', first.proposal_id::text, jsonb_build_object(
    'quote', quote, 'start', start - cut, 'end', "end" - cut, 'role', said.role, 'whole', cut = 0,
    'text', substr(said.content, cut + 1, "end" - cut + 160))
FROM first LEFT JOIN said ON said.id = first.message_id
UNION ALL
SELECT 'fact', named.proposal_id::text, jsonb_build_object(
    'order', named.id, 'id', f.id, 'current', f.superseded_at IS NULL AND f.retired_at IS NULL,
    'content', CASE WHEN f.sensitivity = ANY (%(shown)s) THEN left(f.content, 200) ELSE '' END)
FROM named JOIN facts_fact f ON f.project_id = %(project)s AND f.id = named.fact_id AND f.id = ANY (ARRAY(SELECT fact_id FROM named))
UNION ALL
SELECT 'trace', t.trace_id, jsonb_build_object(
    'agent', t.agent_name, 'at', t.started_at, 'subject', s.external_id, 'decided', d.decided, 'total', d.total)
FROM trace t
JOIN decided d ON d.source_trace_id = t.trace_id
LEFT JOIN whose s ON s.id = t.subject_id
UNION ALL
SELECT 'user', u.id::text, jsonb_build_object(
    'name', coalesce(nullif(u.name, ''), u.email),
    'decides', u.is_active AND EXISTS (
        SELECT FROM access_membership m
        WHERE m.project_id = %(project)s AND m.user_id = u.id AND m.role = ANY (%(roles)s)))
FROM access_user u
WHERE u.id = ANY (%(users)s)
   OR u.id IN (SELECT user_id FROM access_membership WHERE project_id = %(project)s AND role = ANY (%(roles)s) LIMIT 50)
UNION ALL
SELECT 'agent', a.id::text, to_jsonb(a.name)
FROM (SELECT id, name FROM tenancy_agent WHERE project_id = %(project)s ORDER BY name LIMIT 100) a
UNION ALL
SELECT 'today', state, to_jsonb(count(*)) FROM (
    SELECT state FROM curation_proposal
    WHERE project_id = %(project)s AND decided_at >= %(midnight)s AND state = ANY (%(decisions)s)
    LIMIT 1001
) d GROUP BY state
UNION ALL
SELECT 'listed', state, to_jsonb(count(*)) FROM (
    SELECT state FROM curation_proposal
    WHERE project_id = %(project)s AND decided_at IS NOT NULL AND state = %(state)s AND sensitivity = ANY (%(seen)s)
      AND decided_at >= coalesce(%(since)s::timestamptz, '-infinity')
    LIMIT 1001
) d GROUP BY state;
