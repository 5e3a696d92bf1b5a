SELECT
    -- What the frame around every page says of its project, in one statement of which no part grows with the project: a
    -- count stops at one over what is shown as "1,000+", so many traces are looked at from the oldest on, and the runs of today
    -- up to the same number as a count. What the reader may not see is not counted (null).
    CASE WHEN %(facts)s THEN (SELECT count(*) FROM (
        SELECT FROM facts_fact
        WHERE project_id = %(project)s AND superseded_at IS NULL AND retired_at IS NULL
          AND sensitivity = ANY (%(sensitivities)s)
        LIMIT %(most)s) t) END AS facts,
    CASE WHEN %(review)s THEN (SELECT count(*) FROM (
        SELECT FROM curation_proposal
        WHERE project_id = %(project)s AND state IN ('pending', 'quarantined')
          AND (snoozed_until IS NULL OR snoozed_until <= now()) AND sensitivity = ANY (%(sensitivities)s)
        LIMIT %(most)s) t) END AS review,
    CASE WHEN %(conflicts)s THEN (SELECT count(*) FROM (
        SELECT FROM curation_conflict WHERE project_id = %(project)s AND settled_at IS NULL
        LIMIT %(most)s) t) END AS conflicts,
    CASE WHEN %(dreams)s THEN (SELECT count(*) FROM (
        SELECT FROM dreaming_dreamrun WHERE project_id = %(project)s AND state = 'proposed' AND NOT dry_run
        LIMIT %(most)s) t) END AS dreams,
    queue.dead, queue.oldest, spent.cost, spent.more,
    CASE WHEN %(health)s THEN (SELECT count(*) FROM extraction_worker WHERE seen_at > %(alive)s) END AS workers
FROM (SELECT bool_or(t.dead) AS dead, min(t.last_arrival_at) FILTER (WHERE NOT t.dead AND t.not_before IS NULL) AS oldest
      FROM (SELECT last_arrival_at, not_before,
                   dead_reason <> '' OR attempts >= %(attempts)s AND (lease_until IS NULL OR lease_until <= now()) AS dead
            FROM traces_trace
            WHERE %(health)s AND project_id = %(project)s AND extracted_at IS NULL AND origin = ''
            ORDER BY started_at, id LIMIT %(looked)s) t) queue,
     (SELECT sum(t.cost) AS cost, count(*) = %(most)s AS more
      FROM (SELECT cost FROM extraction_extractionrun
            WHERE %(health)s AND project_id = %(project)s AND finished_at >= %(midnight)s
            ORDER BY finished_at DESC LIMIT %(most)s) t) spent
