-- A fact as an agent reads it, up to what a read adds: JSON text, made when the fact is written, because fifty of them in
-- each read would cost more than finding them. Depends on no setting, though some of the functions inside could.
CREATE FUNCTION fact_head(
    id bigint, content text, category text, importance float8, confidence float8, scope text, scope_id text, source text,
    approved_at timestamptz
) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT '{"content":' || to_json(content) || ',"id":' || id || ',"category":' || to_json(category)
        || ',"importance":' || importance || ',"confidence":' || confidence || ',"scope":' || to_json(scope)
        || ',"scope_id":' || to_json(scope_id) || ',"source":' || to_json(source)
        || ',"approved_at":"' || to_char(approved_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
$$;
-- The same for the hot read's indexes, whose entries take at most 2,704 bytes with a scope id of 1,020 and a category of
-- 240; null for what is longer, and for what is not for every purpose and task.
CREATE FUNCTION fact_brief(
    id bigint, content text, category text, importance float8, confidence float8, scope text, scope_id text, source text,
    approved_at timestamptz, purposes text[], task_types text[]
) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT head FROM fact_head(id, content, category, importance, confidence, scope, scope_id, source, approved_at) head
    WHERE octet_length(head) <= 1150 AND purposes IS NULL AND task_types IS NULL
$$;
-- What two tellings have in common that differ in case and in their last mark.
CREATE FUNCTION fact_loose_hash(content text) RETURNS uuid LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT md5(rtrim(lower(content), ' .!;…。'))::uuid
$$;
