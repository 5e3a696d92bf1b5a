-- Who was told some facts: by key and agent how many of them, how often, first and last. What the ledger holds of the last
-- minutes may not be counted yet, or may be: of both the greater.
WITH told AS (
    SELECT s.key_id, s.agent_id, count(DISTINCT s.fact_id) AS facts, sum(s.reads) AS times, min(s.first_at) AS first, max(s.last_at) AS last
    FROM recall_factserving s WHERE s.project_id = %(project)s AND s.fact_id = ANY (%(facts)s)
    GROUP BY s.key_id, s.agent_id
    UNION ALL
    SELECT l.key_id, l.agent_id, count(DISTINCT f.id), count(*), min(l.at), max(l.at)
    FROM recall_readledger l CROSS JOIN LATERAL unnest(l.fact_ids) f(id)
    WHERE l.project_id = %(project)s AND l.at > clock_timestamp() - interval '10 minutes' AND f.id = ANY (%(facts)s)
    GROUP BY l.key_id, l.agent_id
)
SELECT key_id, agent_id, max(facts), max(times), min(first), max(last) FROM told GROUP BY key_id, agent_id ORDER BY key_id, agent_id
