-- Messages and spans outside some traces that are a person's or that were found to name her, each with what stands beside it: a
-- message is read out of its span, so that neither stays without the other.
WITH hers AS (
    SELECT m.trace_id, m.span_id FROM traces_message m WHERE m.project_id = %(project)s AND m.subject_id = %(subject)s
    UNION
    SELECT m.trace_id, m.span_id FROM traces_message m WHERE m.project_id = %(project)s AND m.id = ANY (%(messages)s)
    UNION
    SELECT s.trace_id, s.span_id FROM traces_span s WHERE s.project_id = %(project)s AND s.subject_id = %(subject)s
    UNION
    SELECT s.trace_id, s.span_id FROM traces_span s WHERE s.project_id = %(project)s AND s.id = ANY (%(spans)s)
), places AS MATERIALIZED (
    SELECT h.trace_id, h.span_id FROM hers h WHERE h.trace_id NOT IN (SELECT unnest(%(outside)s::text[]))
)
SELECT 'message', m.id FROM places h JOIN traces_message m
    ON m.project_id = %(project)s AND m.trace_id = h.trace_id AND m.span_id = h.span_id
UNION ALL
SELECT 'span', s.id FROM places h JOIN traces_span s
    ON s.project_id = %(project)s AND s.trace_id = h.trace_id AND s.span_id = h.span_id
