-- A fact's whole chain: from any version up to the newest, and from there down to all it replaced.
WITH RECURSIVE newer AS (
    SELECT id, superseded_by_id FROM facts_fact WHERE project_id = %(project)s AND id = %(fact)s
    UNION
    SELECT f.id, f.superseded_by_id FROM facts_fact f JOIN newer n
        ON f.project_id = %(project)s AND f.id = n.superseded_by_id
), chain AS (
    SELECT id FROM newer
    UNION
    SELECT f.id FROM facts_fact f JOIN chain c ON f.project_id = %(project)s AND f.superseded_by_id = c.id
)
SELECT id FROM chain ORDER BY id;
