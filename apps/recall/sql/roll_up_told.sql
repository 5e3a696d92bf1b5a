-- Counts the next reads of the ledger, of all projects, by fact, key, agent and subject, by fact alone as far as agents read
-- it, and by agent and day; answers with how many it took.
-- A read becomes visible when its statement ends, a moment after the time it bears: `settle` is how long that may take.
CREATE OR REPLACE FUNCTION roll_up_reads(at_most int DEFAULT 20000, settle interval DEFAULT '1 minute') RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    mark recall_readscounted;
    until timestamptz := clock_timestamp() - settle;
    last record;
BEGIN
    -- Whoever has the row counts; another worker leaves it to him.
    SELECT * INTO mark FROM recall_readscounted FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    WITH batch AS MATERIALIZED (
        SELECT l.* FROM recall_readledger l
        -- `at` alone as well, because it is what leaves whole months out.
        WHERE l.at >= mark.at AND l.at < until AND (l.at, l.id) > (mark.at, mark.id)
        ORDER BY l.at, l.id LIMIT at_most
    ), days AS (
        INSERT INTO recall_agentday AS d (project_id, agent_id, day, reads, told, last_at)
        SELECT b.project_id, b.agent_id, (b.at AT TIME ZONE 'UTC')::date, count(*), sum(cardinality(b.fact_ids)), max(b.at)
        FROM batch b
        -- A ledger outlives its project by a moment.
        JOIN tenancy_project p ON p.id = b.project_id
        WHERE b.agent_id IS NOT NULL GROUP BY 1, 2, 3
        ON CONFLICT (project_id, agent_id, day) DO UPDATE
        SET reads = d.reads + excluded.reads, told = d.told + excluded.told, last_at = greatest(d.last_at, excluded.last_at)
    ), told AS MATERIALIZED (
        SELECT b.project_id, t.fact_id, b.key_id, b.agent_id, b.subject_id,
               count(*) AS reads, min(b.at) AS first_at, max(b.at) AS last_at
        FROM batch b CROSS JOIN LATERAL unnest(b.fact_ids) t(fact_id)
        GROUP BY b.project_id, t.fact_id, b.key_id, b.agent_id, b.subject_id
    ), subject AS MATERIALIZED (
        -- Locked as a foreign key would, and waited for, so that what is being deleted meanwhile is left out and not
        -- an error. In the order in which a forget takes them, or the two would wait for each other.
        SELECT s.project_id, s.id FROM tenancy_subject s
        WHERE (s.project_id, s.id) IN (SELECT t.project_id, t.subject_id FROM told t)
        ORDER BY s.id FOR KEY SHARE OF s
    ), fact AS MATERIALIZED (
        SELECT f.project_id, f.id FROM facts_fact f
        WHERE (f.project_id, f.id) IN (SELECT t.project_id, t.fact_id FROM told t)
        ORDER BY f.id FOR KEY SHARE OF f
    ), kept AS MATERIALIZED (
        SELECT t.* FROM told t
        JOIN fact f ON f.project_id = t.project_id AND f.id = t.fact_id
        LEFT JOIN subject p ON p.project_id = t.project_id AND p.id = t.subject_id
        WHERE t.subject_id IS NULL OR p.id IS NOT NULL
    ), counted AS (
        INSERT INTO recall_factserving AS s
            (project_id, fact_id, key_id, agent_id, subject_id, reads, first_at, last_at)
        SELECT k.project_id, k.fact_id, k.key_id, k.agent_id, k.subject_id, k.reads, k.first_at, k.last_at FROM kept k
        ON CONFLICT (project_id, fact_id, key_id, agent_id, subject_id) DO UPDATE
        SET reads = s.reads + excluded.reads, first_at = least(s.first_at, excluded.first_at),
            last_at = greatest(s.last_at, excluded.last_at)
    ), added AS (
        INSERT INTO recall_facttold AS s (project_id, fact_id, reads, last_at)
        SELECT k.project_id, k.fact_id, sum(k.reads), max(k.last_at) FROM kept k
        WHERE k.agent_id IS NOT NULL GROUP BY k.project_id, k.fact_id
        -- In the order in which recall_untold takes them.
        ORDER BY k.project_id, k.fact_id
        ON CONFLICT (project_id, fact_id) DO UPDATE
        SET reads = s.reads + excluded.reads, last_at = greatest(s.last_at, excluded.last_at)
    )
    SELECT b.at, b.id, count(*) OVER () AS taken INTO last FROM batch b ORDER BY b.at DESC, b.id DESC LIMIT 1;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    UPDATE recall_readscounted SET at = last.at, id = last.id;
    RETURN last.taken;
END $$;
