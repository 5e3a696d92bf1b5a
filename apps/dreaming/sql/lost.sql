-- Facts that runs closed and that lead nowhere: what replaced them, or what replaced that, is not there, and nothing was
-- forgotten since that would explain it. Retired ones are kept and lead to themselves.
WITH RECURSIVE chain AS (
    SELECT t.fact_id AS first, t.fact_id AS id, 0 AS depth
    FROM dreaming_dreamchange c
    JOIN dreaming_dreamtarget t ON t.project_id = c.project_id AND t.change_id = c.id AND t.role = 'source'
    WHERE c.project_id = %(project)s AND c.state IN ('applied', 'undone') AND c.decided_at > now() - make_interval(days => %(days)s)
    UNION
    SELECT chain.first, f.superseded_by_id, chain.depth + 1
    FROM chain JOIN facts_fact f ON f.project_id = %(project)s AND f.id = chain.id
    WHERE f.superseded_by_id IS NOT NULL AND chain.depth < 1000
), ends AS (
    SELECT DISTINCT ON (chain.first) chain.first, f.id, f.superseded_at, f.superseded_by_id
    FROM chain LEFT JOIN facts_fact f ON f.project_id = %(project)s AND f.id = chain.id
    ORDER BY chain.first, chain.depth DESC
)
SELECT e.first FROM ends e
WHERE (e.id IS NULL OR e.superseded_at IS NOT NULL)
  AND NOT EXISTS (
      SELECT FROM facts_factderivation d JOIN facts_fact f ON f.project_id = d.project_id AND f.id = d.child_id
      WHERE d.project_id = %(project)s AND d.parent_id = e.first AND f.superseded_at IS NULL)
  AND NOT EXISTS (
      SELECT FROM tenancy_tombstone b WHERE b.project_id = %(project)s AND b.created_at >= coalesce(e.superseded_at, '-infinity'))
ORDER BY e.first;
