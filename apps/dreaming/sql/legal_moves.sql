-- Runs and their changes move only along the pairs of apps/dreaming/states.py, whoever writes; what was asked for, and what
-- was staged, stays as it was.
CREATE FUNCTION dreaming_legal_run() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NEW.state IS DISTINCT FROM OLD.state AND NOT (OLD.state || '>' || NEW.state = ANY (TG_ARGV)) THEN
        RAISE EXCEPTION 'a dream run can''t go from % to %', OLD.state, NEW.state USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.project_id, NEW.scope, NEW.scope_id, NEW.origin, NEW.requested_by, NEW.dry_run, NEW.created_at)
       IS DISTINCT FROM (OLD.project_id, OLD.scope, OLD.scope_id, OLD.origin, OLD.requested_by, OLD.dry_run, OLD.created_at) THEN
        RAISE EXCEPTION 'what was asked for, and by whom, never changes' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION dreaming_legal_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NEW.state IS DISTINCT FROM OLD.state AND NOT (OLD.state || '>' || NEW.state = ANY (TG_ARGV)) THEN
        RAISE EXCEPTION 'a change can''t go from % to %', OLD.state, NEW.state USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.project_id, NEW.run_id, NEW.phase, NEW.position, NEW.op, NEW.safe, NEW.automatic, NEW.content, NEW.trust, NEW.targets_count)
       IS DISTINCT FROM
       (OLD.project_id, OLD.run_id, OLD.phase, OLD.position, OLD.op, OLD.safe, OLD.automatic, OLD.content, OLD.trust, OLD.targets_count) THEN
        RAISE EXCEPTION 'what was staged never changes' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
