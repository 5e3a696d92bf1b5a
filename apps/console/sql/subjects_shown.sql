-- What a row of the list of subjects says of each: current facts and waiting proposals by sensitivity, each count up to a
-- cap, and aliases. From indexes alone, one short walk a subject.
SELECT s.id,
    (SELECT coalesce(json_object_agg(c.sensitivity, c.n), '{}') FROM (
        SELECT f.sensitivity, count(*) AS n FROM (
            SELECT sensitivity FROM facts_fact
            WHERE project_id = %(project)s AND subject_id = s.id AND superseded_at IS NULL AND retired_at IS NULL
            LIMIT %(cap)s) f
        GROUP BY f.sensitivity) c) AS facts,
    (SELECT coalesce(json_object_agg(c.sensitivity, c.n), '{}') FROM (
        SELECT p.sensitivity, count(*) AS n FROM (
            SELECT sensitivity FROM curation_proposal
            WHERE project_id = %(project)s AND subject_id = s.id AND state IN ('pending', 'quarantined')
            LIMIT %(cap)s) p
        GROUP BY p.sensitivity) c) AS pending,
    a.names
FROM unnest(%(subjects)s::bigint[]) s(id)
LEFT JOIN (
    SELECT subject_id, array_agg(external_id ORDER BY id) AS names FROM tenancy_subjectalias
    WHERE project_id = %(project)s AND subject_id = ANY (%(subjects)s::bigint[]) GROUP BY subject_id
) a ON a.subject_id = s.id;
