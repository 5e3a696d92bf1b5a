-- The ledger of reads, one partition a month, with a default for what no month fits.
CREATE SEQUENCE recall_readledger_id_seq;
CREATE TABLE recall_readledger (
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    id bigint NOT NULL DEFAULT nextval('recall_readledger_id_seq'),
    project_id bigint NOT NULL,
    key_id bigint,
    agent_id uuid NOT NULL,
    subject_id bigint,
    purpose varchar(60) NOT NULL DEFAULT '',
    query_hash bytea,
    fact_ids bigint[] NOT NULL,
    ranks int[] NOT NULL,
    scores double precision[] NOT NULL,
    PRIMARY KEY (at, id),
    CONSTRAINT recall_readledger_ranks_chk CHECK (cardinality(fact_ids) = cardinality(ranks)),
    CONSTRAINT recall_readledger_scores_chk CHECK (cardinality(fact_ids) = cardinality(scores)),
    CONSTRAINT recall_readledger_query_chk CHECK (query_hash IS NULL OR length(query_hash) = 16)
) PARTITION BY RANGE (at);
ALTER SEQUENCE recall_readledger_id_seq OWNED BY recall_readledger.id;
-- What was read around a trace, and what was told about a subject.
CREATE INDEX recall_readledger_agent_idx ON recall_readledger (project_id, agent_id, at);
CREATE INDEX recall_readledger_subject_idx ON recall_readledger (project_id, subject_id, at);
ALTER TABLE recall_readledger ENABLE ROW LEVEL SECURITY;
ALTER TABLE recall_readledger FORCE ROW LEVEL SECURITY;
CREATE POLICY project ON recall_readledger
    USING (project_id = nullif(current_setting('app.project_id', true), '')::bigint)
    WITH CHECK (project_id = nullif(current_setting('app.project_id', true), '')::bigint);
CREATE POLICY owner ON recall_readledger TO CURRENT_USER USING (true) WITH CHECK (true);

-- Guards one partition: default privileges grant it to the application, so it needs policies of its own.
CREATE FUNCTION recall_guard_partition(partition text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', partition);
    EXECUTE format('ALTER TABLE public.%I FORCE ROW LEVEL SECURITY', partition);
    EXECUTE format('CREATE POLICY project ON public.%I'
        ' USING (project_id = nullif(current_setting(''app.project_id'', true), '''')::bigint)'
        ' WITH CHECK (project_id = nullif(current_setting(''app.project_id'', true), '''')::bigint)', partition);
    EXECUTE format('CREATE POLICY owner ON public.%I TO CURRENT_USER USING (true) WITH CHECK (true)', partition);
END $$;
REVOKE EXECUTE ON FUNCTION recall_guard_partition(text) FROM PUBLIC;

-- The current month and the three after it; answers with what it made.
CREATE FUNCTION ensure_partitions() RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    month date;
    partition text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('recall.ensure_partitions'));
    FOR ahead IN 0..3 LOOP
        month := (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead))::date;
        partition := 'recall_readledger_' || to_char(month, 'YYYY_MM');
        CONTINUE WHEN to_regclass('public.' || partition) IS NOT NULL;
        EXECUTE format('CREATE TABLE public.%I PARTITION OF recall_readledger FOR VALUES FROM (%L) TO (%L)',
            partition, month::text || ' 00:00:00+00', (month + interval '1 month')::date::text || ' 00:00:00+00');
        PERFORM recall_guard_partition(partition);
        RETURN NEXT partition;
    END LOOP;
END $$;

CREATE TABLE recall_readledger_default PARTITION OF recall_readledger DEFAULT;
SELECT recall_guard_partition('recall_readledger_default');
SELECT ensure_partitions();
