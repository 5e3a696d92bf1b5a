-- The versions that some facts replaced, directly or through others, and what one of all these was copied from when a merge
-- was taken back: a derived fact whose parent is closed and says the same.
WITH RECURSIVE older AS (
    SELECT id FROM unnest(%(facts)s::bigint[]) AS id
    UNION
    SELECT before.id FROM older o CROSS JOIN LATERAL (
        SELECT f.id FROM facts_fact f WHERE f.project_id = %(project)s AND f.superseded_by_id = o.id
        UNION ALL
        SELECT parent.id FROM facts_factderivation d
        JOIN facts_fact child ON child.project_id = %(project)s AND child.id = o.id
        JOIN facts_fact parent ON parent.project_id = %(project)s AND parent.id = d.parent_id
            AND parent.norm_hash = child.norm_hash AND parent.superseded_at IS NOT NULL
        WHERE d.project_id = %(project)s AND d.child_id = o.id
    ) before
)
SELECT id FROM older WHERE id <> ALL (%(facts)s::bigint[]) ORDER BY id;
