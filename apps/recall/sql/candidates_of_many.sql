-- The same where a scan would cost too much: by the indexes of vectors, words and importance.
CREATE OR REPLACE FUNCTION candidates_of_many(
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
    SELECT array_agg(f.id) INTO weighty FROM facts_told(r, at_most) f;
    SELECT ARRAY(
        SELECT ln(1 + (20000 - count(f.id) + 0.5) / (count(f.id) + 0.5)) FROM unnest(terms) WITH ORDINALITY t(q, n)
        LEFT JOIN facts_fact f ON f.project_id = r.project AND f.id = ANY (hit) AND f.words @@ t.q
        GROUP BY t.n ORDER BY t.n)
    INTO weights;
    pool := ARRAY(SELECT unnest(near) UNION SELECT unnest(hit) UNION SELECT unnest(weighty));
END $$;
