-- Who may be told what, said once: the hot read, lists, search, counts and exports all ask these. They have no SET
-- clause and one expression each, so that the planner puts them in line and sees the columns behind them.
CREATE FUNCTION fact_in_force(f facts_fact, at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL
       AND (f.expires_at IS NULL OR f.expires_at > at)
       AND (f.valid_from IS NULL OR f.valid_from <= at) AND (f.valid_to IS NULL OR f.valid_to > at)
$$;
-- The same for an earlier moment: what was true then, by what is known of it now.
CREATE FUNCTION fact_was_in_force(f facts_fact, at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT f.approved_at <= at
       AND (f.superseded_at IS NULL OR f.superseded_at > at) AND (f.retired_at IS NULL OR f.retired_at > at)
       AND (f.restricted_at IS NULL OR f.restricted_at > at) AND (f.expires_at IS NULL OR f.expires_at > at)
       AND (f.valid_from IS NULL OR f.valid_from <= at) AND (f.valid_to IS NULL OR f.valid_to > at)
$$;
-- Null allows all, an empty array nothing; `since`: last said or seen no earlier.
CREATE FUNCTION fact_permitted(
    f facts_fact, sensitivities text[], categories text[], memory_types text[], since timestamptz
) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT f.sensitivity = ANY (sensitivities) AND (categories IS NULL OR f.category = ANY (categories))
       AND (memory_types IS NULL OR f.memory_type = ANY (memory_types))
       AND (since IS NULL OR coalesce(f.last_seen_at, f.observed_at) >= since)
$$;
-- The current facts of one scope id that are told through one agent, or to every agent; most important first, each
-- along its own index. (`IS NOT NULL` is what the partial index asks for.)
CREATE FUNCTION facts_of_agent(the_project bigint, the_agent uuid, the_scope text, the_scope_id text)
RETURNS SETOF facts_fact LANGUAGE sql STABLE AS $$
    SELECT f.* FROM facts_fact f
    WHERE f.project_id = the_project AND f.agent_id = the_agent AND f.agent_id IS NOT NULL
      AND f.scope = the_scope AND f.scope_id = the_scope_id AND f.label = ''
      AND f.superseded_at IS NULL AND f.retired_at IS NULL
$$;
CREATE FUNCTION facts_of_all(the_project bigint, the_scope text, the_scope_id text)
RETURNS SETOF facts_fact LANGUAGE sql STABLE AS $$
    SELECT f.* FROM facts_fact f
    WHERE f.project_id = the_project AND f.agent_id IS NULL
      AND f.scope = the_scope AND f.scope_id = the_scope_id AND f.label = ''
      AND f.superseded_at IS NULL AND f.retired_at IS NULL
$$;
