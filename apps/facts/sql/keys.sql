-- What the index of words is kept by besides words: the project, and the place in it. Whoever looks for words of a place or
-- a project names its key, and no row of another is read. Of built-in parts alone, so that it is the same after a restore.
CREATE FUNCTION fact_keys(project_id bigint, scope text, scope_id text) RETURNS bigint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ARRAY[project_id, hashtextextended(project_id::text || ' ' || scope || ' ' || scope_id, 0)]
$$;
