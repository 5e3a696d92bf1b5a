-- Facts of the bound project that contain every pattern, for LIKE and in capitals, newest first; null where they are more
-- than `cap`, or no pattern has the three letters that the index needs. Of the owner, because under row-level security
-- Postgres gives no index to LIKE, which might leak what it compares; so it asks for the project itself, and returns ids.
CREATE FUNCTION facts_saying(patterns text[], cap int) RETURNS bigint[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_indexscan = off AS $$
DECLARE
    bound CONSTANT bigint := nullif(current_setting('app.project_id', true), '')::bigint;
    telling CONSTANT text[] := ARRAY(SELECT p FROM unnest(patterns) p WHERE cardinality(show_trgm(replace(p, '%', ''))) > 3);
    conditions text;
    found bigint[];
BEGIN
    IF cardinality(telling) = 0 THEN
        RETURN NULL;
    END IF;
    SELECT string_agg(format('upper(f.content) LIKE ($2)[%s]', n), ' AND ') INTO conditions
    FROM generate_subscripts(patterns, 1) n;
    EXECUTE format('SELECT array_agg(id ORDER BY id DESC) FROM (SELECT f.id FROM facts_fact f WHERE f.project_id = $1 AND %s'
                   ' LIMIT $3) found', conditions)
    INTO found USING bound, patterns, cap + 1;
    RETURN CASE WHEN cardinality(found) > cap THEN NULL ELSE coalesce(found, '{}') END;
END $$;
