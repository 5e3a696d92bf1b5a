-- Proposals about a person, and those that made, would change or say again some facts; each way along an index of its own.
SELECT c.id FROM curation_proposal c WHERE c.project_id = %(project)s AND c.subject_id = %(subject)s
UNION
SELECT c.id FROM curation_proposal c WHERE c.project_id = %(project)s AND c.fact_id = ANY (%(facts)s)
UNION
SELECT t.proposal_id FROM curation_proposaltarget t WHERE t.project_id = %(project)s AND t.fact_id = ANY (%(facts)s)
UNION
SELECT c.id FROM facts_fact f JOIN curation_proposal c ON c.project_id = f.project_id AND c.id = f.proposal_id
WHERE f.project_id = %(project)s AND f.id = ANY (%(facts)s)
UNION
SELECT c.id FROM curation_proposal c WHERE c.project_id = %(project)s AND c.id = ANY (%(named)s)
