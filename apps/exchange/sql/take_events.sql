-- Read the audit on from where a webhook stands, and queue what it is told of that: the cursor moves with it, or nothing does.
WITH hook AS MATERIALIZED (
    SELECT w.id, w.project_id, w.cursor, w.events FROM exchange_webhook w
    WHERE w.project_id = %(project)s AND w.id = %(webhook)s AND w.enabled FOR NO KEY UPDATE
), happened AS MATERIALIZED (
    SELECT e.seq, e.at, e.verb, e.object_type, e.object_id, e.data, e.result FROM audit_auditevent e, hook
    WHERE e.project_id = hook.project_id AND e.seq > hook.cursor ORDER BY e.seq LIMIT %(most)s
), moved AS (
    UPDATE exchange_webhook w SET cursor = (SELECT max(seq) FROM happened)
    FROM hook WHERE w.project_id = hook.project_id AND w.id = hook.id AND EXISTS (SELECT FROM happened)
), source AS (
    SELECT * FROM jsonb_to_recordset(%(sources)s::jsonb)
        AS s (verb text, event text, about text, way text, key text, needs jsonb, unless jsonb, kinds jsonb)
), told AS (
    SELECT h.seq, h.at, s.event, s.about, thing.id FROM happened h
    JOIN source s ON s.verb = h.verb
    CROSS JOIN hook
    CROSS JOIN LATERAL (
        SELECT h.object_id AS id WHERE s.way = 'own' AND h.object_type = s.about
        UNION ALL
        SELECT jsonb_array_elements_text(
            CASE jsonb_typeof(h.data -> s.key) WHEN 'array' THEN h.data -> s.key ELSE jsonb_build_array(h.data -> s.key) END
        ) WHERE s.way = 'listed'
        UNION ALL
        SELECT p.id::text FROM curation_proposal p WHERE s.way = 'run' AND p.project_id = hook.project_id
          AND p.origin = 'extraction' AND p.run_id = CASE WHEN s.way = 'run' THEN (h.data ->> s.key)::bigint END
    ) thing
    WHERE h.result = 'done' AND s.event = ANY (hook.events) AND thing.id IS NOT NULL
      AND NOT EXISTS (SELECT FROM jsonb_array_elements_text(s.needs) n (name)
                      WHERE coalesce(h.data -> n.name, 'null') IN ('null', 'false', '0', '[]', '{}', '""'))
      AND NOT EXISTS (SELECT FROM jsonb_array_elements_text(s.unless) n (name)
                      WHERE coalesce(h.data -> n.name, 'null') NOT IN ('null', 'false', '0', '[]', '{}', '""'))
      AND (s.kinds = '[]' OR s.kinds @> jsonb_build_array(h.data -> 'kind'))
)
INSERT INTO exchange_webhookdelivery (id, project_id, webhook_id, event, object_type, object_id, seq, at,
                                      state, last_error, claimed_by, attempts, dead_reason)
SELECT
    -- A UUID of version 7: the log is in the order of its ids.
    encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
        substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid,
    hook.project_id, hook.id, told.event, told.about, told.id, told.seq, told.at, 'waiting', '', '', 0, ''
FROM told, hook ORDER BY told.seq
ON CONFLICT DO NOTHING
