-- The head of a subject's page, no row where there is none: every count up to a cap, facts and proposals by sensitivity.
SELECT s.id, s.kind, s.external_id, s.created_at, s.last_seen_at,
    (SELECT coalesce(json_agg(json_build_array(a.id, a.external_id) ORDER BY a.id), '[]')
     FROM tenancy_subjectalias a WHERE a.project_id = s.project_id AND a.subject_id = s.id) AS aliases,
    (SELECT coalesce(json_object_agg(c.sensitivity, c.n), '{}') FROM (
        SELECT f.sensitivity, count(*) AS n FROM (
            SELECT sensitivity FROM facts_fact
            WHERE project_id = s.project_id AND subject_id = s.id AND superseded_at IS NULL AND retired_at IS NULL
            LIMIT %(cap)s) f
        GROUP BY f.sensitivity) c) AS current,
    (SELECT coalesce(json_object_agg(c.sensitivity, c.n), '{}') FROM (
        SELECT f.sensitivity, count(*) AS n FROM (
            SELECT sensitivity FROM facts_fact
            WHERE project_id = s.project_id AND subject_id = s.id
              AND (superseded_at IS NOT NULL OR retired_at IS NOT NULL)
            LIMIT %(cap)s) f
        GROUP BY f.sensitivity) c) AS past,
    (SELECT coalesce(json_object_agg(c.sensitivity, c.n), '{}') FROM (
        SELECT p.sensitivity, count(*) AS n FROM (
            SELECT sensitivity FROM curation_proposal
            WHERE project_id = s.project_id AND subject_id = s.id AND state IN ('pending', 'quarantined')
            LIMIT %(cap)s) p
        GROUP BY p.sensitivity) c) AS pending,
    (SELECT count(*) FROM (
        SELECT FROM facts_fact f
        WHERE f.project_id = s.project_id AND f.subject_id = s.id AND f.superseded_at IS NULL
          AND f.retired_at IS NULL AND f.source = 'learned' AND fact_in_force(f, now())
        LIMIT %(cap)s) f) AS learned,
    (SELECT count(*) FROM (
        SELECT FROM traces_trace
        WHERE project_id = s.project_id AND subject_id = s.id AND started_at IS NOT NULL LIMIT %(cap)s) t) AS traces,
    (SELECT started_at FROM traces_trace
     WHERE project_id = s.project_id AND subject_id = s.id AND started_at IS NOT NULL
     ORDER BY started_at, id LIMIT 1) AS first_trace_at,
    (SELECT count(*) FROM (
        SELECT FROM recall_readledger
        WHERE project_id = s.project_id AND subject_id = s.id AND at >= now() - interval '7 days'
        LIMIT %(cap)s) r) AS reads,
    e.id IS NOT NULL AS has_settings, e.max_learned
FROM tenancy_subject s LEFT JOIN extraction_extractionsettings e ON e.project_id = s.project_id
WHERE s.project_id = %(project)s AND s.id = %(subject)s;
