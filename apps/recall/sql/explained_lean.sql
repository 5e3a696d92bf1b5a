-- As in ranked_lean.sql; without a vector to compare with none is read.
CREATE OR REPLACE FUNCTION scored_facts(r recall_reader, q recall_question, pool bigint[], weights float8[])
RETURNS TABLE (
    id bigint, norm_hash bytea, loose_hash uuid, attribute text, contested_at timestamptz, similarity float8, keyword float8, named float8,
    dated float8, context float8, recency float8, importance float8, confidence float8, confirmation float8,
    authority float8, score float8
) LANGUAGE sql STABLE AS $$
    WITH part AS (
        SELECT f.id, f.norm_hash, f.loose_hash, f.importance, f.confidence, f.attribute, f.contested_at,
               f.source_trace_id,
               coalesce((f.subject_id = ANY (q.named))::int, 0)::float8 AS named,
               -- Half for each week beside the days that are named.
               coalesce((SELECT max(halved(greatest(
                   extract(epoch FROM lower(d) - f.observed_at), extract(epoch FROM f.observed_at - upper(d)), 0
               )::float8 / 86400 / 7)) FROM unnest(q.dates) d), 0) AS dated,
               CASE WHEN vector_dims(e.vector) = vector_dims(q.vector) THEN 1 - (e.vector <=> q.vector) END AS similarity,
               greatest(
                   coalesce((SELECT sum(weights[t.n]) FROM unnest(q.terms) WITH ORDINALITY t(term, n)
                             WHERE f.words @@ t.term) / nullif((SELECT sum(weight) FROM unnest(weights) weight), 0), 0),
                   coalesce((SELECT count(*) FROM unnest(q.pieces) piece WHERE f.content ILIKE piece)::float8
                            / nullif(cardinality(q.pieces), 0), 0)) AS keyword,
               halved(greatest(extract(epoch FROM r.at - f.observed_at), 0)::float8 / 86400 / greatest(w.half_life_days, 1e-6)) AS recency,
               (CASE WHEN f.approved_by LIKE 'user:%' THEN 0.5 ELSE 0 END)::float8
                   + 0.5 * (1 - halved(f.corroborations)) AS confirmation,
               (f.trust / 5.0)::float8 AS authority,
               w.similarity AS w_similarity, w.keyword AS w_keyword, w.named AS w_named, w.dated AS w_dated,
               w.context AS w_context, w.recency AS w_recency, w.importance AS w_importance,
               w.confidence AS w_confidence, w.confirmation AS w_confirmation, w.authority AS w_authority
        FROM facts_fact f
        CROSS JOIN recall_weights(r.project) w
        LEFT JOIN recall_factembedding e ON e.project_id = r.project AND e.fact_id = f.id AND e.model = q.model
            AND q.vector IS NOT NULL
        WHERE f.project_id = r.project AND f.id = ANY (pool)
    ), answering AS MATERIALIZED (
        -- Reckoned once a fact: what follows looks at it several times.
        SELECT p.*, weighed(p.w_similarity, greatest(coalesce(p.similarity, 0), 0)) + weighed(p.w_keyword, p.keyword) AS answer
        FROM part p
    ), beside AS (
        -- What was said in the same conversation as a good answer is often the rest of it: the best among the others.
        SELECT a.*, coalesce(CASE
                   WHEN a.source_trace_id IS NULL THEN 0
                   WHEN row_number() OVER best = 1 THEN nth_value(a.answer, 2) OVER (
                       best ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
                   ELSE first_value(a.answer) OVER best END
                   / greatest(a.w_similarity + a.w_keyword, 1e-100), 0) AS context
        FROM answering a
        WINDOW best AS (PARTITION BY a.source_trace_id ORDER BY a.answer DESC, a.id)
    )
    SELECT b.id, b.norm_hash, b.loose_hash, b.attribute, b.contested_at, b.similarity, b.keyword, b.named, b.dated, b.context, b.recency, b.importance, b.confidence,
           b.confirmation, b.authority,
           b.answer + weighed(b.w_named, b.named) + weighed(b.w_dated, b.dated) + weighed(b.w_context, b.context)
               + weighed(b.w_recency, b.recency) + weighed(b.w_importance, b.importance)
               + weighed(b.w_confidence, b.confidence) + weighed(b.w_confirmation, b.confirmation)
               + weighed(b.w_authority, b.authority)
    FROM beside b
$$;

-- As in ranked_lean.sql; where nothing is asked, the candidates come from the hot rows, as those of the read itself do, the
-- most important of all scopes together.
CREATE OR REPLACE FUNCTION told_ranked(r recall_reader, q recall_question, at_most int, visible text[]) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    few CONSTANT int := 5000;
    deep CONSTANT int := greatest(200, 2 * at_most);
    explained CONSTANT boolean := visible IS NOT NULL;
    flat CONSTANT boolean :=
        q.vector IS NULL AND coalesce(cardinality(q.terms), 0) + coalesce(cardinality(q.pieces), 0) = 0;
    -- What is said twice is told once, so that more have to be compared where that is so.
    reach int := at_most + 20;
    path text;
    found record;
    -- As the hot rows have them; null where they have none.
    briefs text[];
    facts text;
    candidates json;
    ids bigint[];
    scores float8[];
BEGIN
    IF flat THEN
        path := 'importance';
        LOOP
            IF r.past THEN
                SELECT coalesce(array_agg(f.id), '{}') AS pool, NULL::float8[] AS weights, 0 AS n, 0 AS apart
                INTO found FROM facts_told(r, NULL) f;
            ELSE
                SELECT coalesce(array_agg(h.id), '{}') AS pool, NULL::float8[] AS weights, count(*) AS n,
                       least(count(DISTINCT h.loose_hash), count(DISTINCT h.norm_hash)) AS apart, array_agg(h.brief) AS briefs
                INTO found FROM hot_facts(r, reach) h;
                briefs := found.briefs;
            END IF;
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
               coalesce(briefs[array_position(found.pool, t.id)], fact_head_by_row(r.project, t.id)) || fact_end(CASE WHEN NOT flat THEN round(t.score::numeric, 4)::float8 END, t.attribute, t.contested_at),
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
