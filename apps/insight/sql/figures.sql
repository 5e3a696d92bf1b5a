-- Everything that the overview of a project keeps, as one JSON. "open" counts what everybody may see, "all" what is
-- personal or special too. Run by a worker with the project bound: it reads the whole project, which no page may.
WITH fact AS MATERIALIZED (
    SELECT f.id, f.source, f.observed_at, f.sensitivity IN ('public', 'internal') AS open,
           f.superseded_at IS NULL AND f.retired_at IS NULL AS current, t.reads, t.last_at
    FROM facts_fact f
    LEFT JOIN recall_facttold t ON t.project_id = f.project_id AND t.fact_id = f.id
    WHERE f.project_id = %(project)s
), decided AS MATERIALIZED (
    SELECT p.origin, p.state, p.created_at, p.decided_at,
           p.state = 'rejected' OR p.state = 'applied' AND p.op IN ('add', 'supersede', 'merge')
               AND f.retired_reason IN ('wrong', 'duplicate', 'stale') AND f.retired_at < p.decided_at + interval '7 days'
               AS junk
    FROM curation_proposal p
    LEFT JOIN facts_fact f ON f.project_id = p.project_id AND f.id = p.fact_id
    WHERE p.project_id = %(project)s AND p.decided_at >= %(since)s AND p.state IN ('applied', 'rejected')
), run AS MATERIALIZED (
    SELECT (finished_at AT TIME ZONE 'UTC')::date AS day, model, judge <> '{}' AS judged, prompt_tokens, completion_tokens, cost
    FROM extraction_extractionrun WHERE project_id = %(project)s AND finished_at >= %(since)s
)
SELECT jsonb_build_object(
    'facts', (SELECT jsonb_build_object('open', count(*) FILTER (WHERE open), 'all', count(*)) FROM fact WHERE current),
    'never', (SELECT jsonb_build_object('open', count(*) FILTER (WHERE open), 'all', count(*))
              FROM fact WHERE current AND reads IS NULL),
    'served', (SELECT jsonb_object_agg(days, jsonb_build_object('open', open, 'all', n)) FROM (
        SELECT d.days, count(f.id) FILTER (WHERE f.open) AS open, count(f.id) AS n
        FROM unnest(%(periods)s::int[]) d(days)
        LEFT JOIN fact f ON f.current AND f.last_at >= %(now)s::timestamptz - make_interval(days => d.days)
        GROUP BY d.days) s),
    'reads', (SELECT coalesce(sum(reads), 0) FROM fact),
    'most', jsonb_build_object(
        'open', (SELECT coalesce(jsonb_agg(jsonb_build_array(id, reads) ORDER BY reads DESC, id), '[]') FROM (
            SELECT id, reads FROM fact WHERE current AND open AND reads > 0 ORDER BY reads DESC, id LIMIT 7) t),
        'all', (SELECT coalesce(jsonb_agg(jsonb_build_array(id, reads) ORDER BY reads DESC, id), '[]') FROM (
            SELECT id, reads FROM fact WHERE current AND reads > 0 ORDER BY reads DESC, id LIMIT 7) t)),
    'idle', jsonb_build_object(
        'open', (SELECT coalesce(jsonb_agg(id ORDER BY id), '[]') FROM (
            SELECT id FROM fact WHERE current AND open AND reads IS NULL ORDER BY id LIMIT 7) t),
        'all', (SELECT coalesce(jsonb_agg(id ORDER BY id), '[]') FROM (
            SELECT id FROM fact WHERE current AND reads IS NULL ORDER BY id LIMIT 7) t)),
    'sources', (SELECT coalesce(jsonb_object_agg(source, jsonb_build_object('open', open, 'all', n)), '{}') FROM (
        SELECT source, count(*) FILTER (WHERE open) AS open, count(*) AS n FROM fact WHERE current GROUP BY source) s),
    'growth', (SELECT coalesce(jsonb_agg(jsonb_build_array(day, source, open, n) ORDER BY day, source), '[]') FROM (
        SELECT (observed_at AT TIME ZONE 'UTC')::date AS day, source, count(*) FILTER (WHERE open) AS open, count(*) AS n
        FROM fact WHERE observed_at >= %(since)s AND observed_at <= %(now)s::timestamptz GROUP BY 1, 2) g),
    'decided', (SELECT coalesce(jsonb_agg(jsonb_build_array(day, origin, applied, rejected, junk) ORDER BY day, origin), '[]')
        FROM (SELECT (decided_at AT TIME ZONE 'UTC')::date AS day, origin, count(*) FILTER (WHERE state = 'applied') AS applied,
                     count(*) FILTER (WHERE state = 'rejected') AS rejected, count(*) FILTER (WHERE junk) AS junk
              FROM decided GROUP BY 1, 2) d),
    'wait', (SELECT jsonb_object_agg(days, seconds) FROM (
        SELECT d.days, percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM p.decided_at - p.created_at)) AS seconds
        FROM unnest(%(periods)s::int[]) d(days)
        LEFT JOIN decided p ON p.decided_at >= %(now)s::timestamptz - make_interval(days => d.days)
        GROUP BY d.days) w),
    'spent', (SELECT coalesce(jsonb_agg(jsonb_build_array(day, model, runs, tokens_in, tokens_out, cost, priced)
                                        ORDER BY day, model), '[]') FROM (
        SELECT day, model, count(*) AS runs, sum(prompt_tokens) AS tokens_in, sum(completion_tokens) AS tokens_out,
               sum(cost)::text AS cost, count(cost) AS priced
        FROM run GROUP BY day, model) s),
    'vectors', (SELECT coalesce(jsonb_object_agg(m.name, jsonb_build_array(t.done, t.total, t.since)), '{}')
        FROM recall_embeddingmodel m, LATERAL (
            -- One look a fact: joined, Postgres would read every vector's row to find that none is missing.
            SELECT count(e.there) AS done, count(*) AS total, min(f.created_at) FILTER (WHERE e.there IS NULL) AS since
            FROM facts_fact f LEFT JOIN LATERAL (
                SELECT true AS there FROM recall_factembedding e
                WHERE e.project_id = f.project_id AND e.fact_id = f.id AND e.model = m.name LIMIT 1) e ON true
            WHERE f.project_id = %(project)s AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL
        ) t WHERE m.serving OR m.seen_at >= %(now)s::timestamptz - interval '10 minutes'),
    'place', (SELECT coalesce(max(n), 0) FROM (
        SELECT count(*) AS n FROM facts_fact
        WHERE project_id = %(project)s AND superseded_at IS NULL AND retired_at IS NULL GROUP BY agent_id, scope, scope_id) p)
)
