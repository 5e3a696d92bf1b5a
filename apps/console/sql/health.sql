WITH open AS MATERIALIZED (
    -- What Health says of a project, in one statement of which no part grows with the project: traces from the oldest on,
    -- the newest runs of a day, what waits to be decided, each up to a number; and what workers counted and keep.
    -- From the index alone.
    SELECT id, last_arrival_at, not_before, dead_reason, coalesce(lease_until > %(now)s, false) AS held,
           dead_reason <> '' OR attempts >= %(attempts)s AND (lease_until IS NULL OR lease_until <= %(now)s) AS dead
    FROM traces_trace
    WHERE project_id = %(project)s AND extracted_at IS NULL AND origin = ''
    ORDER BY started_at, id LIMIT %(most)s
), run AS MATERIALIZED (
    SELECT outcome, error_code, proposed, dropped FROM extraction_extractionrun
    WHERE project_id = %(project)s AND finished_at >= %(day)s ORDER BY finished_at DESC LIMIT %(runs)s
), waiting AS MATERIALIZED (
    SELECT created_at FROM curation_proposal
    WHERE project_id = %(project)s AND state IN ('pending', 'quarantined')
      AND (snoozed_until IS NULL OR snoozed_until <= %(now)s) AND sensitivity = ANY (%(sensitivities)s)
    ORDER BY created_at, id LIMIT %(most)s
)
SELECT jsonb_build_object(
    'queue', (SELECT jsonb_build_object(
        'all', count(*), 'waiting', count(*) FILTER (WHERE NOT dead AND NOT held AND not_before IS NULL),
        'oldest', extract(epoch FROM %(now)s - min(last_arrival_at) FILTER (WHERE NOT dead)),
        'held', count(*) FILTER (WHERE NOT dead AND held),
        'failing', count(*) FILTER (WHERE NOT dead AND NOT held AND not_before IS NOT NULL),
        'dead', count(*) FILTER (WHERE dead)) FROM open),
    'given_up', (SELECT coalesce(jsonb_agg(jsonb_build_array(dead_reason, n, since, (
            SELECT trace_id FROM traces_trace WHERE project_id = %(project)s AND id = t.example)) ORDER BY n DESC, dead_reason), '[]')
        FROM (SELECT dead_reason, count(*) AS n, min(last_arrival_at) AS since, min(id) AS example
              FROM open WHERE dead GROUP BY dead_reason) t),
    'runs', (SELECT jsonb_build_object('all', count(*), 'proposed', coalesce(sum(proposed), 0)) FROM run),
    'errors', (SELECT coalesce(jsonb_object_agg(error_code, n), '{}') FROM (
        SELECT error_code, count(*) AS n FROM run WHERE outcome = 'failed' GROUP BY error_code) t),
    'dropped', (SELECT coalesce(jsonb_object_agg(rule, n), '{}') FROM (
        SELECT d.key AS rule, sum(d.value::numeric) AS n FROM run, jsonb_each_text(run.dropped) d GROUP BY d.key) t),
    'proposals', (SELECT jsonb_build_object(
        'all', count(*), 'oldest', extract(epoch FROM %(now)s - min(created_at))) FROM waiting),
    'sealed', (SELECT count(*) FROM (
        SELECT FROM traces_span WHERE project_id = %(project)s AND sealed IS NOT NULL ORDER BY id LIMIT %(most)s) t),
    'workers', (SELECT jsonb_build_object(
        'alive', count(*) FILTER (WHERE seen_at > %(now)s - make_interval(secs => %(gone)s)),
        'last', extract(epoch FROM %(now)s - max(seen_at))) FROM extraction_worker),
    'hooks_off', (SELECT count(*) FROM exchange_webhook
        WHERE project_id = %(project)s AND NOT enabled AND disabled_for <> 'person'),
    'settings', (SELECT jsonb_build_object('extractor', extractor, 'model', model)
        FROM extraction_extractionsettings WHERE project_id = %(project)s),
    'kept', (SELECT jsonb_build_object('at', f.at) || (
            SELECT jsonb_object_agg(c.key, c.value) FROM jsonb_each(f.counted) c WHERE c.key IN ('spent', 'vectors', 'place'))
        FROM insight_figures f WHERE f.project_id = %(project)s)
)::text
