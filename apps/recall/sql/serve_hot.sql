-- What an agent is told, as JSON, with the ledger row in the same statement. Null means there is no such agent here.
-- Runs with the caller's rights under row-level security; binds the project for its own transaction only.
CREATE OR REPLACE FUNCTION serve_facts(
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
    reader recall_reader;
    asked recall_question;
    terms tsquery[];
BEGIN
    PERFORM set_config('app.project_id', the_project::text, true), set_config('synchronous_commit', 'off', true);
    IF question IS NOT NULL THEN
        terms := question_terms(question, (SELECT w.language FROM recall_weights(the_project) w));
    END IF;
    IF visible IS NULL AND the_moment IS NULL AND query_vector IS NULL
       AND coalesce(cardinality(terms), 0) + coalesce(cardinality(pieces), 0) = 0 THEN
        RETURN serve_flat(the_project, the_key, the_agent, the_user, agents, sensitivities, categories, memory_types, since,
                          the_purpose, the_task_type, query_hash, at_most);
    END IF;
    reader := reader_of(the_project, the_key, the_agent, the_user, agents, sensitivities, categories, memory_types, since,
                        the_purpose, the_task_type, query_hash, the_moment);
    IF reader.agent IS NULL THEN
        RETURN NULL;
    END IF;
    asked := ROW(terms, pieces, named, dates, query_vector, vector_model, threshold);
    RETURN told_ranked(reader, asked, at_most, visible);
END $$;
