-- The categories of a project with how many current facts hold each, from the index alone: the newest of each up to a bound.
WITH RECURSIVE listed AS (
    SELECT id, name::text, retired_at IS NOT NULL AS retired, now_called::text, id AS place
    FROM facts_category WHERE project_id = %(project)s
    UNION ALL
    SELECT NULL, u.name, false, '', u.place FROM unnest(%(usual)s::text[]) WITH ORDINALITY u(name, place)
    WHERE NOT EXISTS (SELECT FROM facts_category WHERE project_id = %(project)s)
), used AS (
    -- One look at the index for each name, whatever the number of facts.
    (SELECT category::text AS name, 1 AS n FROM facts_fact
     WHERE project_id = %(project)s AND superseded_at IS NULL AND retired_at IS NULL ORDER BY category LIMIT 1)
    UNION ALL
    SELECT (SELECT f.category::text FROM facts_fact f
            WHERE f.project_id = %(project)s AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.category > used.name
            ORDER BY f.category LIMIT 1), n + 1
    FROM used WHERE used.name IS NOT NULL AND n < %(found)s
), named AS (
    SELECT id, name, retired, now_called, true AS listed, place FROM listed
    UNION ALL
    SELECT NULL, u.name, false, '', false, NULL FROM used u
    WHERE u.name IS NOT NULL AND NOT EXISTS (SELECT FROM listed l WHERE l.name = u.name)
)
SELECT n.id, n.name, n.retired, n.now_called, n.listed, c.seen, c.looked >= %(looked)s
FROM named n, LATERAL (
    SELECT count(*) FILTER (WHERE t.sensitivity = ANY (%(sensitivities)s)) AS seen, count(*) AS looked FROM (
        SELECT f.sensitivity FROM facts_fact f
        WHERE f.project_id = %(project)s AND f.category = n.name AND f.superseded_at IS NULL AND f.retired_at IS NULL
        ORDER BY f.id DESC LIMIT %(looked)s) t) c
WHERE n.listed OR c.seen > 0
ORDER BY n.listed DESC, n.retired, n.place, n.name
