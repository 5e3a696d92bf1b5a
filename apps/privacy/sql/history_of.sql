-- The versions that some facts replaced, directly or through others. What was merged into one of them and is about somebody
-- else is no earlier version of it.
WITH RECURSIVE older AS (
    SELECT f.id, f.subject_id FROM facts_fact f WHERE f.project_id = %(project)s AND f.id = ANY (%(facts)s)
    UNION
    SELECT f.id, f.subject_id FROM facts_fact f JOIN older o ON f.project_id = %(project)s AND f.superseded_by_id = o.id
    WHERE f.subject_id IS NOT DISTINCT FROM o.subject_id OR NOT EXISTS (
        SELECT FROM facts_factderivation d WHERE d.project_id = %(project)s AND d.child_id = o.id AND d.parent_id = f.id)
)
SELECT id FROM older WHERE id <> ALL (%(facts)s) ORDER BY id;
