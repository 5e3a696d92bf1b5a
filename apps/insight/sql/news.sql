WITH mark AS MATERIALIZED (
    -- Since when something is new to this member: his own mark, or his first day in the project.
    SELECT coalesce((SELECT seen_at FROM insight_visit WHERE project_id = %(project)s AND user_id = %(user)s),
                    (SELECT min(created_at) FROM access_membership WHERE project_id = %(project)s AND user_id = %(user)s)) AS at
), waiting AS MATERIALIZED (
    SELECT created_at FROM curation_proposal
    WHERE %(proposals)s AND project_id = %(project)s AND state IN ('pending', 'quarantined')
      AND (snoozed_until IS NULL OR snoozed_until <= %(now)s) AND sensitivity = ANY (%(sensitivities)s)
    ORDER BY created_at, id LIMIT %(most)s
), conflict AS MATERIALIZED (
    SELECT opened_at FROM curation_conflict
    WHERE %(proposals)s AND project_id = %(project)s AND settled_at IS NULL LIMIT %(most)s
), touched AS MATERIALIZED (
    SELECT f.created_at FROM facts_fact f
    WHERE f.project_id = %(project)s AND f.updated_at > (SELECT at FROM mark) AND f.sensitivity = ANY (%(sensitivities)s)
    ORDER BY f.updated_at LIMIT %(few)s
)
SELECT mark.at,
    CASE WHEN %(proposals)s THEN (SELECT count(*) FROM waiting) END,
    (SELECT min(created_at) FROM waiting),
    (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY created_at) FROM waiting),
    CASE WHEN %(proposals)s THEN (SELECT count(*) FROM conflict) END,
    (SELECT min(opened_at) FROM conflict),
    (SELECT count(*) FROM touched WHERE created_at > mark.at),
    (SELECT count(*) FROM touched WHERE created_at <= mark.at),
    CASE WHEN %(proposals)s THEN (SELECT count(*) FROM (
        SELECT FROM curation_proposal WHERE project_id = %(project)s AND state IN ('pending', 'quarantined')
          AND created_at > (SELECT at FROM mark) AND (snoozed_until IS NULL OR snoozed_until <= %(now)s)
        LIMIT %(few)s) t) END,
    CASE WHEN %(proposals)s THEN (SELECT sum(n)::bigint FROM (VALUES ('applied'), ('rejected')) s(state),
        LATERAL (SELECT count(*) AS n FROM (
            SELECT FROM curation_proposal p WHERE p.project_id = %(project)s AND p.state = s.state
              AND p.decided_at IS NOT NULL AND p.decided_at > (SELECT m.at FROM mark m)
            LIMIT %(few)s) t) c) END,
    CASE WHEN %(proposals)s THEN (SELECT count(*) FROM conflict WHERE opened_at > mark.at) END,
    CASE WHEN %(dreams)s THEN (SELECT count(*) FROM (
        SELECT FROM dreaming_dreamrun WHERE project_id = %(project)s AND state = 'proposed' AND NOT dry_run
        LIMIT %(most)s) t) END,
    -- In the order of an index, since the first pages of a table may hold nothing any more.
    (SELECT id FROM traces_trace WHERE project_id = %(project)s ORDER BY id LIMIT 1) IS NOT NULL
        OR (SELECT id FROM facts_fact WHERE project_id = %(project)s ORDER BY id LIMIT 1) IS NOT NULL
FROM mark
