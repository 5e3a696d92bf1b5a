-- What the reader may be told that has any of these words, best first, by the index. Of the owner, because under row-level
-- security Postgres gives the index of words to nobody else, and would read all that the reader has; so it asks for the bound
-- project itself. A word that half the facts have is cut to a sample: it tells little.
CREATE FUNCTION facts_told_saying(r recall_reader, any_term tsquery, most int) RETURNS bigint[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET gin_fuzzy_search_limit = 20000 AS $$
DECLARE
    bound CONSTANT bigint := nullif(current_setting('app.project_id', true), '')::bigint;
    places CONSTANT bigint[] := (fact_keys(bound, 'agent', r.agent_name))[2:] || (fact_keys(bound, 'project', r.slug))[2:]
        || coalesce((fact_keys(bound, 'user', r.subject_name))[2:], '{}');
BEGIN
    RETURN ARRAY(
        SELECT f.id FROM facts_fact f
        WHERE fact_keys(f.project_id, f.scope, f.scope_id) && places AND f.words @@ any_term
          AND f.project_id = bound AND fact_is_readers(f, r) AND fact_in_force(f, r.at) AND fact_permitted(f, r)
        ORDER BY ts_rank(f.words, any_term) DESC, f.id DESC LIMIT most);
END $$;

-- As in ranking.sql, the words by their index.
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
        hit := facts_told_saying(r, any_term, 5 * deep);
    END IF;
    weighty := weightiest(r, at_most);
    SELECT ARRAY(
        SELECT ln(1 + (20000 - count(f.id) + 0.5) / (count(f.id) + 0.5)) FROM unnest(terms) WITH ORDINALITY t(q, n)
        LEFT JOIN facts_fact f ON f.project_id = r.project AND f.id = ANY (hit) AND f.words @@ t.q
        GROUP BY t.n ORDER BY t.n)
    INTO weights;
    pool := ARRAY(SELECT unnest(near) UNION SELECT unnest(hit) UNION SELECT unnest(weighty));
END $$;

