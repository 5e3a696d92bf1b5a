-- Whether vectors of this length have a finished index; `manage.py embeddings --index` makes it. HNSW takes halfvecs of
-- up to 4,000 numbers.
CREATE FUNCTION has_vector_index(dims int) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(format('public.recall_embedding_%s_idx', dims))
                   AND indisvalid)
$$;

-- The nearest of what the reader may be told, by comparing all of it: permission first, then the vectors.
CREATE FUNCTION nearest_by_scan(r recall_reader, deep int, query_vector halfvec, vector_model text) RETURNS bigint[]
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    near bigint[];
BEGIN
    WITH own AS MATERIALIZED (
        SELECT f.id FROM facts_told(r, NULL) f
    )
    SELECT coalesce(array_agg(n.id), '{}') INTO near FROM (
        SELECT o.id FROM own o
        JOIN recall_factembedding e ON e.project_id = r.project AND e.fact_id = o.id AND e.model = vector_model
        WHERE e.dims = vector_dims(query_vector)
        ORDER BY e.vector <=> query_vector, o.id DESC LIMIT deep) n;
    RETURN near;
END $$;

-- The same for a reader of many facts: by the index, and by a scan where there is none, where that costs less, or where
-- the index came back short.
CREATE FUNCTION nearest_of_many(r recall_reader, deep int, query_vector halfvec, vector_model text) RETURNS bigint[]
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    few CONSTANT int := 5000; -- so many never come here
    most_scanned CONSTANT int := 250000;
    dims CONSTANT int := vector_dims(query_vector);
    indexed CONSTANT float8 := greatest(0, coalesce(
        (SELECT reltuples FROM pg_class WHERE oid = to_regclass(format('public.recall_embedding_%s_idx', dims))), 0));
    -- Comparing F facts costs F. The index meets everybody's: to find `deep` of this reader it looks at deep * all / F,
    -- each some four times as dear, after a beginning that is worth two thousand. They are even about here.
    even CONSTANT int := least(2000 + sqrt(4 * deep * indexed), most_scanned);
    permitted bigint[];
    near bigint[];
BEGIN
    IF NOT has_vector_index(dims) OR (even > few AND few_facts(r, even)) THEN
        RETURN nearest_by_scan(r, deep, query_vector, vector_model);
    END IF;
    IF (r.categories IS NOT NULL OR r.memory_types IS NOT NULL OR r.since IS NOT NULL) AND few_facts(r, most_scanned) THEN
        permitted := ARRAY(SELECT f.id FROM facts_told(r, NULL) f LIMIT few + 1);
        IF cardinality(permitted) <= few THEN
            -- Of much that is near he may be told little.
            RETURN ARRAY(SELECT e.fact_id FROM recall_factembedding e
                         WHERE e.project_id = r.project AND e.fact_id = ANY (permitted) AND e.model = vector_model
                           AND e.dims = vector_dims(query_vector)
                         ORDER BY e.vector <=> query_vector, e.fact_id DESC LIMIT deep);
        END IF;
    END IF;
    -- Planned anew each time, and told what to do: the planner takes the index where a scan is better, and a plan
    -- that was kept would not hear of these settings.
    PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '200', true),
            set_config('hnsw.max_scan_tuples', '20000', true), set_config('enable_sort', 'off', true),
            set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
            set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);
    EXECUTE format(
        'SELECT coalesce(array_agg(n.id), ''{}'') FROM (SELECT f.id FROM recall_factembedding e'
        ' JOIN facts_fact f ON f.project_id = e.project_id AND f.id = e.fact_id'
        ' WHERE e.project_id = ($1).project AND e.model = $2 AND e.dims = %1$s AND fact_is_readers(f, $1)'
        ' AND fact_in_force(f, ($1).at) AND fact_permitted(f, $1)'
        ' ORDER BY e.vector::halfvec(%1$s) <=> $3::halfvec(%1$s) LIMIT $4) n', dims)
    INTO near USING r, vector_model, query_vector, deep;
    PERFORM set_config(name, 'on', true) FROM unnest(ARRAY['enable_sort', 'enable_seqscan', 'enable_bitmapscan',
            'enable_hashjoin', 'enable_mergejoin']) name;
    -- It gave up before it had enough: what he may be told is a small part of what is near.
    IF cardinality(near) < deep AND few_facts(r, most_scanned) THEN
        near := nearest_by_scan(r, deep, query_vector, vector_model);
    END IF;
    RETURN near;
END $$;
