-- Who began before the transaction `mark` had ended, and so may see rows that were gone by then.
-- A vacuum's own snapshot (not that of its ANALYZE, which is a transaction of its own) keeps nothing.
WITH mark AS MATERIALIZED (SELECT age(%(mark)s::text::xid) AS age)
SELECT 'session', pid::text, coalesce(state, backend_type, '')
FROM pg_stat_activity a, mark
WHERE pid <> pg_backend_pid()
  AND (
    (age(backend_xmin) > mark.age AND (datname IS NULL OR datname = current_database()))
    OR age(backend_xid) > mark.age
  )
  AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.pid = a.pid)
UNION ALL
SELECT 'replication slot', slot_name::text, ''
FROM pg_replication_slots, mark
WHERE age(xmin) > mark.age OR age(catalog_xmin) > mark.age
UNION ALL
SELECT 'prepared transaction', gid, ''
FROM pg_prepared_xacts, mark
WHERE age(transaction) > mark.age
