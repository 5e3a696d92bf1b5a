-- Sessions that name a person, and hers that nothing is left of but some traces.
SELECT s.id FROM traces_session s WHERE s.project_id = %(project)s AND s.id = ANY (%(named)s)
UNION
SELECT s.id FROM traces_session s WHERE s.project_id = %(project)s AND s.subject_id = %(subject)s AND NOT EXISTS (
    SELECT FROM traces_trace t WHERE t.project_id = %(project)s AND t.session_id = s.id
      AND t.trace_id NOT IN (SELECT unnest(%(traces)s::text[])))
ORDER BY 1
