-- The later versions, at any distance, of facts that were in force at a moment and were superseded since.
WITH RECURSIVE newer AS (
    SELECT f.superseded_by_id AS id FROM facts_fact f
    WHERE f.project_id = %s AND f.superseded_by_id IS NOT NULL AND fact_was_in_force(f, %s)
    UNION
    SELECT f.superseded_by_id FROM facts_fact f JOIN newer n ON f.project_id = %s AND f.id = n.id
    WHERE f.superseded_by_id IS NOT NULL
)
SELECT id FROM newer
