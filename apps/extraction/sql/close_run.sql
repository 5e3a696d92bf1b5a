-- End a run: what was decided about each candidate, its messages as mined, and the trace as done, unless it has grown.
WITH ended AS (
    UPDATE extraction_extractionrun SET proposed = %(proposed)s, dropped = %(dropped)s::jsonb, mined = %(looked_at)s::bigint[],
        finished_at = clock_timestamp()
    WHERE project_id = %(project)s AND id = %(run)s
    RETURNING finished_at
), decided AS (
    INSERT INTO extraction_candidatedecision (project_id, run_id, message_id, start, "end", outcome, rule, proposal_id, fact_id)
    SELECT %(project)s, %(run)s, d.message_id, d.start, d."end", d.outcome, d.rule, d.proposal_id, d.fact_id
    FROM jsonb_to_recordset(%(decisions)s::jsonb) AS d (
        message_id bigint, start int, "end" int, outcome text, rule text, proposal_id uuid, fact_id bigint)
), mined AS (
    UPDATE traces_message SET mined_at = now() WHERE project_id = %(project)s AND id = ANY (%(messages)s)
), closed AS (
    UPDATE traces_trace
    SET extracted_at = CASE WHEN last_arrival_at = %(arrival)s THEN now() END,
        by_hand = false, attempts = 0, not_before = NULL, dead_reason = '', lease_until = NULL, lease_token = NULL, claimed_by = ''
    WHERE project_id = %(project)s AND id = %(trace)s
)
SELECT finished_at FROM ended;
