-- As near_facts_of_place.sql; what is compared first comes from the rows that reads are told from, by their indexes alone:
-- twice as many facts for a quarter of the pages, the most important ones and not the newest. What has no short form there is
-- looked up in the facts, a quarter of `cap` of it. Of those that share rare words half of `cap` are compared. Each word stands
-- in the question as seldom as can be, since the index is searched anew for each mention; two of them are looked for only where
-- too few facts were found without.
CREATE OR REPLACE FUNCTION near_facts(of_scope text, of_scope_id text, statement text, above real, cap int, best int)
RETURNS TABLE (fact_id bigint, alike real)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
DECLARE
    bound CONSTANT bigint := nullif(current_setting('app.project_id', true), '')::bigint;
    place CONSTANT bigint[] := (fact_keys(bound, of_scope, of_scope_id))[2:];
    -- Three of so many words together, then two of them, the rarest first.
    three CONSTANT text[] := ARRAY[NULL, NULL, '%1$s & %2$s & %3$s', '%1$s & %2$s & (%3$s | %4$s) | (%1$s | %2$s) & %3$s & %4$s',
        '%1$s & %2$s & (%3$s | %4$s | %5$s) | (%1$s | %2$s) & (%3$s & (%4$s | %5$s) | %4$s & %5$s) | %3$s & %4$s & %5$s'];
    two CONSTANT text[] := ARRAY[NULL, '%1$s & %2$s', '%1$s & (%2$s | %3$s) | %2$s & %3$s',
        '(%1$s | %2$s) & (%3$s | %4$s) | %1$s & %2$s | %3$s & %4$s',
        '(%1$s | %2$s | %3$s) & (%4$s | %5$s) | %4$s & %5$s | %1$s & (%2$s | %3$s) | %2$s & %3$s'];
    whole boolean;
    long_ids bigint[];
    rare text[];
    wanted text;
    ids bigint[];
    scores real[];
    more_ids bigint[];
    more_scores real[];
BEGIN
    IF of_scope_id = '' THEN
        RETURN;
    END IF;
    SELECT count(*) < CASE WHEN of_scope IN ('agent', 'project', 'user') THEN 2 * cap ELSE cap END,
           array_agg(c.id ORDER BY c.id DESC) FILTER (WHERE c.said IS NULL),
           array_agg(c.id), array_agg(CASE WHEN c.may_be_told THEN similarity(c.said, statement) END)
    INTO whole, long_ids, ids, scores FROM (
        (SELECT h.id, marks_allow(h.restricted_at, h.expires_at, h.valid_from, h.valid_to, now()) AS may_be_told,
                (h.brief || '}')::json ->> 'content' AS said
         FROM facts_hot_agent h
         WHERE of_scope = 'agent' AND h.project_id = bound
           AND h.agent_id = (SELECT a.id FROM tenancy_agent a WHERE a.project_id = bound AND a.name = of_scope_id)
         ORDER BY h.importance DESC, h.id DESC LIMIT 2 * cap)
        UNION ALL
        (SELECT h.id, marks_allow(h.restricted_at, h.expires_at, h.valid_from, h.valid_to, now()),
                (h.brief || '}')::json ->> 'content'
         FROM facts_hot_project h
         WHERE of_scope = 'project' AND h.project_id = bound
           AND of_scope_id = (SELECT t.slug FROM tenancy_project t WHERE t.id = bound)
         ORDER BY h.importance DESC, h.id DESC LIMIT 2 * cap)
        UNION ALL
        (SELECT h.id, marks_allow(h.restricted_at, h.expires_at, h.valid_from, h.valid_to, now()),
                (h.brief || '}')::json ->> 'content'
         FROM facts_hot_user h
         WHERE of_scope = 'user' AND h.project_id = bound AND h.scope_id = of_scope_id
         ORDER BY h.agent_id, h.importance DESC, h.id DESC LIMIT 2 * cap)
        UNION ALL
        (SELECT f.id, f.label = '' AND fact_in_force(f, now()), f.content
         FROM facts_fact f
         WHERE of_scope NOT IN ('agent', 'project', 'user') AND f.project_id = bound AND f.scope = of_scope
           AND f.scope_id = of_scope_id AND f.superseded_at IS NULL AND f.retired_at IS NULL
         ORDER BY f.id DESC LIMIT cap)) c;
    IF cardinality(long_ids) > 0 THEN
        whole := whole AND cardinality(long_ids) <= cap / 4;
        SELECT ids || array_agg(f.id), scores || array_agg(similarity(f.content, statement)) INTO ids, scores
        FROM unnest(long_ids[:cap / 4]) l(id)
        CROSS JOIN LATERAL (SELECT p.* FROM facts_fact p WHERE p.project_id = bound AND p.id = l.id OFFSET 0) f
        WHERE fact_in_force(f, now());
    END IF;
    IF NOT whole THEN
        -- What is not among the common words is rarer than any of them.
        SELECT (array_agg(format('''%s''', replace(replace(w.word, '\', '\\'), '''', ''''''))
                          ORDER BY coalesce(c.share, 0), length(w.word) DESC, w.word))[1:5] INTO rare
        FROM unnest(tsvector_to_array(to_tsvector('simple', statement))) w(word)
        LEFT JOIN (
            SELECT e.word, e.share
            FROM pg_stats s
            CROSS JOIN LATERAL unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) e(word, share)
            WHERE s.schemaname = 'public' AND s.tablename = 'facts_fact' AND s.attname = 'words') c ON c.word = w.word;
        FOREACH wanted IN ARRAY ARRAY[three[cardinality(rare)], two[cardinality(rare)]] LOOP
            CONTINUE WHEN wanted IS NULL;
            EXECUTE
                'SELECT array_agg(f.id), array_agg(similarity(f.content, $4)) FROM ('
                ' SELECT * FROM facts_fact p WHERE fact_keys(p.project_id, p.scope, p.scope_id) @> $5 AND p.words @@ $7::tsquery'
                ' AND p.superseded_at IS NULL AND p.retired_at IS NULL LIMIT $6) f'
                ' WHERE f.project_id = $1 AND f.scope = $2 AND f.scope_id = $3 AND f.label = '''' AND fact_in_force(f, now())'
            INTO more_ids, more_scores USING bound, of_scope, of_scope_id, statement, place, cap / 2, format(wanted, VARIADIC rare);
            -- Who asks for anything at all, however little alike, wants whatever shares two.
            EXIT WHEN more_ids IS NOT NULL
                OR above > 0 AND (SELECT count(*) FROM unnest(scores) s(score) WHERE s.score > above) >= best;
        END LOOP;
    END IF;
    RETURN QUERY
        SELECT DISTINCT ON (n.score, n.id) n.id, n.score FROM unnest(ids || more_ids, scores || more_scores) n(id, score)
        WHERE n.score > above ORDER BY n.score DESC, n.id DESC LIMIT best;
END $$;
