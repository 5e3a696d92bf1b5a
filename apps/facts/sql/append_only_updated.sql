-- As append_only_marks.sql, and keeps `updated_at`: when what a reader is told of a fact changed last.
CREATE OR REPLACE FUNCTION facts_append_only() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    erasing boolean := coalesce(current_setting('app.erasing', true), '') <> '';
    -- Another telling of the same words changes nothing that a reader is told. `words`, `brief` and `loose_hash` are
    -- generated from what the fact says after this trigger, and null here.
    heard text[] := ARRAY['corroborations', 'last_seen_at', 'updated_at', 'words', 'brief', 'loose_hash'];
    marks text[] := ARRAY['pinned', 'sensitivity', 'expires_at', 'review_at', 'restricted_at', 'restricted_reason',
                          'contested_at'];
    once text[] := ARRAY['superseded_by_id', 'superseded_at', 'retired_at', 'retired_reason'];
BEGIN
    IF TG_OP IN ('DELETE', 'TRUNCATE') THEN
        IF NOT erasing THEN
            RAISE EXCEPTION 'a fact is deleted only by a forget or an erasure' USING ERRCODE = 'check_violation';
        END IF;
        RETURN OLD;
    END IF;
    IF (to_jsonb(NEW) - marks - once - heard - 'source_trace_id') IS DISTINCT FROM
       (to_jsonb(OLD) - marks - once - heard - 'source_trace_id') THEN
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
    -- The clock and not the transaction's time: a long one would write its beginning, which readers have passed.
    NEW.updated_at := CASE WHEN (to_jsonb(NEW) - heard) IS DISTINCT FROM (to_jsonb(OLD) - heard)
                           THEN clock_timestamp() ELSE OLD.updated_at END;
    RETURN NEW;
END $$;
