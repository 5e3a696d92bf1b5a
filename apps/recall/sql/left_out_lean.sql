-- Of one scope of the reader's, what is not told or may not be, newest first, as the index of the place says it: no row is
-- read. Of an earlier moment, or where age counts, that is all of it.
CREATE FUNCTION facts_maybe_left_out(r recall_reader, of_scope text, of_scope_id text) RETURNS SETOF bigint
LANGUAGE sql STABLE AS $$
    (SELECT n.id FROM (
         SELECT f.id, f.superseded_at, f.retired_at, f.restricted_at, f.expires_at, f.valid_from, f.valid_to, f.sensitivity,
                f.category, f.memory_type
         FROM facts_fact f WHERE f.project_id = r.project AND f.scope = of_scope AND f.scope_id = of_scope_id
         ORDER BY f.id DESC LIMIT CASE WHEN r.past OR r.since IS NOT NULL THEN 1000 ELSE 5000 END) n
     WHERE r.past OR r.since IS NOT NULL OR n.superseded_at IS NOT NULL OR n.retired_at IS NOT NULL
        OR NOT marks_allow(n.restricted_at, n.expires_at, n.valid_from, n.valid_to, r.at)
        OR NOT grants_allow(n.sensitivity, n.category, n.memory_type, r)
     ORDER BY n.id DESC LIMIT 1000)
    UNION
    -- What is kept for some reads stands in an index of its own.
    (SELECT f.id FROM facts_fact f
     WHERE f.project_id = r.project AND f.scope = of_scope AND f.scope_id = of_scope_id
       AND (f.purposes IS NOT NULL OR f.task_types IS NOT NULL OR f.scope = 'user' AND f.agent_id IS NOT NULL)
     ORDER BY f.id DESC LIMIT 200)
$$;

-- What may be named: to a person what he may see, to a key what is within its grants.
CREATE FUNCTION left_out_is_known(f facts_fact, r recall_reader, visible text[], wide boolean) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT wide AND f.sensitivity = ANY (visible) OR fact_is_known(f, r, visible)
$$;

-- The same by words, of the reader's scopes or, to a person, of the whole project: by the index, best first. Of the owner,
-- because under row-level security Postgres gives the index of words to nobody else; so it asks for the bound project itself.
-- Of very many that say it, the oldest 1,000 are looked at: the newest of his scopes are looked at anyhow.
CREATE FUNCTION facts_left_out_saying(r recall_reader, any_term tsquery, visible text[], wide boolean, most int) RETURNS bigint[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
DECLARE
    bound CONSTANT bigint := nullif(current_setting('app.project_id', true), '')::bigint;
    keys CONSTANT bigint[] := CASE WHEN wide THEN ARRAY[bound] ELSE
        (fact_keys(bound, 'agent', r.agent_name))[2:] || (fact_keys(bound, 'project', r.slug))[2:]
        || coalesce((fact_keys(bound, 'user', r.subject_name))[2:], '{}') END;
BEGIN
    RETURN ARRAY(
        SELECT (s.f).id FROM (
            SELECT f FROM facts_fact f
            WHERE fact_keys(f.project_id, f.scope, f.scope_id) && keys AND f.words @@ any_term LIMIT 1000) s
        WHERE (s.f).project_id = bound AND (s.f).label = ''
          AND (wide OR fact_is_readers(s.f, r)) AND (fact_is_readers(s.f, r) OR fact_in_force(s.f, r.at))
          AND left_out_because(s.f, r) IS NOT NULL AND (wide OR NOT fact_is_veiled(s.f, r))
          AND left_out_is_known(s.f, r, visible, wide)
        ORDER BY ts_rank((s.f).words, any_term) DESC, (s.f).id DESC LIMIT most);
END $$;

-- As in left_out_veiled.sql, at a price that does not grow: of each scope the newest of what is left out are looked at, each
-- row once. Where nothing is asked, no more than are shown, and nothing is scored.
CREATE OR REPLACE FUNCTION facts_left_out(r recall_reader, q recall_question, visible text[], wide boolean) RETURNS json
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    shown CONSTANT int := 50;
    any_term CONSTANT tsquery := (SELECT string_agg('(' || t::text || ')', ' | ')::tsquery FROM unnest(q.terms) t);
    asked CONSTANT boolean := q.vector IS NOT NULL OR any_term IS NOT NULL OR cardinality(q.pieces) > 0;
    own CONSTANT bigint[] := ARRAY(
        SELECT m.id FROM (
            SELECT facts_maybe_left_out(r, 'agent', r.agent_name) AS id
            UNION SELECT facts_maybe_left_out(r, 'project', r.slug)
            UNION SELECT facts_maybe_left_out(r, 'user', r.subject_name)) m
        ORDER BY m.id DESC);
    one bigint;
    hidden boolean;
    reason text;
    successor bigint;
    pool bigint[] := '{}';
    veiled bigint[] := '{}';
    -- Of those that were looked at one by one.
    seen bigint[] := '{}';
    reasons text[] := '{}';
    successors bigint[] := '{}';
    answer json;
BEGIN
    IF asked THEN
        pool := ARRAY(
            (SELECT f.id FROM facts_fact f LEFT JOIN recall_factembedding e
                ON e.project_id = r.project AND e.fact_id = f.id AND e.model = q.model AND q.vector IS NOT NULL
             WHERE f.project_id = r.project AND f.id = ANY (own) AND f.label = '' AND left_out_because(f, r) IS NOT NULL
               AND (wide OR NOT fact_is_veiled(f, r)) AND left_out_is_known(f, r, visible, wide)
             ORDER BY coalesce((f.words @@ any_term)::int, 0)
                      + CASE WHEN vector_dims(e.vector) = vector_dims(q.vector) THEN 1 - (e.vector <=> q.vector) ELSE 0 END
                      DESC NULLS LAST, f.id DESC LIMIT 4 * shown)
            UNION
            SELECT unnest(CASE WHEN any_term IS NOT NULL THEN facts_left_out_saying(r, any_term, visible, wide, 4 * shown) END));
    END IF;
    IF NOT (asked AND wide) THEN
        -- What is veiled from a key stands behind the rest, the newest first, without score and parts: that it is named, and
        -- where, depends on no question.
        FOREACH one IN ARRAY own LOOP
            EXIT WHEN (asked OR cardinality(pool) = shown) AND (wide OR cardinality(veiled) = shown);
            SELECT NOT wide AND fact_is_veiled(f, r), left_out_because(f, r), f.superseded_by_id INTO hidden, reason, successor
            FROM facts_fact f
            WHERE f.project_id = r.project AND f.id = one AND f.label = '' AND left_out_because(f, r) IS NOT NULL
              AND left_out_is_known(f, r, visible, wide);
            IF hidden AND cardinality(veiled) < shown THEN
                veiled := veiled || one;
            ELSIF NOT hidden AND NOT asked AND cardinality(pool) < shown THEN
                pool := pool || one;
            ELSE
                CONTINUE;
            END IF;
            seen := seen || one;
            reasons := reasons || reason;
            successors := successors || successor;
        END LOOP;
    END IF;
    WITH candidate AS (
        SELECT s.id, s.score, false AS veiled,
               score_parts(s.similarity, s.keyword, s.named, s.dated, s.context, s.recency, s.importance, s.confidence,
                           s.confirmation, s.authority) AS parts
        FROM scored_facts(r, q, pool, ARRAY(SELECT 1.0::float8 FROM unnest(q.terms))) s WHERE asked
        UNION ALL
        SELECT p, 0, false, NULL FROM unnest(pool) p WHERE NOT asked
        UNION ALL
        SELECT v, NULL, true, NULL FROM unnest(veiled) v
    ), best AS MATERIALIZED (
        SELECT c.* FROM candidate c ORDER BY c.veiled, c.score DESC, c.id DESC LIMIT shown
    )
    SELECT coalesce(json_agg(json_build_object(
               'id', b.id, 'reason', w.reason,
               'successor', CASE WHEN wide OR (
                   SELECT fact_is_known(n, r, visible) FROM facts_fact n
                   WHERE n.project_id = r.project AND n.id = w.successor) THEN w.successor END,
               'score', CASE WHEN asked THEN round(b.score::numeric, 4) END,
               'parts', b.parts) ORDER BY b.veiled, b.score DESC, b.id DESC), '[]'::json)
    INTO answer
    FROM best b CROSS JOIN LATERAL (
        SELECT k.reason, k.successor FROM unnest(seen, reasons, successors) k(id, reason, successor) WHERE k.id = b.id
        UNION ALL
        SELECT left_out_because(f, r), f.superseded_by_id FROM facts_fact f
        WHERE asked AND NOT b.veiled AND f.project_id = r.project AND f.id = b.id) w;
    RETURN answer;
END $$;
