-- Facts in force of one place nearest to a text, by the better of meaning and words. Of a place of up to `most` facts each
-- is looked at; of a larger one the newest, those that share its rare words, and those that `nearest` names, the nearest in
-- meaning of the whole project. So it costs the same however many facts there are. `whole`: each was looked at.
WITH newest AS MATERIALIZED (
    SELECT f.id FROM facts_fact f
    WHERE f.project_id = %(project)s AND f.scope = %(scope)s AND f.scope_id = %(scope_id)s
      AND f.superseded_at IS NULL AND f.retired_at IS NULL
    ORDER BY f.id DESC LIMIT %(most)s
), size AS MATERIALIZED (
    SELECT count(*) < %(most)s AS whole FROM newest
), worded AS MATERIALIZED (
    SELECT n.fact_id AS id FROM near_facts(%(scope)s, %(scope_id)s, %(text)s, 0, %(compared)s, %(limit)s) n
    WHERE NOT (SELECT whole FROM size)
), among AS (
    SELECT id FROM newest UNION SELECT id FROM worded UNION SELECT unnest(%(nearest)s::bigint[])
)
SELECT f.*, 1 - (e.vector <=> %(vector)s::halfvec) AS meaning, similarity(f.content, %(text)s)::float8 AS alike,
       (SELECT whole FROM size) AS whole
-- Row by row: joined, Postgres would sooner read the whole place.
FROM among a CROSS JOIN LATERAL (SELECT p.* FROM facts_fact p WHERE p.project_id = %(project)s AND p.id = a.id OFFSET 0) f
LEFT JOIN recall_factembedding e ON e.project_id = %(project)s AND e.fact_id = f.id AND e.model = %(model)s AND e.dims = %(dims)s
WHERE f.scope = %(scope)s AND f.scope_id = %(scope_id)s AND f.label = '' AND fact_in_force(f, now())
  AND (%(agent)s::uuid IS NULL OR f.agent_id IS NULL OR f.agent_id = %(agent)s::uuid)
ORDER BY greatest(similarity(f.content, %(text)s), 1 - (e.vector <=> %(vector)s::halfvec)) DESC, f.id DESC LIMIT %(limit)s
