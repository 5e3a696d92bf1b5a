-- Keep the lease of a claimed trace for as long as asking may take, and read all that asking about it needs.
WITH chosen AS (
    SELECT * FROM extraction_extractionsettings WHERE project_id = %(project)s
), taken AS (
    UPDATE traces_trace t SET lease_until = greatest(
        t.lease_until,
        now() + make_interval(secs => coalesce(
            %(own_lease)s,
            CASE WHEN (SELECT extractor FROM chosen) = 'llm' THEN %(model_lease)s ELSE %(rules_lease)s END
        )::double precision)
    )
    WHERE t.project_id = %(project)s AND t.id = %(trace)s AND t.lease_token = %(token)s
    RETURNING t.project_id, t.trace_id, t.attempts, t.agent_id, t.agent_name, t.subject_id, t.origin,
              t.started_at, t.ended_at, t.by_hand
)
SELECT jsonb_build_object(
    'trace_id', t.trace_id,
    'attempts', t.attempts,
    'by_hand', t.by_hand,
    'slug', (SELECT p.slug FROM tenancy_project p WHERE p.id = t.project_id),
    'settings', (SELECT to_jsonb(c) FROM chosen c),
    'categories', (
        SELECT jsonb_agg(jsonb_build_object('name', c.name, 'retired', c.retired_at IS NOT NULL, 'now_called', c.now_called)
                         ORDER BY c.id)
        FROM facts_category c WHERE c.project_id = t.project_id),
    'agent', CASE WHEN a.id IS NOT NULL
        THEN jsonb_build_object('id', a.id, 'name', a.name, 'system_prompt', a.system_prompt) END,
    'subject', CASE WHEN s.id IS NOT NULL
        THEN jsonb_build_object('id', s.id, 'external_id', s.external_id, 'epoch', s.epoch) END,
    -- A run outside production, or of somebody who may not be learned about, has nothing to mine.
    'messages', CASE WHEN t.origin = '' AND s.suppressed_at IS NULL THEN (
        -- Of a trace that is far beyond what is looked at, the rest comes without its text: JSON has an end too.
        SELECT jsonb_agg(jsonb_build_object(
            'id', m.id, 'span', m.span_id, 'role', m.role,
            'text', CASE WHEN m.before < %(longest_trace)s THEN left(m.content, %(longest_message)s) ELSE '' END,
            'length', length(m.content), 'at', m.at, 'mined', m.mined_at IS NOT NULL))
        FROM (
            SELECT m.*, coalesce(sum(least(length(m.content), %(longest_message)s)) OVER (
                       ORDER BY m.at, m.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
            FROM traces_message m WHERE m.project_id = t.project_id AND m.trace_id = t.trace_id
        ) m) END,
    'parents', (
        SELECT jsonb_object_agg(n.span_id, n.parent_span_id)
        FROM traces_span n WHERE n.project_id = t.project_id AND n.trace_id = t.trace_id),
    -- What the agent was instructed with; calls of the SDK's own memory and learning are none of it.
    'prompts', (
        SELECT jsonb_agg(jsonb_build_array(i.prompt, i.asked)) FROM (
            SELECT n.attributes ->> 'agent.system_prompt' AS prompt,
                   CASE WHEN length(n.attributes ->> 'gen_ai.request.messages') < %(longest_call)s
                        THEN n.attributes ->> 'gen_ai.request.messages' END AS asked
            FROM traces_span n
            WHERE n.project_id = t.project_id AND n.trace_id = t.trace_id
              AND n.attributes ?| ARRAY['agent.system_prompt', 'gen_ai.request.messages']
              AND n.name NOT LIKE 'memory.%%' AND n.name NOT LIKE 'learn.%%'
            ORDER BY n.started_at, n.id LIMIT %(most_prompts)s
        ) i),
    -- What the plane told the agent around the run. A read names no trace: agent and time join the two.
    'served', (
        SELECT jsonb_agg(DISTINCT f.content) FROM (
            SELECT r.fact_ids FROM recall_readledger r
            WHERE r.project_id = t.project_id AND r.agent_id = a.id
              AND r.at BETWEEN t.started_at - make_interval(secs => %(read_window)s) AND t.ended_at
            ORDER BY r.at DESC LIMIT 200
        ) reads JOIN facts_fact f ON f.project_id = t.project_id AND f.id = ANY (reads.fact_ids))
)
FROM taken t
LEFT JOIN LATERAL (
    SELECT a.id, a.name, a.system_prompt FROM tenancy_agent a
    WHERE a.project_id = t.project_id
      AND (a.id = t.agent_id OR t.agent_id IS NULL AND t.agent_name <> '' AND a.name = t.agent_name)
    LIMIT 1
) a ON true
LEFT JOIN tenancy_subject s ON s.project_id = t.project_id AND s.id = t.subject_id;
