-- What has a name that begins so: subjects, by another id of theirs too, agents that have it anywhere in theirs, and traces
-- by the beginning of their id. Kind, id, name, what is said beside it, and whether it is exactly this. At most `most` a kind.
(SELECT 'subject' AS kind, s.id::text, s.external_id AS name,
        CASE WHEN found.name <> s.external_id THEN found.name ELSE '' END AS beside, upper(found.name) = upper(%(words)s) AS exact
 FROM ((SELECT id AS subject_id, external_id AS name FROM tenancy_subject
        WHERE %(subjects)s AND project_id = %(project)s
          AND name_key >= upper(%(words)s) AND name_key < upper(%(words)s) || U&'\+10FFFF'
        ORDER BY name_key, id LIMIT %(most)s)
       UNION ALL
       (SELECT subject_id, external_id FROM tenancy_subjectalias
        WHERE %(subjects)s AND project_id = %(project)s
          AND name_key >= upper(%(words)s) AND name_key < upper(%(words)s) || U&'\+10FFFF'
        ORDER BY name_key, id LIMIT %(most)s)) found
 JOIN tenancy_subject s ON s.project_id = %(project)s AND s.id = found.subject_id
 WHERE s.suppressed_at IS NULL
 ORDER BY exact DESC, length(found.name), found.name, s.id LIMIT %(most)s)
UNION ALL
(SELECT 'agent', id::text, name, '', name = %(words)s FROM tenancy_agent
 WHERE %(agents)s AND project_id = %(project)s AND strpos(upper(name), upper(%(words)s)) > 0
 ORDER BY name = %(words)s DESC, name LIMIT %(most)s)
UNION ALL
(SELECT 'trace', trace_id, trace_id, agent_name, trace_id = %(hex)s FROM traces_trace
 -- A range, which an index finds under every collation: no hex digit comes after "f".
 WHERE %(hex)s <> '' AND project_id = %(project)s AND trace_id >= %(hex)s AND trace_id < %(hex)s || 'g'
 ORDER BY trace_id LIMIT %(most)s)
