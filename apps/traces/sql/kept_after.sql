-- As kept.sql, when messages go: what a list shows of a trace says nothing of them any more. Where the trace goes too,
-- there is no row left to keep it in.
CREATE FUNCTION traces_forget_words() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE traces_trace t SET
        message_count = t.message_count - c.n,
        first_words = coalesce((
            SELECT left(m.content, 200) FROM traces_message m
            WHERE m.project_id = t.project_id AND m.trace_id = t.trace_id AND m.role = 'user'
            ORDER BY m.at, m.id LIMIT 1), '')
    FROM (SELECT project_id, trace_id, count(*) AS n FROM gone GROUP BY project_id, trace_id) c
    WHERE t.project_id = c.project_id AND t.trace_id = c.trace_id;
    RETURN NULL;
END $$;
CREATE TRIGGER forget_words AFTER DELETE ON traces_message
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION traces_forget_words();
