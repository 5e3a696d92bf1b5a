-- What a reader can't find in the facts any more: those that were deleted, and those that were made more sensitive than he
-- may see. Ids and codes, never words; every path to a deletion passes here.
CREATE FUNCTION facts_note_withdrawal() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO facts_withdrawal (project_id, fact_id, scope, agent_id, sensitivity, reason, at)
    VALUES (OLD.project_id, OLD.id, OLD.scope, OLD.agent_id, OLD.sensitivity,
            CASE TG_OP WHEN 'DELETE' THEN 'forgotten' ELSE 'sensitivity' END, clock_timestamp());
    RETURN NULL;
END $$;
CREATE TRIGGER facts_forgotten AFTER DELETE ON facts_fact FOR EACH ROW EXECUTE FUNCTION facts_note_withdrawal();
CREATE TRIGGER facts_more_sensitive AFTER UPDATE OF sensitivity ON facts_fact FOR EACH ROW
    WHEN (OLD.sensitivity IS DISTINCT FROM NEW.sensitivity) EXECUTE FUNCTION facts_note_withdrawal();
