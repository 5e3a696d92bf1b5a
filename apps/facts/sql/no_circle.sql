-- Whoever follows what replaced a fact comes to an end: a row is superseded only by one that is not superseded itself. The
-- successor is locked before it is looked at, so that two rows can't replace each other at once; often it is written after
-- this row is closed, and then there is none yet.
CREATE FUNCTION facts_no_circle() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    closed timestamptz;
BEGIN
    SELECT superseded_at INTO closed FROM facts_fact
        WHERE project_id = NEW.project_id AND id = NEW.superseded_by_id FOR SHARE;
    IF closed IS NOT NULL THEN
        RAISE EXCEPTION 'a fact is superseded only by one that is not superseded itself'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER facts_no_circle_later AFTER UPDATE OF superseded_by_id ON facts_fact FOR EACH ROW
    WHEN (NEW.superseded_by_id IS NOT NULL AND OLD.superseded_by_id IS NULL) EXECUTE FUNCTION facts_no_circle();
CREATE TRIGGER facts_no_circle_at_once AFTER INSERT ON facts_fact FOR EACH ROW
    WHEN (NEW.superseded_by_id IS NOT NULL) EXECUTE FUNCTION facts_no_circle();
