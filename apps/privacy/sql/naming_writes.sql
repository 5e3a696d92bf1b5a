-- Rows of the bound project that hold one of some pieces of names in their text, wherever a person can be named: candidates,
-- which the caller looks at closely. `own`: the row is filed under one of `ids`, literal, or of `addresses`, in small letters;
-- the id of another user that begins like hers is no mention of her, nor is an agent's name.
-- Each table is read once, whole: the trigram index of facts knows their statement alone, and only letters as they are written.
CREATE OR REPLACE FUNCTION privacy_naming(pieces text[], ids text[], addresses text[])
RETURNS TABLE (store text, id text, said text, own boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH p AS MATERIALIZED (
        SELECT nullif(current_setting('app.project_id', true), '')::bigint AS id,
               privacy_needles(pieces) AS needles
    )
    SELECT 'facts', f.id::text, t.said, t.own FROM p, facts_fact f
    CROSS JOIN LATERAL (SELECT
        concat_ws(E'\n', f.content, f.key, f.value::text, CASE WHEN f.scope IN ('session', 'other') THEN f.scope_id END, f.label,
                  f.attribute, f.category, f.purposes::text, f.task_types::text) AS said,
        f.scope = 'user' AND (f.scope_id = ANY (ids) OR lower(f.scope_id) = ANY (addresses)) AS own) t
    WHERE f.project_id = p.id AND (t.own OR privacy_folded(t.said) LIKE ANY (p.needles))
    UNION ALL
    SELECT 'evidence', s.id::text, s.quote, false FROM p, facts_factsource s
    WHERE s.project_id = p.id AND privacy_folded(s.quote) LIKE ANY (p.needles)
    UNION ALL
    SELECT 'proposals', c.id::text, t.said, t.own FROM p, curation_proposal c
    CROSS JOIN LATERAL (SELECT
        concat_ws(E'\n', c.content, CASE WHEN c.scope IN ('session', 'other') THEN c.scope_id END, c.attribute, c.category) AS said,
        c.scope = 'user' AND (c.scope_id = ANY (ids) OR lower(c.scope_id) = ANY (addresses)) AS own) t
    WHERE c.project_id = p.id AND (t.own OR privacy_folded(t.said) LIKE ANY (p.needles))
    UNION ALL
    SELECT 'proposals', e.proposal_id::text, e.quote, false FROM p, curation_proposalevidence e
    WHERE e.project_id = p.id AND privacy_folded(e.quote) LIKE ANY (p.needles)
    UNION ALL
    -- A value that waits under a key: of a long one the proposal's words hold the beginning.
    SELECT 'proposals', w.proposal_id::text, t.said, false FROM p, curation_waitingwrite w
    CROSS JOIN LATERAL (SELECT concat_ws(E'\n', w.key, w.value::text, w.label) AS said) t
    WHERE w.project_id = p.id AND privacy_folded(t.said) LIKE ANY (p.needles)
    UNION ALL
    SELECT 'conflicts', c.id::text, t.said, t.own FROM p, curation_conflict c
    CROSS JOIN LATERAL (SELECT
        concat_ws(E'\n', c.note, CASE WHEN c.scope IN ('session', 'other') THEN c.scope_id END, c.attribute) AS said,
        c.scope = 'user' AND (c.scope_id = ANY (ids) OR lower(c.scope_id) = ANY (addresses)) AS own) t
    WHERE c.project_id = p.id AND (t.own OR privacy_folded(t.said) LIKE ANY (p.needles))
    UNION ALL
    SELECT 'messages', m.id::text, m.content, false FROM p, traces_message m
    WHERE m.project_id = p.id AND privacy_folded(m.content) LIKE ANY (p.needles)
    UNION ALL
    SELECT 'spans', s.id::text, t.said, false FROM p, traces_span s
    CROSS JOIN LATERAL (SELECT concat_ws(E'\n', s.attributes::text, s.events::text, s.name) AS said) t
    WHERE s.project_id = p.id AND privacy_folded(t.said) LIKE ANY (p.needles)
    UNION ALL
    SELECT 'names', t.id::text, t.root_name, false FROM p, traces_trace t
    WHERE t.project_id = p.id AND privacy_folded(t.root_name) LIKE ANY (p.needles)
    UNION ALL
    -- What a client calls itself, unless it is an agent that the operator knows.
    SELECT 'origins', r.id::text, t.said, false FROM p, traces_trace r
    CROSS JOIN LATERAL (SELECT concat_ws(E'\n', r.origin, CASE WHEN r.agent_name NOT IN (
        SELECT a.name FROM tenancy_agent a, p WHERE a.project_id = p.id) THEN r.agent_name END) AS said) t
    WHERE r.project_id = p.id AND privacy_folded(t.said) LIKE ANY (p.needles)
    UNION ALL
    SELECT 'sessions', s.id::text, s.external_id, false FROM p, traces_session s
    WHERE s.project_id = p.id AND privacy_folded(s.external_id) LIKE ANY (p.needles)
    UNION ALL
    SELECT 'operational', v.id::text, t.said, t.own FROM p, facts_operationalvalue v
    CROSS JOIN LATERAL (SELECT
        concat_ws(E'\n', v.key, v.value::text, CASE WHEN v.scope IN ('session', 'other') THEN v.scope_id END) AS said,
        v.scope = 'user' AND (v.scope_id = ANY (ids) OR lower(v.scope_id) = ANY (addresses)) AS own) t
    WHERE v.project_id = p.id AND (t.own OR privacy_folded(t.said) LIKE ANY (p.needles))
    UNION ALL
    SELECT 'runs', r.id::text, r.raw_answer, false FROM p, extraction_extractionrun r
    WHERE r.project_id = p.id AND privacy_folded(r.raw_answer) LIKE ANY (p.needles)
    UNION ALL
    SELECT 'session_messages', m.id::text, t.said, false FROM p, traces_sessionmessage m
    CROSS JOIN LATERAL (SELECT concat_ws(E'\n', m.content, m.external_id) AS said) t
    WHERE m.project_id = p.id AND privacy_folded(t.said) LIKE ANY (p.needles)
    UNION ALL
    SELECT 'dreams', r.id::text, t.said, t.own FROM p, dreaming_dreamrun r
    CROSS JOIN LATERAL (SELECT
        CASE WHEN r.scope IN ('session', 'other') THEN r.scope_id END AS said,
        r.scope = 'user' AND (r.scope_id = ANY (ids) OR lower(r.scope_id) = ANY (addresses)) AS own) t
    WHERE r.project_id = p.id AND (t.own OR privacy_folded(t.said) LIKE ANY (p.needles))
    UNION ALL
    SELECT 'dream_gates', g.id::text, t.said, t.own FROM p, dreaming_dreamgate g
    CROSS JOIN LATERAL (SELECT
        CASE WHEN g.scope IN ('session', 'other') THEN g.scope_id END AS said,
        g.scope = 'user' AND (g.scope_id = ANY (ids) OR lower(g.scope_id) = ANY (addresses)) AS own) t
    WHERE g.project_id = p.id AND (t.own OR privacy_folded(t.said) LIKE ANY (p.needles))
    UNION ALL
    SELECT 'dream_changes', c.id::text, t.said, false FROM p, dreaming_dreamchange c
    CROSS JOIN LATERAL (SELECT concat_ws(E'\n', c.content, c.reason, c.attribute, c.category) AS said) t
    WHERE c.project_id = p.id AND privacy_folded(t.said) LIKE ANY (p.needles)
    UNION ALL
    SELECT 'purposes', l.id::text, l.purpose, false FROM p, recall_readledger l
    WHERE l.project_id = p.id AND l.purpose <> '' AND privacy_folded(l.purpose) LIKE ANY (p.needles)
$$;
