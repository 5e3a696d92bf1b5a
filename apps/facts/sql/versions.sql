-- A fact's whole chain: from any version up to the newest, and from there down to all it replaced, and to what it was copied
-- from when a merge was taken back (as older_versions.sql).
WITH RECURSIVE newer AS (
    SELECT id, superseded_by_id FROM facts_fact WHERE project_id = %(project)s AND id = %(fact)s
    UNION
    SELECT f.id, f.superseded_by_id FROM facts_fact f JOIN newer n
        ON f.project_id = %(project)s AND f.id = n.superseded_by_id
), chain AS (
    SELECT id FROM newer
    UNION
    SELECT before.id FROM chain c CROSS JOIN LATERAL (
        SELECT f.id FROM facts_fact f WHERE f.project_id = %(project)s AND f.superseded_by_id = c.id
        UNION ALL
        SELECT parent.id FROM facts_factderivation d
        JOIN facts_fact child ON child.project_id = %(project)s AND child.id = c.id
        JOIN facts_fact parent ON parent.project_id = %(project)s AND parent.id = d.parent_id
            AND parent.norm_hash = child.norm_hash AND parent.superseded_at IS NOT NULL
        WHERE d.project_id = %(project)s AND d.child_id = c.id
    ) before
)
SELECT id FROM chain ORDER BY id;
