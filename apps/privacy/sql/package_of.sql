-- Whose package a link leads to, before a project is known: ids only, and only while the link is good.
CREATE FUNCTION package_of(token bytea) RETURNS TABLE (project_id bigint, id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT p.project_id, p.id FROM privacy_accesspackage p
    WHERE p.token_hash = token AND p.link_until > clock_timestamp() AND p.removed_at IS NULL
$$;
