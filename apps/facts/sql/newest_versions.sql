-- The newest version of each of these facts: itself where nothing replaced it.
WITH RECURSIVE newer AS (
    SELECT id, superseded_by_id FROM facts_fact WHERE project_id = %(project)s AND id = ANY (%(facts)s)
    UNION
    SELECT f.id, f.superseded_by_id FROM facts_fact f JOIN newer n
        ON f.project_id = %(project)s AND f.id = n.superseded_by_id
)
SELECT id FROM newer WHERE superseded_by_id IS NULL ORDER BY id;
