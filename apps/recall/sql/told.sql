-- With a question: the best of what is near in meaning, shares its words, or matters. With `visible`, every candidate
-- that was compared is named with its parts and its verdict, and what was left out besides, as far as somebody who may see
-- these sensitivities may know; then there may be no question, and importance is the score.
CREATE FUNCTION told_ranked(r recall_reader, q recall_question, at_most int, visible text[]) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    few CONSTANT int := 5000;
    deep CONSTANT int := greatest(200, 2 * at_most);
    explained CONSTANT boolean := visible IS NOT NULL;
    flat CONSTANT boolean :=
        q.vector IS NULL AND coalesce(cardinality(q.terms), 0) + coalesce(cardinality(q.pieces), 0) = 0;
    -- What is said twice is told once, so that more have to be compared where that is so.
    reach int := at_most + 50;
    path text;
    found record;
    facts text;
    candidates json;
    ids bigint[];
    scores float8[];
BEGIN
    IF flat THEN
        path := 'importance';
        LOOP
            SELECT coalesce(array_agg(f.id), '{}') AS pool, NULL::float8[] AS weights, count(*) AS n,
                   least(count(DISTINCT f.loose_hash), count(DISTINCT f.norm_hash)) AS apart
            INTO found FROM facts_told(r, reach) f;
            EXIT WHEN r.past OR found.apart >= at_most OR found.n < reach;
            reach := reach * 4;
        END LOOP;
    ELSIF r.past OR few_facts(r, few) THEN
        path := 'exact';
        SELECT * INTO found FROM candidates_of_few(r, at_most, deep, q.terms, q.pieces, q.vector, q.model);
    ELSE
        path := 'index';
        SELECT * INTO found FROM candidates_of_many(r, at_most, deep, q.terms, q.pieces, q.vector, q.model);
    END IF;
    WITH scored AS (
        SELECT s.*, CASE WHEN flat THEN s.importance ELSE s.score END AS merit,
               -- Nothing to compare with: then a threshold can't be asked for.
               q.threshold <= 0 OR q.vector IS NULL OR coalesce(s.similarity >= q.threshold, false) AS near
        FROM scored_facts(r, q, found.pool, found.weights) s
    ), same_words AS (
        SELECT s.*, first_value(s.id) OVER (
            PARTITION BY s.near, s.norm_hash ORDER BY s.merit DESC, s.id DESC) AS first_same
        FROM scored s
    ), twins AS (
        SELECT s.*, first_value(s.id) OVER (
            PARTITION BY s.near, s.first_same = s.id, s.loose_hash ORDER BY s.merit DESC, s.id DESC) AS first_alike
        FROM same_words s
    ), once AS (
        SELECT t.*, CASE WHEN NOT t.near THEN NULL
                         WHEN t.first_same <> t.id THEN t.first_same
                         WHEN t.first_alike <> t.id THEN t.first_alike END AS twin
        FROM twins t
    ), ranked AS (
        SELECT o.*, row_number() OVER (ORDER BY NOT o.near, o.twin IS NOT NULL, o.merit DESC, o.id DESC) AS rank
        FROM once o
    ), judged AS (
        SELECT j.*, CASE WHEN NOT j.near THEN 'below-threshold' WHEN j.twin IS NOT NULL THEN 'duplicate'
                         WHEN j.rank > at_most THEN 'over-limit' ELSE 'told' END AS verdict
        FROM ranked j
    )
    SELECT '"facts":[' || coalesce(string_agg(
               t.head || fact_end(CASE WHEN NOT flat THEN round(t.score::numeric, 4)::float8 END, t.attribute, t.contested_at),
               ',' ORDER BY t.rank) FILTER (WHERE t.verdict = 'told'), '') || ']',
           coalesce(array_agg(t.id ORDER BY t.rank) FILTER (WHERE t.verdict = 'told'), '{}'),
           coalesce(array_agg(CASE WHEN NOT flat THEN t.score END ORDER BY t.rank)
               FILTER (WHERE t.verdict = 'told'), '{}'),
           CASE WHEN explained THEN coalesce(json_agg(json_build_object(
               'id', t.id, 'verdict', t.verdict, 'rank', CASE WHEN t.verdict IN ('told', 'over-limit') THEN t.rank END,
               'duplicate_of', t.twin, 'score', CASE WHEN NOT flat THEN round(t.score::numeric, 4) END,
               'parts', score_parts(t.similarity, t.keyword, t.named, t.dated, t.context, t.recency, t.importance,
                                    t.confidence, t.confirmation, t.authority))
               ORDER BY t.verdict NOT IN ('told', 'over-limit'), t.merit DESC, t.id DESC), '[]'::json) END
    INTO facts, ids, scores, candidates FROM judged t;
    PERFORM record_read(r, ids, scores);
    IF explained THEN
        facts := facts || ',"explain":' || json_build_object(
            'path', path, 'weights', (SELECT row_to_json(w) FROM recall_weights(r.project) w),
            'candidates', candidates, 'left_out', facts_left_out(r, q, visible, r.key IS NULL));
    END IF;
    RETURN '{' || facts || '}';
END $$;
