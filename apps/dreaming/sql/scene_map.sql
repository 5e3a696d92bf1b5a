-- What a place holds, counted in one pass: facts, their memory types, and what a run may have to see to.
WITH f AS MATERIALIZED (
    SELECT f.id, f.agent_id, f.attribute, f.loose_hash, f.memory_type, length(f.content) AS length, f.pinned,
           (f.expires_at <= now() OR f.valid_to <= now()) IS TRUE AS ended
    FROM facts_fact f
    WHERE f.project_id = %(project)s AND f.scope = %(scope)s AND f.scope_id = %(scope_id)s AND f.id <= %(base)s
      AND f.superseded_at IS NULL AND f.retired_at IS NULL AND f.restricted_at IS NULL AND f.key IS NULL AND f.label = ''
)
SELECT (SELECT count(*) FROM f),
       (SELECT coalesce(jsonb_object_agg(t.memory_type, t.n), '{}') FROM (SELECT memory_type, count(*) AS n FROM f GROUP BY 1) t),
       (SELECT coalesce(sum(n), 0)::bigint FROM (SELECT count(*) AS n FROM f GROUP BY agent_id, loose_hash HAVING count(*) > 1) t)
           + (SELECT count(*) FROM f JOIN curation_duplicatemember d ON d.project_id = %(project)s AND d.fact_id = f.id),
       (SELECT coalesce(sum(n), 0)::bigint FROM (
           SELECT count(*) AS n FROM f WHERE attribute IS NOT NULL GROUP BY agent_id, attribute HAVING count(*) > 1) t),
       (SELECT count(*) FROM f WHERE ended),
       (SELECT count(*) FROM f WHERE length > %(verbose)s),
       (SELECT count(*) FROM f WHERE pinned);
