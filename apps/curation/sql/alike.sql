-- Facts that may say what one fact says, nearest first: the same words wherever one read may be told both, and of its own
-- place the facts appended next before and after it. `alike` is the cosine of their vectors, null where one has none.
WITH own AS (
    SELECT f.id, f.scope, f.scope_id, f.agent_id, f.content, e.vector, e.dims, e.model
    FROM facts_fact f
    LEFT JOIN recall_factembedding e ON e.project_id = f.project_id AND e.fact_id = f.id
        AND e.model = (SELECT name FROM recall_embeddingmodel WHERE serving)
    WHERE f.project_id = %(project)s AND f.id = %(fact)s
), same AS (
    SELECT f.id FROM own o JOIN facts_fact f ON f.project_id = %(project)s AND f.norm_hash = ANY (%(digests)s) AND f.id <> o.id
    WHERE f.superseded_at IS NULL AND f.retired_at IS NULL AND f.key IS NULL AND f.label = ''
      AND (f.agent_id IS NULL OR o.agent_id IS NULL OR f.agent_id = o.agent_id)
      AND (f.scope <> o.scope OR f.scope_id = o.scope_id)
    ORDER BY f.id DESC LIMIT %(most)s
), beside AS (
    (SELECT f.id FROM own o JOIN facts_fact f ON f.project_id = %(project)s AND f.scope = o.scope AND f.scope_id = o.scope_id
        AND f.id < o.id
     WHERE f.superseded_at IS NULL AND f.retired_at IS NULL ORDER BY f.id DESC LIMIT %(reach)s)
    UNION ALL
    (SELECT f.id FROM own o JOIN facts_fact f ON f.project_id = %(project)s AND f.scope = o.scope AND f.scope_id = o.scope_id
        AND f.id > o.id
     WHERE f.superseded_at IS NULL AND f.retired_at IS NULL ORDER BY f.id LIMIT %(reach)s)
), near AS (
    SELECT f.id, f.content, f.attribute, 1 - (e.vector <=> o.vector) AS alike, similarity(f.content, o.content) AS words
    FROM own o CROSS JOIN beside b
    JOIN facts_fact f ON f.project_id = %(project)s AND f.id = b.id AND f.key IS NULL AND f.label = ''
        AND (f.agent_id IS NULL OR o.agent_id IS NULL OR f.agent_id = o.agent_id)
    LEFT JOIN recall_factembedding e ON e.project_id = %(project)s AND e.fact_id = f.id AND e.model = o.model AND e.dims = o.dims
    WHERE NOT EXISTS (SELECT FROM same WHERE same.id = f.id)
    ORDER BY greatest(1 - (e.vector <=> o.vector), similarity(f.content, o.content)) DESC, f.id DESC LIMIT %(most)s
)
SELECT f.id, f.content, f.attribute, 1.0::float8, 1.0::float8, true FROM same JOIN facts_fact f ON f.project_id = %(project)s AND f.id = same.id
UNION ALL
SELECT id, content, attribute, alike, words::float8, false FROM near WHERE greatest(alike, words) >= %(least)s;
