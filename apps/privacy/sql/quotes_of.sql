-- Quotes under facts and in proposals that are a person's words, or out of some traces and messages, or name her.
SELECT 'fact', s.id, s.fact_id::text FROM facts_factsource s WHERE s.project_id = %(project)s AND s.subject_id = %(subject)s
UNION
SELECT 'fact', s.id, s.fact_id::text FROM facts_factsource s WHERE s.project_id = %(project)s AND s.trace_id = ANY (%(traces)s)
UNION
SELECT 'fact', s.id, s.fact_id::text FROM facts_factsource s WHERE s.project_id = %(project)s AND s.message_id = ANY (%(messages)s)
UNION
SELECT 'fact', s.id, s.fact_id::text FROM facts_factsource s WHERE s.project_id = %(project)s AND s.id = ANY (%(named)s)
UNION
SELECT 'proposal', e.id, e.proposal_id::text FROM curation_proposalevidence e WHERE e.project_id = %(project)s AND e.subject_id = %(subject)s
UNION
SELECT 'proposal', e.id, e.proposal_id::text FROM curation_proposalevidence e WHERE e.project_id = %(project)s AND e.trace_id = ANY (%(traces)s)
UNION
SELECT 'proposal', e.id, e.proposal_id::text FROM curation_proposalevidence e WHERE e.project_id = %(project)s AND e.message_id = ANY (%(messages)s)
