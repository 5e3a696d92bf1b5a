-- As one_name.sql, with few locks however many subjects one transaction makes: names share 1,024 locks a project. Subjects
-- take theirs together with each other, since a unique index keeps two of one name apart; an alias takes it alone.
CREATE OR REPLACE FUNCTION tenancy_one_name() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    place CONSTANT bigint := hashtextextended(NEW.project_id || ' ' || (hashtext(NEW.external_id) & 1023), 4711);
BEGIN
    IF TG_TABLE_NAME = 'tenancy_subject' THEN
        PERFORM pg_advisory_xact_lock_shared(place);
        IF EXISTS (SELECT FROM tenancy_subjectalias a
                   WHERE a.project_id = NEW.project_id AND a.external_id = NEW.external_id) THEN
            RETURN NULL;  -- whoever makes one looks again, and finds whose alias it is
        END IF;
    ELSE
        PERFORM pg_advisory_xact_lock(place);
        IF EXISTS (SELECT FROM tenancy_subject s
                   WHERE s.project_id = NEW.project_id AND s.external_id = NEW.external_id) THEN
            RAISE EXCEPTION 'the alias is the id of a subject' USING ERRCODE = 'unique_violation',
                CONSTRAINT = 'tenancy_alias_not_subject';
        END IF;
    END IF;
    RETURN NEW;
END $$;
