-- Facts in force of one place nearest in meaning to a vector, among its newest `most`, nearest first. `whole`: it has no more.
WITH newest AS MATERIALIZED (
    SELECT f.id FROM facts_fact f
    WHERE f.project_id = %(project)s AND f.scope = %(scope)s AND f.scope_id = %(scope_id)s
      AND f.superseded_at IS NULL AND f.retired_at IS NULL
    ORDER BY f.id DESC LIMIT %(most)s + 1
), near AS MATERIALIZED (
    SELECT e.fact_id AS id, 1 - (e.vector <=> %(vector)s::halfvec) AS meaning
    FROM recall_factembedding e
    WHERE e.project_id = %(project)s AND e.model = %(model)s AND e.dims = %(dims)s
      AND e.fact_id = ANY (ARRAY (SELECT id FROM newest ORDER BY id DESC LIMIT %(most)s))
    -- Of these some may not be shown.
    ORDER BY e.vector <=> %(vector)s::halfvec, e.fact_id DESC LIMIT 8 * %(limit)s
)
SELECT f.*, n.meaning, (SELECT count(*) <= %(most)s FROM newest) AS whole
-- Row by row: joined, Postgres would sooner read the whole place.
FROM near n CROSS JOIN LATERAL (SELECT p.* FROM facts_fact p WHERE p.project_id = %(project)s AND p.id = n.id OFFSET 0) f
WHERE f.label = '' AND fact_in_force(f, now()) AND f.sensitivity = ANY (%(seen)s) AND NOT f.id = ANY (%(without)s)
  AND n.meaning >= %(least)s
ORDER BY n.meaning DESC, f.id DESC LIMIT %(limit)s
