-- As append_only.sql, with one mark more: that a conflict about the fact is open.
CREATE OR REPLACE FUNCTION facts_append_only() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    erasing boolean := coalesce(current_setting('app.erasing', true), '') <> '';
    marks text[] := ARRAY['pinned', 'sensitivity', 'expires_at', 'review_at', 'restricted_at', 'restricted_reason',
                          'corroborations', 'last_seen_at', 'contested_at'];
    once text[] := ARRAY['superseded_by_id', 'superseded_at', 'retired_at', 'retired_reason'];
BEGIN
    IF TG_OP IN ('DELETE', 'TRUNCATE') THEN
        IF NOT erasing THEN
            RAISE EXCEPTION 'a fact is deleted only by a forget or an erasure' USING ERRCODE = 'check_violation';
        END IF;
        RETURN OLD;
    END IF;
    -- `words` is generated from content after this trigger.
    IF (to_jsonb(NEW) - marks - once - 'source_trace_id' - 'words') IS DISTINCT FROM
       (to_jsonb(OLD) - marks - once - 'source_trace_id' - 'words') THEN
        RAISE EXCEPTION 'what a fact says never changes; append a new version' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.source_trace_id IS DISTINCT FROM OLD.source_trace_id AND NEW.source_trace_id IS NOT NULL THEN
        RAISE EXCEPTION 'a fact''s source trace never changes' USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.superseded_at IS NOT NULL AND NEW.superseded_at IS DISTINCT FROM OLD.superseded_at
       OR OLD.retired_at IS NOT NULL AND (NEW.retired_at, NEW.retired_reason)
                                         IS DISTINCT FROM (OLD.retired_at, OLD.retired_reason) THEN
        RAISE EXCEPTION 'a fact is closed once' USING ERRCODE = 'check_violation';
    END IF;
    -- The pointer goes back to null only when the newer version is erased: then it reads "superseded, (erased)".
    IF OLD.superseded_by_id IS NOT NULL AND NEW.superseded_by_id IS DISTINCT FROM OLD.superseded_by_id
       AND NOT (erasing AND NEW.superseded_by_id IS NULL) THEN
        RAISE EXCEPTION 'a fact is superseded once' USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.superseded_by_id IS NULL AND NEW.superseded_by_id IS NOT NULL AND OLD.superseded_at IS NOT NULL THEN
        RAISE EXCEPTION 'a fact is superseded once' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
