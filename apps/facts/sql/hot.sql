-- What the hot read tells, in narrow rows of their own: a copy of the current facts of an agent, a project or a user as far
-- as they are told and judged, kept by the triggers below and by nobody else. A read comes from its index alone. That asks
-- the table's visibility map for each entry, and going to and fro between pages of the map is what would make a read dearer
-- as the store grows: in these rows, scope by scope, a page of the map reaches some ten times as far as in the facts.
-- `agent_id` of nought: told through every agent. `brief` is null for what is long or not for everybody.
CREATE TABLE facts_hot (
    id bigint NOT NULL,
    project_id bigint NOT NULL,
    agent_id uuid NOT NULL,
    importance double precision NOT NULL,
    loose_hash uuid NOT NULL,
    contested_at timestamptz,
    restricted_at timestamptz,
    expires_at timestamptz,
    valid_from timestamptz,
    valid_to timestamptz,
    scope text NOT NULL,
    scope_id text NOT NULL,
    norm_hash bytea NOT NULL,
    sensitivity text NOT NULL,
    category text NOT NULL,
    memory_type text NOT NULL,
    attribute text,
    brief text
) PARTITION BY LIST (scope);
CREATE TABLE facts_hot_agent PARTITION OF facts_hot FOR VALUES IN ('agent');
CREATE TABLE facts_hot_project PARTITION OF facts_hot FOR VALUES IN ('project');
CREATE TABLE facts_hot_user PARTITION OF facts_hot FOR VALUES IN ('user');

CREATE FUNCTION facts_told_through(agent_id uuid) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(agent_id, '00000000-0000-0000-0000-000000000000')
$$;

INSERT INTO facts_hot
SELECT f.id, f.project_id, facts_told_through(f.agent_id), f.importance, f.loose_hash, f.contested_at, f.restricted_at, f.expires_at,
       f.valid_from, f.valid_to, f.scope, f.scope_id, f.norm_hash, f.sensitivity, f.category, f.memory_type, f.attribute,
       f.brief
FROM facts_fact f
WHERE f.superseded_at IS NULL AND f.retired_at IS NULL AND f.label = '' AND f.scope IN ('agent', 'project', 'user');

-- Of an agent's and a project's facts the ids say the scope: another trigger holds `scope_id` to the name.
CREATE INDEX facts_hot_agent_idx ON facts_hot_agent (project_id, agent_id, importance DESC, id DESC)
    INCLUDE (loose_hash, contested_at, restricted_at, expires_at, valid_from, valid_to, norm_hash, sensitivity, category,
             memory_type, attribute, brief);
CREATE INDEX facts_hot_project_idx ON facts_hot_project (project_id, importance DESC, id DESC)
    INCLUDE (loose_hash, contested_at, restricted_at, expires_at, valid_from, valid_to, norm_hash, sensitivity, category,
             memory_type, attribute, brief);
CREATE INDEX facts_hot_user_idx ON facts_hot_user (project_id, scope_id, agent_id, importance DESC, id DESC)
    INCLUDE (loose_hash, contested_at, restricted_at, expires_at, valid_from, valid_to, norm_hash, sensitivity, category,
             memory_type, attribute, brief);
-- What is taken from the index alone has to be known as visible to all: vacuum says so, and is quick where little is new.
ALTER TABLE facts_hot_agent SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE facts_hot_project SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE facts_hot_user SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);

CREATE FUNCTION facts_hot_add() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO facts_hot
    SELECT f.id, f.project_id, facts_told_through(f.agent_id), f.importance, f.loose_hash, f.contested_at, f.restricted_at,
           f.expires_at, f.valid_from, f.valid_to, f.scope, f.scope_id, f.norm_hash, f.sensitivity, f.category, f.memory_type,
           f.attribute,
           fact_brief(f.id, f.content, f.category, f.importance, f.confidence, f.scope, f.scope_id, f.source, f.approved_at,
                      f.purposes, f.task_types)
    FROM made f
    WHERE f.superseded_at IS NULL AND f.retired_at IS NULL AND f.label = '' AND f.scope IN ('agent', 'project', 'user');
    RETURN NULL;
END $$;
CREATE TRIGGER hot_add AFTER INSERT ON facts_fact REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION facts_hot_add();

-- What a fact says never changes; its marks do, and it is closed once.
CREATE FUNCTION facts_hot_keep() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' OR NEW.superseded_at IS NOT NULL OR NEW.retired_at IS NOT NULL THEN
        DELETE FROM facts_hot h
        WHERE h.project_id = OLD.project_id AND h.scope = OLD.scope AND h.scope_id = OLD.scope_id
          AND h.agent_id = facts_told_through(OLD.agent_id) AND h.importance = OLD.importance AND h.id = OLD.id;
    ELSE
        UPDATE facts_hot h
        SET sensitivity = NEW.sensitivity, expires_at = NEW.expires_at, restricted_at = NEW.restricted_at,
            contested_at = NEW.contested_at
        WHERE h.project_id = OLD.project_id AND h.scope = OLD.scope AND h.scope_id = OLD.scope_id
          AND h.agent_id = facts_told_through(OLD.agent_id) AND h.importance = OLD.importance AND h.id = OLD.id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER hot_keep AFTER UPDATE OF superseded_at, retired_at, sensitivity, expires_at, restricted_at, contested_at
    ON facts_fact FOR EACH ROW
    WHEN ((OLD.superseded_at, OLD.retired_at, OLD.sensitivity, OLD.expires_at, OLD.restricted_at, OLD.contested_at)
          IS DISTINCT FROM
          (NEW.superseded_at, NEW.retired_at, NEW.sensitivity, NEW.expires_at, NEW.restricted_at, NEW.contested_at))
    EXECUTE FUNCTION facts_hot_keep();
CREATE TRIGGER hot_drop AFTER DELETE ON facts_fact FOR EACH ROW
    WHEN (OLD.superseded_at IS NULL AND OLD.retired_at IS NULL) EXECUTE FUNCTION facts_hot_keep();
