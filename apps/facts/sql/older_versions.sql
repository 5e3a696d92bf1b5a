-- The versions that a fact replaced, directly or through others.
WITH RECURSIVE older AS (
    SELECT id FROM facts_fact WHERE project_id = %(project)s AND superseded_by_id = %(fact)s
    UNION
    SELECT f.id FROM facts_fact f JOIN older o ON f.project_id = %(project)s AND f.superseded_by_id = o.id
)
SELECT id FROM older ORDER BY id;
