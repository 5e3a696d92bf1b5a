-- How many rows a forget would take, store by store, each up to `most` where that is given: facts, superseded ones among
-- them, words that they or their proposals rest on, these proposals, and counts of who was told.
WITH fact AS (
    SELECT f.superseded_at FROM facts_fact f
    WHERE f.project_id = %(project)s AND f.id = ANY (%(facts)s::bigint[]) LIMIT %(most)s
)
SELECT (SELECT count(*) FROM fact), (SELECT count(superseded_at) FROM fact), (
    SELECT count(*) FROM (
        SELECT FROM facts_factsource s WHERE s.project_id = %(project)s AND s.fact_id = ANY (%(facts)s::bigint[])
        UNION ALL
        SELECT FROM curation_proposalevidence e
        WHERE e.project_id = %(project)s AND e.proposal_id = ANY (%(proposals)s::uuid[])
        LIMIT %(most)s) t), (
    SELECT count(*) FROM (
        SELECT FROM curation_proposal p WHERE p.project_id = %(project)s AND p.id = ANY (%(proposals)s::uuid[])
        LIMIT %(most)s) t), (
    SELECT count(*) FROM (
        SELECT FROM recall_factserving s WHERE s.project_id = %(project)s AND s.fact_id = ANY (%(facts)s::bigint[])
        LIMIT %(most)s) t);
