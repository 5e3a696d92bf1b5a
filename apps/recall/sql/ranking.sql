-- The most important of what the reader may be told, as many as are told, each wording once: with these among them there
-- is never too little to tell.
CREATE FUNCTION weightiest(r recall_reader, at_most int) RETURNS bigint[]
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    reach int := at_most;
    seen int;
    ids bigint[];
BEGIN
    LOOP
        WITH told AS MATERIALIZED (
            SELECT f.id, f.importance, f.loose_hash FROM facts_told(r, reach) f
        ), once AS (
            SELECT DISTINCT ON (t.loose_hash) t.id, t.importance FROM told t
            ORDER BY t.loose_hash, t.importance DESC, t.id DESC
        )
        SELECT ARRAY(SELECT o.id FROM once o ORDER BY o.importance DESC, o.id DESC LIMIT at_most),
               (SELECT count(*) FROM told)
        INTO ids, seen;
        EXIT WHEN cardinality(ids) = at_most OR seen < reach;
        reach := reach * 4;
    END LOOP;
    RETURN ids;
END $$;

-- Up to so many candidates by each of meaning, words and importance. `weights[n]` is how rare the n-th term is.
CREATE FUNCTION candidates_of_few(
    r recall_reader, at_most int, deep int, terms tsquery[], pieces text[], query_vector halfvec, vector_model text,
    OUT pool bigint[], OUT weights float8[]
) LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    any_term tsquery := (SELECT string_agg('(' || t::text || ')', ' | ')::tsquery FROM unnest(terms) t);
BEGIN
    WITH own AS MATERIALIZED (
        SELECT f.id, f.words, f.content, f.importance FROM facts_told(r, NULL) f
    ), hit AS MATERIALIZED (
        -- Each fact's words are looked through once.
        SELECT o.id, ARRAY(SELECT t.n FROM unnest(terms) WITH ORDINALITY t(term, n) WHERE o.words @@ t.term) AS has
        FROM own o WHERE o.words @@ any_term OR o.content ILIKE ANY (pieces)
    ), rare AS MATERIALIZED (
        -- As in BM25: a word that all facts share tells nothing apart.
        SELECT array_agg(ln(1 + (o.n - coalesce(h.n, 0) + 0.5) / (coalesce(h.n, 0) + 0.5)) ORDER BY t.n) AS weight
        FROM generate_subscripts(terms, 1) t(n) CROSS JOIN (SELECT count(*) AS n FROM own) o
        LEFT JOIN (SELECT term, count(*) AS n FROM hit, unnest(hit.has) term GROUP BY term) h ON h.term = t.n
    ), best AS (
        SELECT h.id FROM hit h CROSS JOIN rare
        ORDER BY (SELECT sum(rare.weight[term]) FROM unnest(h.has) term) DESC NULLS LAST, h.id DESC LIMIT deep
    ), near AS (
        SELECT o.id FROM own o
        JOIN recall_factembedding e ON e.project_id = r.project AND e.fact_id = o.id AND e.model = vector_model
        WHERE vector_dims(e.vector) = vector_dims(query_vector)
        ORDER BY e.vector <=> query_vector, o.id DESC LIMIT deep
    )
    SELECT ARRAY(SELECT id FROM best UNION SELECT id FROM near UNION SELECT unnest(weightiest(r, at_most))),
           (SELECT rare.weight FROM rare)
    INTO pool, weights;
END $$;

-- The same where a scan would cost too much: by the indexes of vectors, words and importance.
CREATE FUNCTION candidates_of_many(
    r recall_reader, at_most int, deep int, terms tsquery[], pieces text[], query_vector halfvec, vector_model text,
    OUT pool bigint[], OUT weights float8[]
) LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    any_term tsquery := (SELECT string_agg('(' || t::text || ')', ' | ')::tsquery FROM unnest(terms) t);
    near bigint[] := '{}';
    hit bigint[] := '{}';
    weighty bigint[];
BEGIN
    IF query_vector IS NOT NULL THEN
        near := nearest_of_many(r, deep, query_vector, vector_model);
    END IF;
    IF any_term IS NOT NULL THEN
        -- A word that half the facts have is cut to a sample: it tells little.
        PERFORM set_config('gin_fuzzy_search_limit', '20000', true);
        SELECT coalesce(array_agg(h.id), '{}') INTO hit FROM (
            SELECT f.id FROM facts_fact f
            WHERE f.words @@ any_term AND fact_is_readers(f, r) AND fact_in_force(f, r.at) AND fact_permitted(f, r)
            ORDER BY ts_rank(f.words, any_term) DESC, f.id DESC LIMIT 5 * deep) h;
        PERFORM set_config('gin_fuzzy_search_limit', '0', true);
    END IF;
    weighty := weightiest(r, at_most);
    SELECT ARRAY(
        SELECT ln(1 + (20000 - count(f.id) + 0.5) / (count(f.id) + 0.5)) FROM unnest(terms) WITH ORDINALITY t(q, n)
        LEFT JOIN facts_fact f ON f.project_id = r.project AND f.id = ANY (hit) AND f.words @@ t.q
        GROUP BY t.n ORDER BY t.n)
    INTO weights;
    pool := ARRAY(SELECT unnest(near) UNION SELECT unnest(hit) UNION SELECT unnest(weighty));
END $$;

-- A question as SQL takes it. `terms` are its words, `pieces` patterns for ILIKE, `named` subjects, `dates` stretches of
-- time; `vector` is null without meaning to compare, `threshold` the least similarity.
CREATE TYPE recall_question AS (
    terms tsquery[], pieces text[], named bigint[], dates tstzrange[], vector halfvec, model text,
    threshold double precision
);

-- One part of a score. What counts for nothing beside the rest is nought: Postgres takes a product that is too small
-- for a number for an error, and would answer no question as long as such a fact is there.
CREATE FUNCTION weighed(weight float8, part float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN abs(weight) < 1e-100 OR abs(part) < 1e-100 THEN 0 ELSE weight * part END
$$;

-- What each fact of `pool` is worth for the question, part by part; "Ranking" in docs/recall.md. `weights` as above.
CREATE FUNCTION scored_facts(r recall_reader, q recall_question, pool bigint[], weights float8[])
RETURNS TABLE (
    id bigint, norm_hash bytea, loose_hash uuid, head text, attribute text, contested_at timestamptz, similarity float8, keyword float8, named float8,
    dated float8, context float8, recency float8, importance float8, confidence float8, confirmation float8,
    authority float8, score float8
) LANGUAGE sql STABLE AS $$
    WITH part AS (
        SELECT f.id, f.norm_hash, f.loose_hash, fact_head(f) AS head, f.importance, f.confidence, f.attribute, f.contested_at,
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
    SELECT b.id, b.norm_hash, b.loose_hash, b.head, b.attribute, b.contested_at, b.similarity, b.keyword, b.named, b.dated, b.context, b.recency, b.importance, b.confidence,
           b.confirmation, b.authority,
           b.answer + weighed(b.w_named, b.named) + weighed(b.w_dated, b.dated) + weighed(b.w_context, b.context)
               + weighed(b.w_recency, b.recency) + weighed(b.w_importance, b.importance)
               + weighed(b.w_confidence, b.confidence) + weighed(b.w_confirmation, b.confirmation)
               + weighed(b.w_authority, b.authority)
    FROM beside b
$$;

-- The parts of a score as JSON, each times nothing: what it is, not what it counts.
CREATE FUNCTION score_parts(
    similarity float8, keyword float8, named float8, dated float8, context float8, recency float8, importance float8,
    confidence float8, confirmation float8, authority float8
) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'similarity', round(similarity::numeric, 4), 'keyword', round(keyword::numeric, 4), 'named', named,
        'dated', round(dated::numeric, 4), 'context', round(context::numeric, 4),
        'recency', round(recency::numeric, 4), 'importance', importance, 'confidence', confidence,
        'confirmation', round(confirmation::numeric, 4), 'authority', round(authority::numeric, 4))
$$;
