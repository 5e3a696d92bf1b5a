-- What is appended or gets a vector waits to be compared with what lies beside it; whole statements at once, as imports
-- and embedders write them.
CREATE FUNCTION curation_compare_facts() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO curation_uncompared (project_id, fact_id)
    SELECT project_id, id FROM added
    WHERE key IS NULL AND label = '' AND superseded_at IS NULL AND retired_at IS NULL
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER curation_compare AFTER INSERT ON facts_fact REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION curation_compare_facts();

CREATE FUNCTION curation_compare_vectors() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO curation_uncompared (project_id, fact_id)
    SELECT DISTINCT f.project_id, f.id FROM added a JOIN facts_fact f ON f.project_id = a.project_id AND f.id = a.fact_id
    WHERE f.key IS NULL AND f.label = '' AND f.superseded_at IS NULL AND f.retired_at IS NULL
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER curation_compare AFTER INSERT ON recall_factembedding REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION curation_compare_vectors();

-- A closed fact leaves its group, and a group that lost a member is looked at anew: it may have been the link.
CREATE FUNCTION curation_leave_group() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    DELETE FROM curation_duplicatemember WHERE project_id = NEW.project_id AND fact_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER curation_leave AFTER UPDATE OF superseded_at, retired_at ON facts_fact FOR EACH ROW
    WHEN (OLD.superseded_at IS NULL AND OLD.retired_at IS NULL
          AND (NEW.superseded_at IS NOT NULL OR NEW.retired_at IS NOT NULL))
    EXECUTE FUNCTION curation_leave_group();

CREATE FUNCTION curation_break_group() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO curation_uncompared (project_id, fact_id)
    SELECT m.project_id, m.fact_id FROM curation_duplicatemember m
    JOIN facts_fact f ON f.project_id = m.project_id AND f.id = m.fact_id
    WHERE m.project_id = OLD.project_id AND m.group_id = OLD.group_id
      AND f.superseded_at IS NULL AND f.retired_at IS NULL
    ON CONFLICT DO NOTHING;
    DELETE FROM curation_duplicategroup WHERE project_id = OLD.project_id AND id = OLD.group_id;
    RETURN NULL;
END $$;
CREATE TRIGGER curation_break AFTER DELETE ON curation_duplicatemember FOR EACH ROW
    EXECUTE FUNCTION curation_break_group();

-- Which facts wait to be compared, across projects, oldest first: ids, never text.
CREATE FUNCTION facts_to_compare(n int) RETURNS TABLE (project_id bigint, fact_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT u.project_id, u.fact_id FROM curation_uncompared u ORDER BY u.id LIMIT n;
$$;

-- What was there before.
INSERT INTO curation_uncompared (project_id, fact_id)
SELECT project_id, id FROM facts_fact
WHERE key IS NULL AND label = '' AND superseded_at IS NULL AND retired_at IS NULL ORDER BY id;
