-- What a list of traces shows of each one's messages, kept as they come: how many, and the first words of the user.
CREATE FUNCTION traces_keep_words() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE traces_trace t SET
        message_count = t.message_count + c.n,
        first_words = coalesce((
            SELECT left(m.content, 200) FROM traces_message m
            WHERE m.project_id = t.project_id AND m.trace_id = t.trace_id AND m.role = 'user'
            ORDER BY m.at, m.id LIMIT 1), '')
    FROM (SELECT project_id, trace_id, count(*) AS n FROM added GROUP BY project_id, trace_id) c
    WHERE t.project_id = c.project_id AND t.trace_id = c.trace_id;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_words AFTER INSERT ON traces_message
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION traces_keep_words();
