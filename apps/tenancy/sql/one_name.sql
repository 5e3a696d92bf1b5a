-- An id means one subject: an alias is no subject's own id, and no subject is made under an alias. Either way the name is
-- locked first, since a row that another transaction is about to commit can't be seen.
CREATE FUNCTION tenancy_one_name() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(NEW.project_id || ' ' || NEW.external_id, 4711));
    IF TG_TABLE_NAME = 'tenancy_subject' THEN
        IF EXISTS (SELECT FROM tenancy_subjectalias a
                   WHERE a.project_id = NEW.project_id AND a.external_id = NEW.external_id) THEN
            RETURN NULL;  -- whoever makes one looks again, and finds whose alias it is
        END IF;
    ELSIF EXISTS (SELECT FROM tenancy_subject s
                  WHERE s.project_id = NEW.project_id AND s.external_id = NEW.external_id) THEN
        RAISE EXCEPTION 'the alias is the id of a subject' USING ERRCODE = 'unique_violation',
            CONSTRAINT = 'tenancy_alias_not_subject';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER one_name BEFORE INSERT ON tenancy_subject FOR EACH ROW EXECUTE FUNCTION tenancy_one_name();
CREATE TRIGGER one_name BEFORE INSERT ON tenancy_subjectalias FOR EACH ROW EXECUTE FUNCTION tenancy_one_name();
