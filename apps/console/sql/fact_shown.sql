-- Everything that a fact's page shows of it, in one row of JSON: null where there is no such fact, or none the reader may see.
-- Long lists are cut, and say how many there are up to a cap.
WITH RECURSIVE shown AS (
    SELECT f.* FROM facts_fact f
    WHERE f.project_id = %(project)s AND f.id = %(fact)s AND f.sensitivity = ANY (%(visible)s)
), later AS (
    SELECT id, superseded_by_id FROM shown
    UNION
    SELECT f.id, f.superseded_by_id FROM facts_fact f JOIN later n ON f.project_id = %(project)s AND f.id = n.superseded_by_id
), newer AS MATERIALIZED (
    SELECT id FROM later LIMIT %(chain)s
), walked AS (
    -- As apps/facts/sql/versions.sql, up to so many, the newest first: the walk stops where nobody asks for more.
    (SELECT id FROM newer ORDER BY id DESC)
    UNION
    SELECT before.id FROM walked c CROSS JOIN LATERAL (
        SELECT f.id FROM facts_fact f WHERE f.project_id = %(project)s AND f.superseded_by_id = c.id
        UNION ALL
        -- From the lineage on, which few facts have, whatever else there is an index of.
        SELECT parent.id FROM (
            SELECT parent_id FROM facts_factderivation WHERE project_id = %(project)s AND child_id = c.id OFFSET 0) d
        CROSS JOIN LATERAL (
            SELECT f.id FROM facts_fact f
            WHERE f.project_id = %(project)s AND f.id = d.parent_id AND f.superseded_at IS NOT NULL
              AND f.norm_hash = (SELECT child.norm_hash FROM facts_fact child
                                 WHERE child.project_id = %(project)s AND child.id = c.id)
            LIMIT 1) parent
    ) before
), chain AS MATERIALIZED (
    SELECT id FROM walked LIMIT %(chain)s
), recent AS (
    SELECT f.* FROM facts_fact f
    WHERE f.project_id = %(project)s AND f.id = ANY (ARRAY (SELECT id FROM chain ORDER BY id DESC LIMIT %(versions)s))
), acts AS (
    SELECT a.seq, a.at, a.actor_kind, a.actor_id, a.verb, a.object_id, a.reason, a.data FROM audit_auditevent a
    WHERE a.project_id = %(project)s AND a.object_type = 'fact' AND a.result = 'done'
      AND a.object_id = ANY (ARRAY (SELECT id::text FROM recent))
    ORDER BY a.seq DESC LIMIT %(acts)s
), people AS (
    SELECT approved_by AS ref FROM recent UNION SELECT actor_kind || ':' || actor_id FROM acts
), quoted AS (
    -- The first that were kept: of all there are, those of the earliest moment would be looked for in every row.
    SELECT * FROM (
        SELECT s.* FROM facts_factsource s
        WHERE s.project_id = %(project)s AND s.fact_id = (SELECT id FROM shown) AND %(quotes)s > 0 LIMIT %(quotes)s) s
    ORDER BY s.observed_at, s.message_id, s.start
), heard AS (
    SELECT m.* FROM traces_message m
    WHERE m.project_id = %(project)s AND m.id = ANY (ARRAY (
        SELECT message_id FROM quoted WHERE message_id IS NOT NULL GROUP BY message_id ORDER BY min(observed_at), 1
        LIMIT %(messages)s))
), told AS (
    SELECT s.agent_id, s.key_id, CASE WHEN %(by_user)s THEN s.subject_id END AS subject_id, s.subject_id AS one, s.reads,
           s.first_at, s.last_at
    FROM recall_factserving s WHERE s.project_id = %(project)s AND s.fact_id = (SELECT id FROM shown)
    LIMIT %(servings)s
), tellings AS (
    SELECT agent_id, key_id, subject_id, sum(reads) AS reads, min(first_at) AS first_at, max(last_at) AS last_at,
           count(DISTINCT one) AS users, count(*) OVER () AS lines
    FROM told GROUP BY agent_id, key_id, subject_id
    ORDER BY sum(reads) DESC, max(last_at) DESC, agent_id, key_id, subject_id LIMIT %(lines)s
), told_agents AS MATERIALIZED (
    -- Looked up together, not once for each line.
    SELECT a.id, a.name FROM tenancy_agent a
    WHERE a.project_id = %(project)s AND a.id = ANY (ARRAY (SELECT DISTINCT agent_id FROM tellings))
), told_keys AS MATERIALIZED (
    SELECT k.id, k.name FROM access_apikey k
    WHERE k.project_id = %(project)s AND k.id = ANY (ARRAY (SELECT DISTINCT key_id FROM tellings))
), told_users AS MATERIALIZED (
    SELECT s.id, s.external_id FROM tenancy_subject s
    WHERE s.project_id = %(project)s AND s.id = ANY (ARRAY (SELECT DISTINCT subject_id FROM tellings))
)
SELECT json_build_object(
    'fact', to_jsonb(f) - ARRAY['words', 'brief', 'loose_hash', 'norm_hash'],
    'agent', (SELECT a.name FROM tenancy_agent a WHERE a.project_id = f.project_id AND a.id = f.agent_id),
    'versions', (
        SELECT json_agg(to_jsonb(v) - ARRAY['words', 'brief', 'loose_hash', 'norm_hash'] ORDER BY v.created_at, v.id)
        FROM recent v),
    'version_count', (SELECT count(*) FROM chain),
    'acts', (SELECT coalesce(json_agg(a ORDER BY a.seq), '[]') FROM acts a),
    'users', (
        SELECT coalesce(json_object_agg('user:' || u.id, coalesce(nullif(u.name, ''), u.email)), '{}')
        FROM people p JOIN access_user u ON 'user:' || u.id = p.ref
        WHERE u.id = ANY (ARRAY (SELECT substr(ref, 6)::bigint FROM people WHERE ref ~ '^user:[0-9]{1,18}$'))),
    'keys', (
        SELECT coalesce(json_object_agg('key:' || k.id, 'key ' || k.name), '{}') FROM access_apikey k
        WHERE k.project_id = f.project_id
          AND k.id = ANY (ARRAY (SELECT substr(ref, 5)::bigint FROM people WHERE ref ~ '^key:[0-9]{1,18}$'))),
    'sources', (SELECT coalesce(json_agg(to_jsonb(q) ORDER BY q.observed_at, q.message_id, q.start), '[]') FROM quoted q),
    'messages', (
        SELECT coalesce(json_agg(json_build_object('id', m.id, 'role', m.role, 'content', m.content, 'at', m.at)), '[]')
        FROM heard m),
    'around', (
        SELECT coalesce(json_agg(json_build_object('id', n.id, 'role', n.role, 'text', n.text, 'after', n.after)), '[]') FROM (
            (SELECT p.id, p.role, left(p.content, %(turn)s) AS text, false AS after FROM heard m JOIN traces_message p
                ON p.project_id = m.project_id AND p.trace_id = m.trace_id AND (p.at, p.id) < (m.at, m.id)
             WHERE m.id = (SELECT message_id FROM quoted WHERE message_id IS NOT NULL ORDER BY observed_at, message_id LIMIT 1)
             ORDER BY p.at DESC, p.id DESC LIMIT 1)
            UNION ALL
            (SELECT p.id, p.role, left(p.content, %(turn)s) AS text, true AS after FROM heard m JOIN traces_message p
                ON p.project_id = m.project_id AND p.trace_id = m.trace_id AND (p.at, p.id) > (m.at, m.id)
             WHERE m.id = (SELECT message_id FROM quoted WHERE message_id IS NOT NULL ORDER BY observed_at, message_id LIMIT 1)
             ORDER BY p.at, p.id LIMIT 1)) n),
    'served', (
        SELECT json_build_object('reads', t.reads, 'last_at', t.last_at) FROM recall_facttold t
        WHERE t.project_id = f.project_id AND t.fact_id = f.id),
    'servings', (SELECT count(*) FROM told),
    'tellings', (
        SELECT coalesce(json_agg(json_build_object(
            'agent_id', t.agent_id, 'agent', a.name, 'key', k.name, 'user', s.external_id, 'users', t.users,
            'reads', t.reads, 'first_at', t.first_at, 'last_at', t.last_at, 'lines', t.lines)
            ORDER BY t.reads DESC, t.last_at DESC, t.agent_id, t.key_id, t.subject_id), '[]')
        FROM tellings t
        LEFT JOIN told_agents a ON a.id = t.agent_id
        LEFT JOIN told_keys k ON k.id = t.key_id
        LEFT JOIN told_users s ON s.id = t.subject_id),
    'made_of', (
        SELECT coalesce(json_agg(json_build_array(p.id, p.content, p.sensitivity) ORDER BY p.id), '[]') FROM (
            SELECT p.id, p.content, p.sensitivity FROM facts_factderivation d JOIN facts_fact p
                ON p.project_id = d.project_id AND p.id = d.parent_id
            WHERE d.project_id = f.project_id AND d.child_id = f.id ORDER BY p.id LIMIT %(lines)s) p),
    'made_into', (
        SELECT coalesce(json_agg(json_build_array(c.id, c.content, c.sensitivity) ORDER BY c.id), '[]') FROM (
            SELECT c.id, c.content, c.sensitivity FROM facts_factderivation d JOIN facts_fact c
                ON c.project_id = d.project_id AND c.id = d.child_id
            WHERE d.project_id = f.project_id AND d.parent_id = f.id ORDER BY c.id LIMIT %(lines)s) c)
)
FROM shown f;
