-- Pairs of a place that stand in one group of duplicates and that nobody told apart, with the likeness of their vectors (null
-- where one has none) and of their letters.
WITH m AS MATERIALIZED (
    SELECT d.group_id, f.id, f.agent_id, f.content, f.attribute, e.vector, e.dims
    FROM curation_duplicatemember d
    JOIN facts_fact f ON f.project_id = %(project)s AND f.id = d.fact_id
    LEFT JOIN recall_factembedding e ON e.project_id = f.project_id AND e.fact_id = f.id
        AND e.model = (SELECT name FROM recall_embeddingmodel WHERE serving)
    WHERE d.project_id = %(project)s AND f.project_id = %(project)s AND f.scope = %(scope)s AND f.scope_id = %(scope_id)s AND f.id <= %(base)s
      AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL AND f.key IS NULL AND f.label = ''
    ORDER BY d.group_id, f.id LIMIT %(most)s
)
SELECT a.id, b.id, a.content, b.content, coalesce(a.attribute = b.attribute AND a.attribute = ANY (%(single)s::text[]), false),
       CASE WHEN a.dims = b.dims THEN 1 - (a.vector <=> b.vector) END, similarity(a.content, b.content)
FROM m a JOIN m b ON b.group_id = a.group_id AND b.id > a.id AND b.agent_id IS NOT DISTINCT FROM a.agent_id
WHERE NOT EXISTS (
    SELECT FROM curation_notduplicates n WHERE n.project_id = %(project)s AND n.first_id = a.id AND n.second_id = b.id)
ORDER BY a.id, b.id LIMIT %(most)s;
