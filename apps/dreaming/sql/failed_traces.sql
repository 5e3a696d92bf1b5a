-- Those of some traces that ended in an error, newest first.
SELECT t.id FROM traces_trace t
WHERE t.project_id = %(project)s AND t.trace_id = ANY (%(traces)s::text[]) AND t.status = 'ERROR'
ORDER BY t.id DESC LIMIT %(most)s;
