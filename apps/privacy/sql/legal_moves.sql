-- A request moves only along the pairs of apps/privacy/states.py, whoever writes; what an ended one says stays as it is.
CREATE FUNCTION privacy_legal_move() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NEW.state IS DISTINCT FROM OLD.state AND NOT (OLD.state || '>' || NEW.state = ANY (TG_ARGV)) THEN
        RAISE EXCEPTION 'a request can''t go from % to %', OLD.state, NEW.state USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.project_id, NEW.number, NEW.kind, NEW.opened_by, NEW.received_at, NEW.subject_digest)
       IS DISTINCT FROM (OLD.project_id, OLD.number, OLD.kind, OLD.opened_by, OLD.received_at, OLD.subject_digest) THEN
        RAISE EXCEPTION 'what was asked, when and by whom never changes' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
