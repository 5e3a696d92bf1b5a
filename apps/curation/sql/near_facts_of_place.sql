-- As near_facts.sql; the rare words are looked for in the place alone, by its key in the index of words.
CREATE OR REPLACE FUNCTION near_facts(of_scope text, of_scope_id text, statement text, above real, cap int, best int)
RETURNS TABLE (fact_id bigint, alike real)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
DECLARE
    bound CONSTANT bigint := nullif(current_setting('app.project_id', true), '')::bigint;
    place CONSTANT bigint[] := (fact_keys(bound, of_scope, of_scope_id))[2:];
    rare text[];
    together int := 3;
    ids bigint[];
    scores real[];
    more_ids bigint[];
    more_scores real[];
BEGIN
    IF of_scope_id = '' THEN
        RETURN;
    END IF;
    SELECT array_agg(f.id), array_agg(CASE WHEN f.label = '' AND fact_in_force(f, now()) THEN similarity(f.content, statement) END)
    INTO ids, scores FROM (
        SELECT * FROM facts_fact p
        WHERE p.project_id = bound AND p.scope = of_scope AND p.scope_id = of_scope_id
          AND p.superseded_at IS NULL AND p.retired_at IS NULL
        ORDER BY p.id DESC LIMIT cap) f;
    IF cardinality(ids) = cap THEN
        -- What is not among the common words is rarer than any of them.
        SELECT (array_agg(format('''%s''', replace(replace(w.word, '\', '\\'), '''', ''''''))
                          ORDER BY coalesce(c.share, 0), length(w.word) DESC, w.word))[1:5] INTO rare
        FROM unnest(tsvector_to_array(to_tsvector('simple', statement))) w(word)
        LEFT JOIN (
            SELECT e.word, e.share
            FROM pg_stats s
            CROSS JOIN LATERAL unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) e(word, share)
            WHERE s.schemaname = 'public' AND s.tablename = 'facts_fact' AND s.attname = 'words') c ON c.word = w.word;
        -- Three of five together are in few facts and say most; where that finds nothing, two.
        WHILE together > 1 AND cardinality(rare) >= together AND more_ids IS NULL LOOP
            EXECUTE format(
                'SELECT array_agg(f.id), array_agg(similarity(f.content, $4)) FROM ('
                ' SELECT * FROM facts_fact p WHERE fact_keys(p.project_id, p.scope, p.scope_id) @> $5 AND p.words @@ %L::tsquery'
                ' AND p.superseded_at IS NULL AND p.retired_at IS NULL LIMIT $6) f'
                ' WHERE f.project_id = $1 AND f.scope = $2 AND f.scope_id = $3 AND f.label = '''' AND fact_in_force(f, now())',
                (SELECT string_agg(format('(%s)', concat_ws(' & ', a.word, b.word, c.word)), ' | ')
                 FROM unnest(rare) WITH ORDINALITY a(word, n)
                 JOIN unnest(rare) WITH ORDINALITY b(word, n) ON b.n > a.n
                 LEFT JOIN unnest(rare) WITH ORDINALITY c(word, n) ON together = 3 AND c.n > b.n
                 WHERE together = 2 OR c.word IS NOT NULL))
            INTO more_ids, more_scores USING bound, of_scope, of_scope_id, statement, place, cap;
            together := together - 1;
        END LOOP;
    END IF;
    RETURN QUERY
        SELECT DISTINCT ON (n.score, n.id) n.id, n.score FROM unnest(ids || more_ids, scores || more_scores) n(id, score)
        WHERE n.score > above ORDER BY n.score DESC, n.id DESC LIMIT best;
END $$;
