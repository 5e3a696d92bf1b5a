-- Lines of files that were brought in, and files, that may name somebody: candidates, which the caller looks at closely. `own`: a
-- field of the line is one of her ids, literal, or of her addresses in small letters.
WITH p AS MATERIALIZED (SELECT privacy_needles(%(needles)s) AS needles)
SELECT 'import_lines' AS store, l.id, t.said, t.own FROM p, exchange_importline l
CROSS JOIN LATERAL (SELECT l.record::text AS said, EXISTS (
    SELECT FROM jsonb_each_text(CASE WHEN jsonb_typeof(l.record) = 'object' THEN l.record ELSE '{}' END) v
    WHERE v.value = ANY (%(ids)s) OR lower(v.value) = ANY (%(addresses)s)) AS own) t
WHERE l.project_id = %(project)s AND l.record IS NOT NULL AND (t.own OR privacy_folded(t.said) LIKE ANY (p.needles))
UNION ALL
SELECT 'imports', i.id, t.said, i.name = ANY (%(ids)s) OR i.header && %(ids)s FROM p, exchange_import i
CROSS JOIN LATERAL (SELECT concat_ws(E'\n', i.name, i.header::text, i.columns::text) AS said) t
WHERE i.project_id = %(project)s AND (i.name = ANY (%(ids)s) OR i.header && %(ids)s OR privacy_folded(t.said) LIKE ANY (p.needles))
ORDER BY 1, 2
