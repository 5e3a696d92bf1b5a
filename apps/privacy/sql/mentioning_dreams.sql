-- Rows of the bound project that hold one of some patterns (upper case, LIKE) in their text, wherever a person can be named:
-- candidates, which the caller looks at closely. As the owner's function it may use the trigram index, which row-level
-- security keeps LIKE from; it filters by the bound project itself.
CREATE OR REPLACE FUNCTION privacy_mentioning(needles text[]) RETURNS TABLE (store text, id text, said text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH p AS (SELECT nullif(current_setting('app.project_id', true), '')::bigint AS id)
    SELECT 'facts', f.id::text, f.content FROM p, facts_fact f
    WHERE f.project_id = p.id AND upper(f.content) LIKE ANY (needles)
    UNION ALL
    SELECT 'facts', f.id::text, t.said FROM p, facts_fact f
    CROSS JOIN LATERAL (SELECT concat_ws(E'\n', f.key, f.value::text, f.scope_id, f.label, f.attribute, f.category) AS said) t
    WHERE f.project_id = p.id AND upper(t.said) LIKE ANY (needles)
    UNION ALL
    SELECT 'evidence', s.id::text, s.quote FROM p, facts_factsource s
    WHERE s.project_id = p.id AND upper(s.quote) LIKE ANY (needles)
    UNION ALL
    SELECT 'proposals', c.id::text, t.said FROM p, curation_proposal c
    CROSS JOIN LATERAL (SELECT concat_ws(E'\n', c.content, c.scope_id, c.attribute, c.category) AS said) t
    WHERE c.project_id = p.id AND upper(t.said) LIKE ANY (needles)
    UNION ALL
    SELECT 'proposals', e.proposal_id::text, e.quote FROM p, curation_proposalevidence e
    WHERE e.project_id = p.id AND upper(e.quote) LIKE ANY (needles)
    UNION ALL
    SELECT 'conflicts', c.id::text, t.said FROM p, curation_conflict c
    CROSS JOIN LATERAL (SELECT concat_ws(E'\n', c.note, c.scope_id, c.attribute) AS said) t
    WHERE c.project_id = p.id AND upper(t.said) LIKE ANY (needles)
    UNION ALL
    SELECT 'messages', m.id::text, m.content FROM p, traces_message m
    WHERE m.project_id = p.id AND upper(m.content) LIKE ANY (needles)
    UNION ALL
    SELECT 'spans', s.id::text, t.said FROM p, traces_span s
    CROSS JOIN LATERAL (SELECT concat_ws(E'\n', s.attributes::text, s.events::text, s.name) AS said) t
    WHERE s.project_id = p.id AND upper(t.said) LIKE ANY (needles)
    UNION ALL
    SELECT 'names', t.id::text, t.root_name FROM p, traces_trace t
    WHERE t.project_id = p.id AND upper(t.root_name) LIKE ANY (needles)
    UNION ALL
    SELECT 'sessions', s.id::text, s.external_id FROM p, traces_session s
    WHERE s.project_id = p.id AND upper(s.external_id) LIKE ANY (needles)
    UNION ALL
    SELECT 'operational', v.id::text, t.said FROM p, facts_operationalvalue v
    CROSS JOIN LATERAL (SELECT concat_ws(E'\n', v.key, v.value::text, v.scope_id) AS said) t
    WHERE v.project_id = p.id AND upper(t.said) LIKE ANY (needles)
    UNION ALL
    SELECT 'runs', r.id::text, r.raw_answer FROM p, extraction_extractionrun r
    WHERE r.project_id = p.id AND upper(r.raw_answer) LIKE ANY (needles)
    UNION ALL
    SELECT 'session_messages', m.id::text, t.said FROM p, traces_sessionmessage m
    CROSS JOIN LATERAL (SELECT concat_ws(E'\n', m.content, m.external_id) AS said) t
    WHERE m.project_id = p.id AND upper(t.said) LIKE ANY (needles)
    UNION ALL
    SELECT 'dreams', r.id::text, r.scope_id FROM p, dreaming_dreamrun r
    WHERE r.project_id = p.id AND upper(r.scope_id) LIKE ANY (needles)
    UNION ALL
    SELECT 'dream_gates', g.id::text, g.scope_id FROM p, dreaming_dreamgate g
    WHERE g.project_id = p.id AND upper(g.scope_id) LIKE ANY (needles)
    UNION ALL
    SELECT 'dream_changes', c.id::text, t.said FROM p, dreaming_dreamchange c
    CROSS JOIN LATERAL (SELECT concat_ws(E'\n', c.content, c.reason, c.attribute, c.category) AS said) t
    WHERE c.project_id = p.id AND upper(t.said) LIKE ANY (needles)
$$;
