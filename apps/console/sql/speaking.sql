-- The spans of a trace with the span above each, and those that carry what was said; both from their indexes alone.
SELECT span_id, parent_span_id, false FROM traces_span WHERE project_id = %(project)s AND trace_id = %(trace)s
UNION ALL
SELECT span_id, NULL, true FROM traces_message WHERE project_id = %(project)s AND trace_id = %(trace)s;
