-- Every column of the product's own tables that can hold words, whatever its type: what a verification has to look through.
-- What the database generates from another column of the row holds nothing that this one does not.
SELECT c.table_name, c.column_name, c.data_type,
       EXISTS (SELECT FROM information_schema.columns p
               WHERE p.table_schema = 'public' AND p.table_name = c.table_name AND p.column_name = 'project_id')
FROM information_schema.columns c
JOIN pg_class t ON t.relname = c.table_name AND t.relnamespace = 'public'::regnamespace
WHERE c.table_schema = 'public' AND t.relkind IN ('r', 'p') AND NOT t.relispartition
  AND c.is_generated = 'NEVER'
  AND (c.data_type IN ('text', 'character varying', 'character', 'json', 'jsonb', 'tsvector', 'bytea', 'ARRAY')
       OR c.udt_name = 'citext')
ORDER BY c.table_name, c.ordinal_position
