-- What the reader may be told: at most so many of each of his scopes, the most important first, each along its index;
-- null means all. Of an earlier moment it is all of them, in no order: no index knows what held then. What has been held
-- since is a key's no more.
CREATE OR REPLACE FUNCTION facts_told(r recall_reader, at_most int) RETURNS SETOF facts_fact LANGUAGE sql STABLE AS $$
    (SELECT f.* FROM facts_of_agent(r.project, r.agent, 'agent', r.agent_name) f
     WHERE NOT r.past AND fact_in_force(f, r.at) AND fact_permitted(f, r)
     ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
    UNION ALL
    (SELECT f.* FROM facts_of_all(r.project, 'project', r.slug) f
     WHERE NOT r.past AND fact_in_force(f, r.at) AND fact_permitted(f, r)
     ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
    UNION ALL
    (SELECT f.* FROM facts_of_all(r.project, 'user', r.subject_name) f
     WHERE NOT r.past AND r.subject IS NOT NULL AND fact_in_force(f, r.at) AND fact_permitted(f, r)
     ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
    UNION ALL
    (SELECT f.* FROM facts_of_agent(r.project, r.agent, 'user', r.subject_name) f
     WHERE NOT r.past AND r.subject IS NOT NULL AND fact_in_force(f, r.at) AND fact_permitted(f, r)
     ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
    UNION ALL
    SELECT f.* FROM facts_fact f
    WHERE r.past AND fact_is_readers(f, r) AND fact_was_in_force(f, r.at) AND fact_permitted(f, r)
      AND (r.key IS NULL OR f.restricted_at IS NULL)
$$;

-- Why a fact is not told to the reader; null where it may be.
CREATE OR REPLACE FUNCTION left_out_because(f facts_fact, r recall_reader) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN NOT fact_is_readers(f, r) THEN 'other-scope'
        WHEN r.past AND f.approved_at > r.at THEN 'not-yet-valid'
        WHEN f.superseded_at <= r.at OR NOT r.past AND f.superseded_at IS NOT NULL THEN 'superseded'
        WHEN f.retired_at <= r.at OR NOT r.past AND f.retired_at IS NOT NULL THEN 'retired'
        WHEN f.restricted_at <= r.at OR f.restricted_at IS NOT NULL AND (NOT r.past OR r.key IS NOT NULL) THEN 'held'
        WHEN f.expires_at <= r.at THEN 'expired'
        WHEN f.valid_to <= r.at THEN 'ended'
        WHEN f.valid_from > r.at THEN 'not-yet-valid'
        WHEN NOT f.sensitivity = ANY (r.sensitivities) THEN 'sensitivity'
        WHEN NOT f.category = ANY (r.categories) THEN 'category'
        WHEN NOT f.memory_type = ANY (r.memory_types) THEN 'memory-type'
        WHEN coalesce(f.last_seen_at, f.observed_at) < r.since THEN 'too-old'
        WHEN f.purposes IS NOT NULL AND (r.purpose = ANY (f.purposes)) IS NOT TRUE THEN 'purpose'
        WHEN f.task_types IS NOT NULL AND (r.task_type = ANY (f.task_types)) IS NOT TRUE THEN 'task-type'
    END
$$;

-- A fact whose words a key is not to find out by asking: held, not yet valid, or kept for other purposes and tasks. How near
-- it is to a question would tell them, question by question.
CREATE FUNCTION fact_is_veiled(f facts_fact, r recall_reader) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT f.restricted_at IS NOT NULL OR coalesce(f.valid_from > r.at, false)
        OR NOT coalesce(f.purposes IS NULL OR r.purpose = ANY (f.purposes), false)
        OR NOT coalesce(f.task_types IS NULL OR r.task_type = ANY (f.task_types), false)
$$;

-- As in left_out.sql. What is veiled from a key stands behind the rest, the newest first, without score and parts: that
-- it is named, and where, depends on no question.
CREATE OR REPLACE FUNCTION facts_left_out(r recall_reader, q recall_question, visible text[], wide boolean) RETURNS json
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    shown CONSTANT int := 50;
    few CONSTANT int := 5000;
    any_term tsquery := (SELECT string_agg('(' || t::text || ')', ' | ')::tsquery FROM unnest(q.terms) t);
    asked CONSTANT boolean := q.vector IS NOT NULL OR any_term IS NOT NULL OR cardinality(q.pieces) > 0;
    own bigint[];
    pool bigint[];
    answer json;
BEGIN
    -- The newest of every version in the reader's scopes, each scope along its index.
    own := ARRAY(
        (SELECT f.id FROM facts_fact f WHERE f.project_id = r.project AND f.scope = 'agent' AND f.scope_id = r.agent_name
         ORDER BY f.id DESC LIMIT few)
        UNION ALL
        (SELECT f.id FROM facts_fact f WHERE f.project_id = r.project AND f.scope = 'project' AND f.scope_id = r.slug
         ORDER BY f.id DESC LIMIT few)
        UNION ALL
        (SELECT f.id FROM facts_fact f WHERE f.project_id = r.project AND f.scope = 'user' AND f.scope_id = r.subject_name
         ORDER BY f.id DESC LIMIT few));
    -- Of a word that very many facts have, a sample will do.
    PERFORM set_config('gin_fuzzy_search_limit', '20000', true);
    SELECT array_agg(c.id) INTO pool FROM (
        (SELECT f.id FROM facts_fact f LEFT JOIN recall_factembedding e
            ON e.project_id = r.project AND e.fact_id = f.id AND e.model = q.model
         WHERE f.project_id = r.project AND f.id = ANY (own) AND f.label = '' AND left_out_because(f, r) IS NOT NULL
           AND (wide OR NOT fact_is_veiled(f, r))
         ORDER BY CASE WHEN asked THEN coalesce((f.words @@ any_term)::int, 0)
                      + CASE WHEN vector_dims(e.vector) = vector_dims(q.vector) THEN 1 - (e.vector <=> q.vector) ELSE 0 END
                  END DESC NULLS LAST, f.id DESC LIMIT 4 * shown)
        UNION
        (SELECT f.id FROM facts_fact f
         WHERE f.project_id = r.project AND f.words @@ any_term AND f.label = ''
           AND (wide OR fact_is_readers(f, r)) AND (fact_is_readers(f, r) OR fact_in_force(f, r.at))
           AND left_out_because(f, r) IS NOT NULL AND (wide OR NOT fact_is_veiled(f, r))
         ORDER BY ts_rank(f.words, any_term) DESC, f.id DESC LIMIT 4 * shown)) c;
    PERFORM set_config('gin_fuzzy_search_limit', '0', true);
    WITH candidate AS (
        SELECT s.id, CASE WHEN asked THEN s.score ELSE 0 END AS score, false AS veiled,
               score_parts(s.similarity, s.keyword, s.named, s.dated, s.context, s.recency, s.importance, s.confidence,
                           s.confirmation, s.authority) AS parts
        FROM scored_facts(r, q, pool, ARRAY(SELECT 1.0::float8 FROM unnest(q.terms))) s
        UNION ALL
        (SELECT f.id, NULL, true, NULL FROM facts_fact f
         WHERE NOT wide AND f.project_id = r.project AND f.id = ANY (own) AND f.label = '' AND fact_is_veiled(f, r)
           AND left_out_because(f, r) IS NOT NULL AND fact_is_known(f, r, visible)
         ORDER BY f.id DESC LIMIT shown)
    )
    SELECT coalesce(json_agg(json_build_object(
               'id', best.id, 'reason', best.reason, 'successor', best.successor,
               'score', CASE WHEN asked THEN round(best.score::numeric, 4) END,
               'parts', best.parts) ORDER BY best.veiled, best.score DESC, best.id DESC), '[]'::json)
    INTO answer
    FROM (
        SELECT f.id, left_out_because(f, r) AS reason, c.veiled, c.score, c.parts,
               CASE WHEN wide OR fact_is_known(n, r, visible) THEN f.superseded_by_id END AS successor
        FROM candidate c
        JOIN facts_fact f ON f.project_id = r.project AND f.id = c.id
        LEFT JOIN facts_fact n ON n.project_id = r.project AND n.id = f.superseded_by_id
        WHERE wide AND f.sensitivity = ANY (visible) OR fact_is_known(f, r, visible)
        ORDER BY c.veiled, c.score DESC, f.id DESC LIMIT shown
    ) best;
    RETURN answer;
END $$;
