-- How many proposals were ever made of a trace. Forgetting takes none away: it would wait for whoever mines the trace, and
-- the number says nothing of what they were.
CREATE FUNCTION curation_keep_count() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE traces_trace t SET proposal_count = t.proposal_count + c.n
    FROM (SELECT project_id, source_trace_id, count(*) AS n FROM added
          WHERE source_trace_id IS NOT NULL GROUP BY project_id, source_trace_id) c
    WHERE t.project_id = c.project_id AND t.trace_id = c.source_trace_id;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_count AFTER INSERT ON curation_proposal
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION curation_keep_count();
