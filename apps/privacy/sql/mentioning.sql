-- Rows of the bound project that hold one of some patterns (upper case, LIKE) in their text: candidates, which the caller looks
-- at closely. As the owner's function it may use the trigram index, which row-level security keeps LIKE from; it filters
-- by the bound project itself.
CREATE FUNCTION privacy_mentioning(needles text[]) RETURNS TABLE (store text, id text, said text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH p AS (SELECT nullif(current_setting('app.project_id', true), '')::bigint AS id)
    SELECT 'facts', f.id::text, concat_ws(' ', f.content, f.key, f.value::text, f.scope_id, f.label)
    FROM p, facts_fact f
    WHERE f.project_id = p.id AND (upper(f.content) LIKE ANY (needles) OR f.key IS NOT NULL AND
          (upper(f.key) LIKE ANY (needles) OR upper(f.value::text) LIKE ANY (needles)))
    UNION ALL
    SELECT 'evidence', s.fact_id::text, s.quote FROM p, facts_factsource s
    WHERE s.project_id = p.id AND upper(s.quote) LIKE ANY (needles)
    UNION ALL
    SELECT 'proposals', c.id::text, concat_ws(' ', c.content, c.scope_id) FROM p, curation_proposal c
    WHERE c.project_id = p.id AND upper(c.content) LIKE ANY (needles)
    UNION ALL
    SELECT 'proposals', e.proposal_id::text, e.quote FROM p, curation_proposalevidence e
    WHERE e.project_id = p.id AND upper(e.quote) LIKE ANY (needles)
    UNION ALL
    SELECT 'messages', m.id::text, m.content FROM p, traces_message m
    WHERE m.project_id = p.id AND upper(m.content) LIKE ANY (needles)
    UNION ALL
    SELECT 'spans', s.id::text, concat_ws(' ', s.attributes::text, s.events::text, s.name) FROM p, traces_span s
    WHERE s.project_id = p.id
      AND (upper(s.attributes::text) LIKE ANY (needles) OR upper(s.events::text) LIKE ANY (needles) OR upper(s.name) LIKE ANY (needles))
    UNION ALL
    SELECT 'runs', r.id::text, r.raw_answer FROM p, extraction_extractionrun r
    WHERE r.project_id = p.id AND upper(r.raw_answer) LIKE ANY (needles)
$$;
