-- What a fact's servings come to, when some of them go with their user; of a fact that goes too nothing is left to count.
-- Rows are taken in the order of the facts, as roll_up_reads takes them, or the two would wait for each other.
CREATE FUNCTION recall_untold() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    WITH gone AS MATERIALIZED (
        SELECT o.project_id, o.fact_id, sum(o.reads) AS reads, max(o.last_at) AS last_at FROM old_servings o
        WHERE o.agent_id IS NOT NULL
          AND EXISTS (SELECT FROM facts_fact f WHERE f.project_id = o.project_id AND f.id = o.fact_id)
        GROUP BY o.project_id, o.fact_id
    ), held AS MATERIALIZED (
        SELECT t.id, t.project_id, t.fact_id, t.reads - g.reads AS reads, t.last_at, g.last_at AS last_gone
        FROM recall_facttold t JOIN gone g ON g.project_id = t.project_id AND g.fact_id = t.fact_id
        ORDER BY t.project_id, t.fact_id FOR UPDATE OF t
    ), never AS (
        DELETE FROM recall_facttold t USING held h WHERE t.id = h.id AND h.reads <= 0
    )
    UPDATE recall_facttold t SET reads = h.reads, last_at = CASE WHEN h.last_at > h.last_gone THEN h.last_at ELSE coalesce((
        SELECT max(s.last_at) FROM recall_factserving s
        WHERE s.project_id = h.project_id AND s.fact_id = h.fact_id AND s.agent_id IS NOT NULL), h.last_at) END
    FROM held h WHERE t.id = h.id AND h.reads > 0;
    RETURN NULL;
END $$;
CREATE TRIGGER untold AFTER DELETE ON recall_factserving
    REFERENCING OLD TABLE AS old_servings FOR EACH STATEMENT EXECUTE FUNCTION recall_untold();
