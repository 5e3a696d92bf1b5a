-- A word as tsquery reads it.
CREATE FUNCTION quoted(word text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT '''' || replace(replace(word, '\', '\\'), '''', '''''') || ''''
$$;

-- 0.5 to the power of `times`; Postgres takes a result too small for a number for an error.
CREATE FUNCTION halved(times float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT power(0.5::float8, least(times, 1000))
$$;

-- How a project ranks what it knows; a project without a row has the defaults.
CREATE FUNCTION recall_weights(the_project bigint)
RETURNS TABLE (similarity float8, keyword float8, named float8, dated float8, context float8, recency float8, importance float8,
               confidence float8, confirmation float8, authority float8, half_life_days float8, language text)
LANGUAGE sql STABLE AS $$
    SELECT coalesce(s.similarity, 0.5), coalesce(s.keyword, 0.3), coalesce(s.named, 0.08), coalesce(s.dated, 0.16),
           coalesce(s.context, 0.16),
           coalesce(s.recency, 0.05), coalesce(s.importance, 0.05), coalesce(s.confidence, 0.03),
           coalesce(s.confirmation, 0.04), coalesce(s.authority, 0.03), coalesce(s.half_life_days, 90),
           coalesce(s.language, 'english')
    FROM (SELECT) one LEFT JOIN recall_recallsettings s ON s.project_id = the_project
$$;

-- The words of a question, one tsquery each: the word as it stands, or its stem with any ending; without stop words.
-- The language says which words are stop words and how they end; any other language's words are found as they stand.
CREATE FUNCTION question_terms(question text, language text) RETURNS tsquery[]
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT array_agg(CASE
        WHEN stem IS NULL OR stem = lexeme AND length(stem) < 4 THEN quoted(lexeme)
        WHEN length(stem) >= 4 THEN quoted(lexeme) || ' | ' || quoted(stem) || ':*'
        ELSE quoted(lexeme) || ' | ' || quoted(stem) END::tsquery ORDER BY place)
    FROM (
        SELECT w.lexeme, w.positions[1] AS place, ts_lexize((language || '_stem')::regdictionary, w.lexeme) AS stems
        FROM unnest(to_tsvector('simple', question)) w ORDER BY place LIMIT 64
    ) word, LATERAL (SELECT stems[1] AS stem) one
    WHERE cardinality(stems) > 0 OR stems IS NULL
$$;

-- Whether the reader's scopes hold at most `most` current facts; counts no further.
CREATE FUNCTION few_facts(r recall_reader, most int) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    found int;
BEGIN
    -- Each part is read from its index alone.
    SELECT count(*) INTO found FROM (
        (SELECT 1 FROM facts_of_agent(r.project, r.agent, 'agent', r.agent_name) LIMIT most + 1)
        UNION ALL
        (SELECT 1 FROM facts_of_all(r.project, 'project', r.slug) LIMIT most + 1)
        UNION ALL
        (SELECT 1 FROM facts_of_all(r.project, 'user', r.subject_name) WHERE r.subject IS NOT NULL LIMIT most + 1)
        UNION ALL
        (SELECT 1 FROM facts_of_agent(r.project, r.agent, 'user', r.subject_name)
         WHERE r.subject IS NOT NULL LIMIT most + 1)
    ) found_one;
    RETURN found <= most;
END $$;

-- Whether a fact is of the reader's scopes, for paths that don't come from there; inlined.
CREATE FUNCTION fact_is_readers(f facts_fact, r recall_reader) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT f.project_id = r.project AND f.label = '' AND (
        f.scope = 'agent' AND f.agent_id = r.agent AND f.scope_id = r.agent_name
        OR f.scope = 'project' AND f.agent_id IS NULL
        OR f.scope = 'user' AND r.subject IS NOT NULL AND f.scope_id = r.subject_name
           AND (f.agent_id IS NULL OR f.agent_id = r.agent))
$$;

-- Up to so many candidates by each of meaning, words and importance. `weights[n]` is how rare the n-th term is.
CREATE FUNCTION candidates_of_few(
    r recall_reader, at_most int, deep int, terms tsquery[], pieces text[], query_vector halfvec, vector_model text,
    OUT pool bigint[], OUT weights float8[]
) LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    any_term tsquery := (SELECT string_agg('(' || t::text || ')', ' | ')::tsquery FROM unnest(terms) t);
BEGIN
    WITH own AS MATERIALIZED (
        (SELECT f.id, f.words, f.content, f.importance FROM facts_of_agent(r.project, r.agent, 'agent', r.agent_name) f
         WHERE fact_in_force(f, now()) AND fact_permitted(f, r.sensitivities, r.categories, r.memory_types, r.since))
        UNION ALL
        (SELECT f.id, f.words, f.content, f.importance FROM facts_of_all(r.project, 'project', r.slug) f
         WHERE fact_in_force(f, now()) AND fact_permitted(f, r.sensitivities, r.categories, r.memory_types, r.since))
        UNION ALL
        (SELECT f.id, f.words, f.content, f.importance FROM facts_of_all(r.project, 'user', r.subject_name) f
         WHERE r.subject IS NOT NULL AND fact_in_force(f, now()) AND fact_permitted(f, r.sensitivities, r.categories, r.memory_types, r.since))
        UNION ALL
        (SELECT f.id, f.words, f.content, f.importance FROM facts_of_agent(r.project, r.agent, 'user', r.subject_name) f
         WHERE r.subject IS NOT NULL AND fact_in_force(f, now()) AND fact_permitted(f, r.sensitivities, r.categories, r.memory_types, r.since))
    ), hit AS MATERIALIZED (
        SELECT o.id, o.words FROM own o WHERE o.words @@ any_term OR o.content ILIKE ANY (pieces)
    ), rare AS (
        -- As in BM25: a word that all facts share tells nothing apart.
        SELECT t.n, ln(1 + ((SELECT count(*) FROM own) - count(h.id) + 0.5) / (count(h.id) + 0.5)) AS weight
        FROM unnest(terms) WITH ORDINALITY t(q, n) LEFT JOIN hit h ON h.words @@ t.q GROUP BY t.n
    ), best AS (
        SELECT h.id, (SELECT sum(rare.weight) FROM unnest(terms) WITH ORDINALITY t(q, n) JOIN rare USING (n)
                      WHERE h.words @@ t.q) AS score
        FROM hit h ORDER BY score DESC NULLS LAST, h.id DESC LIMIT deep
    ), near AS (
        SELECT o.id FROM own o
        JOIN recall_factembedding e ON e.project_id = r.project AND e.fact_id = o.id AND e.model = vector_model
        WHERE vector_dims(e.vector) = vector_dims(query_vector)
        ORDER BY e.vector <=> query_vector, o.id DESC LIMIT deep
    ), weighty AS (
        SELECT o.id FROM own o ORDER BY o.importance DESC, o.id DESC LIMIT at_most
    )
    SELECT ARRAY(SELECT id FROM best UNION SELECT id FROM near UNION SELECT id FROM weighty),
           ARRAY(SELECT rare.weight FROM rare ORDER BY rare.n)
    INTO pool, weights;
END $$;

-- The same where a scan would cost too much: by the indexes of vectors, words and importance.
CREATE FUNCTION candidates_of_many(
    r recall_reader, at_most int, deep int, terms tsquery[], pieces text[], query_vector halfvec, vector_model text,
    OUT pool bigint[], OUT weights float8[]
) LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    any_term tsquery := (SELECT string_agg('(' || t::text || ')', ' | ')::tsquery FROM unnest(terms) t);
    dims int := vector_dims(query_vector);
    near bigint[] := '{}';
    hit bigint[] := '{}';
    weighty bigint[];
BEGIN
    IF query_vector IS NOT NULL THEN
        -- Planned anew each time, and told what to do: the planner takes the index where a scan is better, and a plan
        -- that was kept would not hear of these settings.
        PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '200', true),
                set_config('hnsw.max_scan_tuples', '60000', true), set_config('enable_sort', 'off', true),
                set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
                set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);
        EXECUTE format(
            'SELECT coalesce(array_agg(n.id), ''{}'') FROM (SELECT f.id FROM recall_factembedding e'
            ' JOIN facts_fact f ON f.project_id = e.project_id AND f.id = e.fact_id'
            ' WHERE e.project_id = ($1).project AND e.model = $2 AND e.dims = %1$s AND fact_is_readers(f, $1)'
            ' AND fact_in_force(f, now())'
            ' AND fact_permitted(f, ($1).sensitivities, ($1).categories, ($1).memory_types, ($1).since)'
            ' ORDER BY e.vector::halfvec(%1$s) <=> $3::halfvec(%1$s) LIMIT $4) n', dims)
        INTO near USING r, vector_model, query_vector, deep;
        PERFORM set_config(name, 'on', true) FROM unnest(ARRAY['enable_sort', 'enable_seqscan', 'enable_bitmapscan',
                'enable_hashjoin', 'enable_mergejoin']) name;
    END IF;
    IF any_term IS NOT NULL THEN
        -- A word that half the facts have is cut to a sample: it tells little.
        PERFORM set_config('gin_fuzzy_search_limit', '20000', true);
        SELECT coalesce(array_agg(h.id), '{}') INTO hit FROM (
            SELECT f.id FROM facts_fact f
            WHERE f.words @@ any_term AND fact_is_readers(f, r) AND fact_in_force(f, now())
              AND fact_permitted(f, r.sensitivities, r.categories, r.memory_types, r.since)
            ORDER BY ts_rank(f.words, any_term) DESC, f.id DESC LIMIT 5 * deep) h;
        PERFORM set_config('gin_fuzzy_search_limit', '0', true);
    END IF;
    SELECT array_agg(id) INTO weighty FROM (
            (SELECT f.id FROM facts_of_agent(r.project, r.agent, 'agent', r.agent_name) f WHERE fact_in_force(f, now())
              AND fact_permitted(f, r.sensitivities, r.categories, r.memory_types, r.since)
             ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
            UNION ALL
            (SELECT f.id FROM facts_of_all(r.project, 'project', r.slug) f WHERE fact_in_force(f, now())
              AND fact_permitted(f, r.sensitivities, r.categories, r.memory_types, r.since)
             ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
            UNION ALL
            (SELECT f.id FROM facts_of_all(r.project, 'user', r.subject_name) f WHERE r.subject IS NOT NULL AND fact_in_force(f, now())
              AND fact_permitted(f, r.sensitivities, r.categories, r.memory_types, r.since)
             ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
            UNION ALL
            (SELECT f.id FROM facts_of_agent(r.project, r.agent, 'user', r.subject_name) f WHERE r.subject IS NOT NULL AND fact_in_force(f, now())
              AND fact_permitted(f, r.sensitivities, r.categories, r.memory_types, r.since)
             ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
    ) leg;
    SELECT ARRAY(
        SELECT ln(1 + (20000 - count(f.id) + 0.5) / (count(f.id) + 0.5)) FROM unnest(terms) WITH ORDINALITY t(q, n)
        LEFT JOIN facts_fact f ON f.project_id = r.project AND f.id = ANY (hit) AND f.words @@ t.q
        GROUP BY t.n ORDER BY t.n)
    INTO weights;
    pool := ARRAY(SELECT unnest(near) UNION SELECT unnest(hit) UNION SELECT unnest(weighty));
END $$;

-- With a question: the best of what is near in meaning, shares its words, or matters.
CREATE FUNCTION told_ranked(
    r recall_reader, at_most int, terms tsquery[], pieces text[], named bigint[], dates tstzrange[], query_vector halfvec,
    vector_model text, threshold double precision, with_parts boolean
) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    few CONSTANT int := 5000;
    deep CONSTANT int := greatest(200, 2 * at_most);
    w record;
    found record;
    every_weight float8;
    facts json;
    parts json;
    ids bigint[];
    scores float8[];
BEGIN
    SELECT * INTO w FROM recall_weights(r.project);
    IF few_facts(r, few) THEN
        SELECT * INTO found FROM candidates_of_few(r, at_most, deep, terms, pieces, query_vector, vector_model);
    ELSE
        SELECT * INTO found FROM candidates_of_many(r, at_most, deep, terms, pieces, query_vector, vector_model);
    END IF;
    every_weight := (SELECT sum(weight) FROM unnest(found.weights) weight);
    WITH part AS (
        SELECT f.id, f.norm_hash, f.importance, f.content, f.category, f.confidence, f.scope, f.scope_id, f.source,
               f.approved_at, f.attribute, f.contested_at, f.source_trace_id,
               (f.subject_id = ANY (named))::int AS named,
               -- Half for each week beside the days that are named.
               coalesce((SELECT max(halved(greatest(
                   extract(epoch FROM lower(d) - f.observed_at), extract(epoch FROM f.observed_at - upper(d)), 0
               )::float8 / 86400 / 7)) FROM unnest(dates) d), 0) AS dated,
               CASE WHEN vector_dims(e.vector) = vector_dims(query_vector)
                    THEN 1 - (e.vector <=> query_vector) END AS similarity,
               greatest(
                   coalesce((SELECT sum(found.weights[t.n]) FROM unnest(terms) WITH ORDINALITY t(q, n)
                             WHERE f.words @@ t.q) / nullif(every_weight, 0), 0),
                   coalesce((SELECT count(*) FROM unnest(pieces) piece WHERE f.content ILIKE piece)::float8
                            / nullif(cardinality(pieces), 0), 0)) AS keyword,
               halved(greatest(extract(epoch FROM now() - f.observed_at), 0)::float8 / 86400 / w.half_life_days) AS recency,
               (CASE WHEN f.approved_by LIKE 'user:%' THEN 0.5 ELSE 0 END)
                   + 0.5 * (1 - halved(f.corroborations)) AS confirmation,
               f.trust / 5.0 AS authority
        FROM facts_fact f
        LEFT JOIN recall_factembedding e ON e.project_id = r.project AND e.fact_id = f.id AND e.model = vector_model
        WHERE f.project_id = r.project AND f.id = ANY (found.pool)
    ), answering AS (
        SELECT p.*, w.similarity * greatest(coalesce(p.similarity, 0), 0) + w.keyword * p.keyword AS answer
        FROM part p
    ), beside AS (
        -- What was said in the same conversation as a good answer is often the rest of it.
        SELECT a.*, CASE WHEN a.source_trace_id IS NOT NULL THEN coalesce(max(a.answer) OVER (
                   PARTITION BY a.source_trace_id
                   ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW), 0) ELSE 0 END
                   / nullif(w.similarity + w.keyword, 0) AS context
        FROM answering a
    ), scored AS (
        SELECT b.*,
               b.answer + w.named * coalesce(b.named, 0) + w.dated * b.dated
               + w.context * coalesce(b.context, 0) + w.recency * b.recency
               + w.importance * b.importance + w.confidence * b.confidence + w.confirmation * b.confirmation
               + w.authority * b.authority AS score
        FROM beside b
        -- Nothing to compare with: then a threshold can't be asked for.
        WHERE threshold <= 0 OR query_vector IS NULL OR b.similarity >= threshold
    ), same_words AS (
        SELECT DISTINCT ON (s.norm_hash) s.* FROM scored s ORDER BY s.norm_hash, s.score DESC, s.id DESC
    ), once AS (
        SELECT DISTINCT ON (words_alone(s.content)) s.* FROM same_words s
        ORDER BY words_alone(s.content), s.score DESC, s.id DESC
    ), told AS (
        SELECT o.*, row_number() OVER (ORDER BY o.score DESC, o.id DESC) AS rank FROM once o
        ORDER BY rank LIMIT at_most
    )
    SELECT coalesce(json_agg(fact_as_told(
               t.id, t.content, t.category, t.importance, t.confidence, t.scope, t.scope_id, t.source, t.approved_at,
               t.attribute, t.contested_at, round(t.score::numeric, 4)::float8) ORDER BY t.rank), '[]'::json),
           json_object_agg(t.id, json_build_object(
               'similarity', round(t.similarity::numeric, 4), 'keyword', round(t.keyword::numeric, 4),
               'named', coalesce(t.named, 0), 'dated', round(t.dated::numeric, 4),
               'context', round(coalesce(t.context, 0)::numeric, 4),
               'recency', round(t.recency::numeric, 4), 'importance', t.importance, 'confidence', t.confidence,
               'confirmation', round(t.confirmation::numeric, 4), 'authority', round(t.authority, 4)))
               FILTER (WHERE with_parts),
           coalesce(array_agg(t.id ORDER BY t.rank), '{}'),
           coalesce(array_agg(t.score ORDER BY t.rank), '{}')
    INTO facts, parts, ids, scores FROM told t;
    PERFORM record_read(r, ids, scores);
    RETURN CASE WHEN with_parts THEN json_build_object('facts', facts, 'parts', coalesce(parts, '{}'::json))
                ELSE json_build_object('facts', facts) END::text;
END $$;
