-- What an agent is told, as JSON, with the ledger row in the same statement. Null means there is no such agent here.
-- Runs with the caller's rights under row-level security; binds the project for its own transaction only.
CREATE FUNCTION memory_facts(
    the_project bigint,
    the_key bigint,
    the_agent text,           -- id or unique name
    the_user text,            -- null: no user's facts
    the_query text,           -- null or blank: by importance alone
    the_query_hash bytea,
    at_most int,
    the_category text,        -- null: any
    agents uuid[],            -- what the key may name; null allows all, empty none
    categories text[],        -- what the key may be told; null allows all, empty none
    sensitivities text[],
    the_purpose text
) RETURNS text
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    agent_row_id uuid;
    agent_row_name text;
    project_slug text;
    subject_row_id bigint;
    subject_row_name text;
    wanted tsquery;
    answer text;
BEGIN
    PERFORM set_config('app.project_id', the_project::text, true);
    -- A crash may lose the last moments' ledger rows, never a fact; waiting for the disk would double the read.
    PERFORM set_config('synchronous_commit', 'off', true);

    SELECT a.id, a.name INTO agent_row_id, agent_row_name FROM tenancy_agent a
    WHERE a.project_id = the_project AND a.name = the_agent;
    IF agent_row_id IS NULL AND the_agent ~* '^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$' THEN
        SELECT a.id, a.name INTO agent_row_id, agent_row_name FROM tenancy_agent a
        WHERE a.project_id = the_project AND a.id = the_agent::uuid;
    END IF;
    IF agent_row_id IS NULL OR NOT (agents IS NULL OR agent_row_id = ANY (agents)) THEN
        RETURN NULL;
    END IF;
    SELECT p.slug INTO project_slug FROM tenancy_project p WHERE p.id = the_project;

    IF the_user IS NOT NULL THEN
        SELECT s.id, s.external_id INTO subject_row_id, subject_row_name FROM tenancy_subject s
        WHERE s.project_id = the_project AND s.suppressed_at IS NULL AND s.kind = 'user'
          AND (s.external_id = the_user OR s.id = (
              SELECT l.subject_id FROM tenancy_subjectalias l
              WHERE l.project_id = the_project AND l.external_id = the_user))
        ORDER BY s.external_id = the_user DESC LIMIT 1;
    END IF;

    -- Any of the question's words; `english` only says which of them are stop words.
    SELECT string_agg(quote_literal(w.lexeme), ' | ')::tsquery INTO wanted
    FROM (SELECT lexeme FROM unnest(to_tsvector('simple', left(coalesce(the_query, ''), 8000))) LIMIT 200) w
    WHERE numnode(plainto_tsquery('english', w.lexeme)) > 0;

    WITH flat AS (
        (SELECT f.id, f.norm_hash, f.importance, f.content, f.category, f.confidence, f.scope, f.scope_id, f.source, f.approved_at
         FROM facts_fact f
         WHERE f.project_id = the_project AND f.agent_id = agent_row_id AND f.scope = 'agent'
           AND f.scope_id = agent_row_name AND f.label = '' AND f.agent_id IS NOT NULL
           AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL
           AND (f.expires_at IS NULL OR f.expires_at > now())
           AND (f.valid_from IS NULL OR f.valid_from <= now()) AND (f.valid_to IS NULL OR f.valid_to > now())
           AND f.sensitivity = ANY (sensitivities) AND (categories IS NULL OR f.category = ANY (categories))
           AND (the_category IS NULL OR f.category = the_category)
         ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
        UNION ALL
        (SELECT f.id, f.norm_hash, f.importance, f.content, f.category, f.confidence, f.scope, f.scope_id, f.source, f.approved_at
         FROM facts_fact f
         WHERE f.project_id = the_project AND f.agent_id IS NULL AND f.scope = 'project'
           AND f.scope_id = project_slug AND f.label = ''
           AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL
           AND (f.expires_at IS NULL OR f.expires_at > now())
           AND (f.valid_from IS NULL OR f.valid_from <= now()) AND (f.valid_to IS NULL OR f.valid_to > now())
           AND f.sensitivity = ANY (sensitivities) AND (categories IS NULL OR f.category = ANY (categories))
           AND (the_category IS NULL OR f.category = the_category)
         ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
        UNION ALL
        (SELECT f.id, f.norm_hash, f.importance, f.content, f.category, f.confidence, f.scope, f.scope_id, f.source, f.approved_at
         FROM facts_fact f
         WHERE subject_row_id IS NOT NULL
           AND f.project_id = the_project AND f.agent_id IS NULL AND f.scope = 'user'
           AND f.scope_id = subject_row_name AND f.label = ''
           AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL
           AND (f.expires_at IS NULL OR f.expires_at > now())
           AND (f.valid_from IS NULL OR f.valid_from <= now()) AND (f.valid_to IS NULL OR f.valid_to > now())
           AND f.sensitivity = ANY (sensitivities) AND (categories IS NULL OR f.category = ANY (categories))
           AND (the_category IS NULL OR f.category = the_category)
         ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
        UNION ALL
        (SELECT f.id, f.norm_hash, f.importance, f.content, f.category, f.confidence, f.scope, f.scope_id, f.source, f.approved_at
         FROM facts_fact f
         WHERE subject_row_id IS NOT NULL
           AND f.project_id = the_project AND f.agent_id = agent_row_id AND f.scope = 'user'
           AND f.scope_id = subject_row_name AND f.label = '' AND f.agent_id IS NOT NULL
           AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL
           AND (f.expires_at IS NULL OR f.expires_at > now())
           AND (f.valid_from IS NULL OR f.valid_from <= now()) AND (f.valid_to IS NULL OR f.valid_to > now())
           AND f.sensitivity = ANY (sensitivities) AND (categories IS NULL OR f.category = ANY (categories))
           AND (the_category IS NULL OR f.category = the_category)
         ORDER BY f.importance DESC, f.id DESC LIMIT at_most)
    ), matching AS (
        SELECT f.id, f.norm_hash, f.importance, f.content, f.category, f.confidence, f.scope, f.scope_id, f.source, f.approved_at,
               (SELECT count(*) FROM unnest(tsvector_to_array(f.words)) word
                     WHERE word = ANY (tsvector_to_array(to_tsvector('simple', the_query)))) AS hits
        FROM facts_fact f
        WHERE wanted IS NOT NULL AND f.words @@ wanted
          AND f.project_id = the_project AND f.label = ''
          AND (f.scope = 'agent' AND f.agent_id = agent_row_id
               OR f.scope = 'project' AND f.agent_id IS NULL
               OR f.scope = 'user' AND f.subject_id = subject_row_id
                  AND (f.agent_id IS NULL OR f.agent_id = agent_row_id))
          AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL
          AND (f.expires_at IS NULL OR f.expires_at > now())
          AND (f.valid_from IS NULL OR f.valid_from <= now()) AND (f.valid_to IS NULL OR f.valid_to > now())
          AND f.sensitivity = ANY (sensitivities) AND (categories IS NULL OR f.category = ANY (categories))
          AND (the_category IS NULL OR f.category = the_category)
        ORDER BY hits DESC, f.importance DESC, f.id DESC LIMIT at_most
    ), candidates AS (
        SELECT m.* FROM matching m
        UNION ALL
        SELECT f.*, 0 FROM flat f
    ), once AS (
        -- The same words in two scopes are told once, at their best place.
        SELECT DISTINCT ON (c.norm_hash) c.* FROM candidates c
        ORDER BY c.norm_hash, c.hits DESC, c.importance DESC, c.id DESC
    ), told AS (
        SELECT o.*, row_number() OVER (ORDER BY o.hits DESC, o.importance DESC, o.id DESC) AS rank
        FROM once o ORDER BY rank LIMIT at_most
    ), ledger AS (
        INSERT INTO recall_readledger
            (project_id, key_id, agent_id, subject_id, purpose, query_hash, fact_ids, ranks, scores)
        SELECT the_project, the_key, agent_row_id, subject_row_id, coalesce(the_purpose, ''), the_query_hash,
               coalesce(array_agg(t.id ORDER BY t.rank), '{}'), coalesce(array_agg(t.rank::int ORDER BY t.rank), '{}'),
               coalesce(array_agg(NULL::double precision), '{}')
        FROM told t
    )
    SELECT json_build_object('facts', coalesce(json_agg(json_build_object(
        'content', t.content, 'id', t.id, 'category', t.category, 'importance', t.importance,
        'confidence', t.confidence, 'scope', t.scope, 'scope_id', t.scope_id, 'source', t.source,
        'approved_at', to_char(t.approved_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'score', NULL) ORDER BY t.rank), '[]'::json))::text
    INTO answer FROM told t;
    RETURN answer;
END $$;
