-- The vectors of facts that are still there; the lock keeps one from being deleted between the look and the insert.
INSERT INTO recall_factembedding (project_id, fact_id, subject_id, model, dims, vector)
SELECT f.project_id, f.id, f.subject_id, %(model)s, %(dims)s, v.vector
FROM (
    SELECT f.project_id, f.id, f.subject_id FROM facts_fact f
    WHERE f.project_id = %(project)s AND f.id = ANY (%(facts)s) ORDER BY f.id FOR KEY SHARE
) f
JOIN unnest(%(facts)s::bigint[], %(vectors)s::halfvec[]) v(id, vector) ON v.id = f.id
ON CONFLICT DO NOTHING;
