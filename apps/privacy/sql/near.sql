-- Facts whose vector lies near one of some facts' and that are none of these: each with the nearest of them and how like it is.
-- Every vector of the project is compared.
WITH own AS MATERIALIZED (
    SELECT e.fact_id, e.model, e.dims, e.vector FROM recall_factembedding e
    WHERE e.project_id = %(project)s AND e.fact_id = ANY (%(own)s) ORDER BY e.fact_id DESC LIMIT %(few)s
), near AS (
    SELECT DISTINCT ON (e.fact_id) e.fact_id, 1 - (e.vector <=> o.vector) AS alike, o.fact_id AS beside
    FROM own o JOIN recall_factembedding e ON e.project_id = %(project)s AND e.model = o.model AND e.dims = o.dims
    WHERE e.fact_id <> ALL (%(without)s) AND (e.vector <=> o.vector) <= 1 - %(least)s::float8
    ORDER BY e.fact_id, e.vector <=> o.vector
)
SELECT n.fact_id, n.alike, n.beside FROM near n JOIN facts_fact f ON f.project_id = %(project)s AND f.id = n.fact_id
-- What others said themselves is theirs, and comes last.
ORDER BY f.subject_id IS NOT NULL, n.alike DESC, n.fact_id LIMIT %(most)s
