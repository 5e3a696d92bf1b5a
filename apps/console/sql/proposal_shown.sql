-- What a proposal's page shows beside what its row in the queue does, as one JSON document. Long lists are cut.
WITH RECURSIVE own AS (
    SELECT p.* FROM curation_proposal p WHERE p.project_id = %(project)s AND p.id = %(proposal)s
), evidence AS (
    SELECT e.* FROM curation_proposalevidence e
    WHERE e.project_id = %(project)s AND e.proposal_id = %(proposal)s ORDER BY e.id LIMIT %(quotes)s
), heard AS (
    SELECT m.* FROM traces_message m
    WHERE m.project_id = %(project)s AND m.id = ANY (ARRAY (SELECT message_id FROM evidence))
), beside AS (
    SELECT h.id AS heard, n.*
    FROM heard h CROSS JOIN LATERAL (
        (SELECT m.id, m.span_id, m.trace_id, m.role, m.at, left(m.content, %(turn)s + 1) AS content FROM traces_message m
         WHERE m.project_id = %(project)s AND m.trace_id = h.trace_id AND (m.at, m.id) < (h.at, h.id)
         ORDER BY m.at DESC, m.id DESC LIMIT %(reach)s)
        UNION ALL
        (SELECT m.id, m.span_id, m.trace_id, m.role, m.at, left(m.content, %(turn)s + 1) AS content FROM traces_message m
         WHERE m.project_id = %(project)s AND m.trace_id = h.trace_id AND (m.at, m.id) > (h.at, h.id)
         ORDER BY m.at, m.id LIMIT %(reach)s)) n
), above AS (
    -- The spans around those that speak. What lies inside a span that speaks is said by one agent to another.
    SELECT DISTINCT b.trace_id, b.span_id, s.parent_span_id AS outer_id
    FROM beside b JOIN traces_span s ON s.project_id = %(project)s AND s.trace_id = b.trace_id AND s.span_id = b.span_id
    UNION
    SELECT a.trace_id, a.span_id, s.parent_span_id
    FROM above a JOIN traces_span s ON s.project_id = %(project)s AND s.trace_id = a.trace_id AND s.span_id = a.outer_id
), inside AS (
    SELECT DISTINCT a.trace_id, a.span_id FROM above a JOIN traces_message m
        ON m.project_id = %(project)s AND m.trace_id = a.trace_id AND m.span_id = a.outer_id
    WHERE a.outer_id <> a.span_id
), named AS (
    SELECT t.id AS place, f.* FROM curation_proposaltarget t
    JOIN facts_fact f ON f.project_id = %(project)s AND f.id = t.fact_id
    WHERE t.project_id = %(project)s AND t.proposal_id = %(proposal)s ORDER BY t.id LIMIT %(most)s
), disputes AS (
    SELECT s.conflict_id AS id, c.settled_at FROM curation_conflictside s
    JOIN curation_conflict c ON c.project_id = %(project)s AND c.id = s.conflict_id
    WHERE s.project_id = %(project)s AND s.proposal_id = %(proposal)s
), sides AS (
    SELECT s.fact_id, p.fact_id AS became, p.id AS proposal_id, d.settled_at
    FROM disputes d
    JOIN curation_conflictside s ON s.project_id = %(project)s AND s.conflict_id = d.id
    LEFT JOIN curation_proposal p ON p.project_id = %(project)s AND p.id = s.proposal_id
    WHERE s.proposal_id IS DISTINCT FROM %(proposal)s
), newer AS (
    -- As apps/facts/sql/newest_versions.sql.
    SELECT f.id, f.superseded_by_id FROM facts_fact f
    WHERE f.project_id = %(project)s AND f.id = ANY (ARRAY (SELECT coalesce(fact_id, became) FROM sides))
    UNION
    SELECT f.id, f.superseded_by_id FROM newer n JOIN facts_fact f ON f.project_id = %(project)s AND f.id = n.superseded_by_id
), contradicted AS (
    SELECT f.* FROM facts_fact f JOIN own ON f.scope = own.scope AND f.scope_id = own.scope_id
    WHERE f.project_id = %(project)s AND f.id = ANY (ARRAY (SELECT id FROM newer WHERE superseded_by_id IS NULL))
      AND fact_in_force(f, now())
    ORDER BY f.id LIMIT %(most)s
), waiting AS (
    SELECT p.* FROM curation_proposal p
    WHERE p.project_id = %(project)s AND p.state = ANY (%(open)s) AND p.sensitivity = ANY (%(seen)s)
      AND p.id = ANY (ARRAY (SELECT proposal_id FROM sides WHERE settled_at IS NULL))
    ORDER BY p.created_at, p.id LIMIT %(most)s
), near AS (
    SELECT n.alike, f.* FROM own CROSS JOIN LATERAL near_facts(
        own.scope, own.scope_id, own.content, %(least)s, %(compared)s, %(neighbours)s) n
    JOIN facts_fact f ON f.project_id = %(project)s AND f.id = n.fact_id
)
SELECT json_build_object(
    'evidence', (SELECT coalesce(json_agg(to_jsonb(e) ORDER BY e.id), '[]') FROM evidence e),
    'messages', (SELECT coalesce(json_agg(to_jsonb(h)), '[]') FROM heard h),
    'beside', (
        SELECT coalesce(json_agg(to_jsonb(b)), '[]') FROM beside b
        WHERE NOT EXISTS (SELECT FROM inside i WHERE i.trace_id = b.trace_id AND i.span_id = b.span_id)),
    'turns', (
        SELECT coalesce(json_object_agg(h.id, (SELECT count(*) FROM (
            SELECT FROM traces_message m WHERE m.project_id = %(project)s AND m.trace_id = h.trace_id AND m.at < h.at
            LIMIT %(numbered)s) t) + (
            -- Of what was said at one time, the user said his part first.
            SELECT count(*) FROM traces_message m WHERE m.project_id = %(project)s AND m.trace_id = h.trace_id AND m.at = h.at
              AND (m.role <> 'user', m.id) <= (h.role <> 'user', h.id))), '{}')
        FROM heard h),
    'named', (SELECT coalesce(json_agg(to_jsonb(n) - %(unread)s::text[] ORDER BY n.place), '[]') FROM named n),
    'contradicted', (
        SELECT coalesce(json_agg(to_jsonb(c) - %(unread)s::text[] ORDER BY c.id), '[]') FROM contradicted c),
    'waiting', (
        SELECT coalesce(json_agg(to_jsonb(w) - %(unread)s::text[] ORDER BY w.created_at, w.id), '[]') FROM waiting w),
    'near', (SELECT coalesce(json_agg(to_jsonb(n) - %(unread)s::text[] ORDER BY n.alike DESC, n.id DESC), '[]') FROM near n),
    'fact_quotes', (
        SELECT coalesce(json_object_agg(f.id, f.quote), '{}') FROM (
            SELECT DISTINCT ON (s.fact_id) s.fact_id AS id, s.quote FROM facts_factsource s
            WHERE s.project_id = %(project)s
              AND s.fact_id = ANY (ARRAY (SELECT id FROM named UNION SELECT id FROM contradicted))
            ORDER BY s.fact_id, s.id) f),
    'proposal_quotes', (
        SELECT coalesce(json_object_agg(p.id, p.quote), '{}') FROM (
            SELECT DISTINCT ON (e.proposal_id) e.proposal_id AS id, e.quote FROM curation_proposalevidence e
            WHERE e.project_id = %(project)s
              AND e.proposal_id = ANY (ARRAY (SELECT id FROM waiting UNION SELECT id FROM own))
            ORDER BY e.proposal_id, e.id) p),
    'settings', (SELECT to_jsonb(s) FROM extraction_extractionsettings s WHERE s.project_id = %(project)s),
    'categories', (
        SELECT json_agg(json_build_object('name', c.name, 'retired', c.retired_at IS NOT NULL, 'now_called', c.now_called)
                        ORDER BY c.id)
        FROM facts_category c WHERE c.project_id = %(project)s),
    'agents', (
        SELECT coalesce(json_agg(a.name ORDER BY a.name), '[]') FROM (
            SELECT name FROM tenancy_agent WHERE project_id = %(project)s ORDER BY name LIMIT %(agents)s) a),
    'run', (
        SELECT json_build_object('agent', t.agent_name, 'user', s.external_id)
        FROM own JOIN traces_trace t ON t.project_id = %(project)s AND t.trace_id = own.source_trace_id
        LEFT JOIN tenancy_subject s ON s.project_id = %(project)s AND s.id = t.subject_id)
);
