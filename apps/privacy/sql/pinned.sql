-- Who began before the transaction %(mark)s had ended and so may see rows that were gone by then.
-- A vacuum's own snapshot (not that of its ANALYZE, which is a transaction of its own) keeps nothing.
SELECT 'session', pid::text, coalesce(state, backend_type, '')
FROM pg_stat_activity a
WHERE pid <> pg_backend_pid()
  AND (
    (age(backend_xmin) > age(%(mark)s::text::xid) AND (datname IS NULL OR datname = current_database()))
    OR age(backend_xid) > age(%(mark)s::text::xid)
  )
  AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.pid = a.pid)
UNION ALL
SELECT 'replication slot', slot_name::text, ''
FROM pg_replication_slots
WHERE age(xmin) > age(%(mark)s::text::xid) OR age(catalog_xmin) > age(%(mark)s::text::xid)
UNION ALL
SELECT 'prepared transaction', gid, ''
FROM pg_prepared_xacts
WHERE age(transaction) > age(%(mark)s::text::xid)
