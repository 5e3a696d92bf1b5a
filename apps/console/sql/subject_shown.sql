-- The head of a subject's page in one row, null where there is no such subject: every count up to a cap, facts and
-- proposals by sensitivity.
SELECT json_build_object(
    'external_id', s.external_id, 'kind', s.kind, 'known_since', s.created_at, 'last_seen', s.last_seen_at,
    'aliases', (
        SELECT coalesce(json_agg(json_build_array(a.id, a.external_id, a.created_at) ORDER BY a.id), '[]')
        FROM tenancy_subjectalias a WHERE a.project_id = s.project_id AND a.subject_id = s.id),
    'current', (
        SELECT coalesce(json_object_agg(c.sensitivity, c.n), '{}') FROM (
            SELECT f.sensitivity, count(*) AS n FROM (
                SELECT sensitivity FROM facts_fact
                WHERE project_id = s.project_id AND subject_id = s.id AND superseded_at IS NULL AND retired_at IS NULL
                LIMIT %(cap)s) f
            GROUP BY f.sensitivity) c),
    'learned', (
        SELECT count(*) FROM (
            SELECT FROM facts_fact f
            WHERE f.project_id = s.project_id AND f.subject_id = s.id AND f.superseded_at IS NULL
              AND f.retired_at IS NULL AND f.source = 'learned' AND fact_in_force(f, now())
            LIMIT %(cap)s) f),
    'past', (
        SELECT coalesce(json_object_agg(c.sensitivity, c.n), '{}') FROM (
            SELECT f.sensitivity, count(*) AS n FROM (
                SELECT sensitivity FROM facts_fact
                WHERE project_id = s.project_id AND subject_id = s.id
                  AND (superseded_at IS NOT NULL OR retired_at IS NOT NULL)
                LIMIT %(cap)s) f
            GROUP BY f.sensitivity) c),
    'pending', (
        SELECT coalesce(json_object_agg(c.sensitivity, c.n), '{}') FROM (
            SELECT p.sensitivity, count(*) AS n FROM (
                SELECT sensitivity FROM curation_proposal
                WHERE project_id = s.project_id AND subject_id = s.id AND state IN ('pending', 'quarantined')
                LIMIT %(cap)s) p
            GROUP BY p.sensitivity) c),
    'traces', (
        SELECT count(*) FROM (
            SELECT FROM traces_trace
            WHERE project_id = s.project_id AND subject_id = s.id AND started_at IS NOT NULL LIMIT %(cap)s) t),
    'first_seen', (
        SELECT started_at FROM traces_trace
        WHERE project_id = s.project_id AND subject_id = s.id AND started_at IS NOT NULL
        ORDER BY started_at, id LIMIT 1),
    'reads', (
        SELECT count(*) FROM (
            SELECT FROM recall_readledger
            WHERE project_id = s.project_id AND subject_id = s.id AND at >= now() - interval '7 days'
            LIMIT %(cap)s) r),
    'max_learned', (
        SELECT json_build_array(e.max_learned) FROM extraction_extractionsettings e WHERE e.project_id = s.project_id)
)
FROM tenancy_subject s WHERE s.project_id = %(project)s AND s.id = %(subject)s;
