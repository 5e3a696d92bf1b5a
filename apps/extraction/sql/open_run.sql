-- Lock a claimed trace and begin the run that mined it; no row when the lease was lost. The lock holds off new spans.
-- Of somebody who was erased meanwhile the run keeps neither name nor answer.
WITH held AS (
    SELECT t.project_id, t.trace_id, t.last_arrival_at, s.id AS subject_id, s.external_id, s.epoch,
           -- Whom the trace is about may have been said only while its words were out.
           s.suppressed_at IS NOT NULL
               OR %(epoch)s::int IS NOT NULL AND (s.id IS NULL OR s.epoch <> %(epoch)s::int) AS erased,
           -- Two users in one run: whose words are whose, nobody can say.
           (SELECT count(DISTINCT btrim(n.attributes ->> 'fastaiagent.meta.user_id')) FROM traces_span n
            WHERE n.project_id = t.project_id AND n.trace_id = t.trace_id
              AND n.attributes ? 'fastaiagent.meta.user_id') > 1 AS several
    FROM traces_trace t LEFT JOIN tenancy_subject s ON s.project_id = t.project_id AND s.id = t.subject_id
    WHERE t.project_id = %(project)s AND t.id = %(trace)s AND t.lease_token = %(token)s
    FOR UPDATE OF t
), run AS (
    INSERT INTO extraction_extractionrun (
        project_id, trace_id, subject_id, extractor, version, model, started_at, messages, proposed, dropped,
        prompt_tokens, completion_tokens, cost, latency_ms, raw_answer, judge, outcome, error_code)
    SELECT h.project_id, h.trace_id, CASE WHEN NOT h.erased AND NOT h.several THEN h.subject_id END, %(extractor)s, %(version)s, %(model)s,
           %(started_at)s, %(messages)s, 0, '{}', %(prompt_tokens)s, %(completion_tokens)s, %(cost)s, %(latency_ms)s,
           CASE WHEN h.erased THEN '' ELSE %(raw_answer)s END, %(judge)s::jsonb, 'done', ''
    FROM held h
    RETURNING id
)
SELECT run.id, h.last_arrival_at, h.subject_id, h.external_id, h.epoch, h.erased, h.several FROM held h, run;
