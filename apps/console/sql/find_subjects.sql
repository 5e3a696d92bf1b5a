-- Subjects whose id or another id of theirs begins so, the exact one first.
SELECT s.id, s.external_id, found.name, upper(found.name) = upper(%(words)s) AS exact
FROM ((SELECT id AS subject_id, external_id AS name FROM tenancy_subject
       WHERE project_id = %(project)s AND name_key >= upper(%(words)s) AND name_key < upper(%(words)s) || U&'\+10FFFF'
       ORDER BY name_key, id LIMIT %(most)s)
      UNION ALL
      (SELECT subject_id, external_id FROM tenancy_subjectalias
       WHERE project_id = %(project)s AND name_key >= upper(%(words)s) AND name_key < upper(%(words)s) || U&'\+10FFFF'
       ORDER BY name_key, id LIMIT %(most)s)) found
JOIN tenancy_subject s ON s.project_id = %(project)s AND s.id = found.subject_id
WHERE s.suppressed_at IS NULL
ORDER BY exact DESC, length(found.name), found.name, s.id
LIMIT %(most)s
