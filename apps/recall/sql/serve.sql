-- What an agent is told, as JSON, with the ledger row in the same statement. Null means there is no such agent here.
-- Runs with the caller's rights under row-level security; binds the project for its own transaction only.
CREATE FUNCTION serve_facts(
    the_project bigint,
    the_key bigint,           -- null: a person looks, and nothing is recorded
    the_agent text,           -- id or unique name
    the_user text,            -- null: no user's facts
    agents uuid[],            -- what the key may name; null allows all, empty none
    sensitivities text[],
    categories text[],        -- null allows all, empty none; memory_types too
    memory_types text[],
    since timestamptz,        -- null: however old
    the_purpose text,
    the_task_type text,       -- null: none in particular
    the_moment timestamptz,   -- null: now
    at_most int,
    question text,            -- null: nothing is asked
    pieces text[],            -- patterns for ILIKE: names with digits, scripts without spaces
    named bigint[],           -- the subjects that the question names
    dates tstzrange[],        -- the stretches of time that it names
    query_hash bytea,
    query_vector halfvec,     -- null: no meaning to compare
    vector_model text,
    threshold double precision,
    visible text[]            -- not null: explained, as far as somebody who may see these sensitivities may know
) RETURNS text
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    agent_row_id uuid;
    agent_row_name text;
    project_slug text;
    subject_row_id bigint;
    subject_row_name text;
    reader recall_reader;
    asked recall_question;
    terms tsquery[];
BEGIN
    PERFORM set_config('app.project_id', the_project::text, true);
    -- A crash may lose the last moments' ledger rows, never a fact; waiting for the disk would double the read.
    PERFORM set_config('synchronous_commit', 'off', true);

    SELECT a.id, a.name, p.slug INTO agent_row_id, agent_row_name, project_slug
    FROM tenancy_agent a JOIN tenancy_project p ON p.id = a.project_id
    WHERE a.project_id = the_project AND a.name = the_agent;
    IF agent_row_id IS NULL AND the_agent ~* '^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$' THEN
        SELECT a.id, a.name, p.slug INTO agent_row_id, agent_row_name, project_slug
        FROM tenancy_agent a JOIN tenancy_project p ON p.id = a.project_id
        WHERE a.project_id = the_project AND a.id = the_agent::uuid;
    END IF;
    IF agent_row_id IS NULL OR NOT (agents IS NULL OR agent_row_id = ANY (agents)) THEN
        RETURN NULL;
    END IF;

    IF the_user IS NOT NULL THEN
        SELECT s.id, s.external_id INTO subject_row_id, subject_row_name FROM tenancy_subject s
        WHERE s.project_id = the_project AND s.kind = 'user' AND s.external_id = the_user AND s.suppressed_at IS NULL;
        IF subject_row_id IS NULL THEN
            SELECT s.id, s.external_id INTO subject_row_id, subject_row_name
            FROM tenancy_subjectalias l JOIN tenancy_subject s ON s.project_id = l.project_id AND s.id = l.subject_id
            WHERE l.project_id = the_project AND l.external_id = the_user AND s.kind = 'user' AND s.suppressed_at IS NULL;
        END IF;
    END IF;

    reader := ROW(the_project, the_key, agent_row_id, agent_row_name, project_slug, subject_row_id, subject_row_name,
                  sensitivities, categories, memory_types, since, the_purpose, the_task_type, query_hash,
                  coalesce(the_moment, now()), the_moment IS NOT NULL);
    IF question IS NOT NULL THEN
        terms := question_terms(question, (SELECT w.language FROM recall_weights(the_project) w));
    END IF;
    IF visible IS NULL AND the_moment IS NULL AND query_vector IS NULL
       AND coalesce(cardinality(terms), 0) + coalesce(cardinality(pieces), 0) = 0 THEN
        RETURN told_flat(reader, at_most);
    END IF;
    asked := ROW(terms, pieces, named, dates, query_vector, vector_model, threshold);
    RETURN told_ranked(reader, asked, at_most, visible);
END $$;
