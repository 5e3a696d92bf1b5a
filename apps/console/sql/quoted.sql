-- The words of a trace's messages that facts and proposals rest on: where they are, and what rests on them as far as the
-- reader may see it. The words of a proposal that became a fact are the fact's.
(SELECT s.message_id, s.start, s."end", f.id, NULL::uuid
 FROM facts_factsource s
 LEFT JOIN facts_fact f ON f.project_id = s.project_id AND f.id = s.fact_id AND f.sensitivity = ANY (%(seen)s)
 WHERE s.project_id = %(project)s AND s.trace_id = %(trace)s AND s.message_id IS NOT NULL
 ORDER BY s.id LIMIT %(most)s)
UNION ALL
(SELECT e.message_id, e.start, e."end", NULL, p.id
 FROM curation_proposalevidence e
 LEFT JOIN curation_proposal p ON p.project_id = e.project_id AND p.id = e.proposal_id AND p.sensitivity = ANY (%(seen)s)
 WHERE e.project_id = %(project)s AND e.trace_id = %(trace)s AND e.message_id IS NOT NULL
 ORDER BY e.id LIMIT %(most)s);
