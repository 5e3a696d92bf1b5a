-- What a change is about: its facts as they are now, and the words of the messages it rests on, each in its order. One JSON
-- object for a row of dreaming_dreamchange; evidence that is gone has no words.
(SELECT jsonb_build_object(
    'targets', (SELECT coalesce(jsonb_agg(jsonb_build_object(
                    'fact', f.id, 'role', t.role, 'content', f.content, 'sensitivity', f.sensitivity, 'pinned', f.pinned,
                    'superseded_by', f.superseded_by_id,
                    'current', f.superseded_at IS NULL AND f.retired_at IS NULL) ORDER BY t.id), '[]')
                FROM dreaming_dreamtarget t
                JOIN facts_fact f ON f.project_id = t.project_id AND f.id = t.fact_id
                WHERE t.project_id = dreaming_dreamchange.project_id AND t.change_id = dreaming_dreamchange.id),
    'evidence', (SELECT coalesce(jsonb_agg(jsonb_build_object(
                    'fact', (x.ref->>'fact')::bigint, 'message', m.id, 'trace', m.trace_id,
                    'said', h.id, 'session', h.session_id,
                    'role', coalesce(m.role, h.role), 'text', left(coalesce(m.content, h.content), 400),
                    'at', coalesce(m.at, h.at)) ORDER BY x.place), '[]')
                 FROM jsonb_array_elements(dreaming_dreamchange.evidence) WITH ORDINALITY AS x(ref, place)
                 -- One look at an index each: a plain join reads every message there is.
                 LEFT JOIN LATERAL (
                    SELECT m.id, m.trace_id, m.role, m.content, m.at FROM traces_message m
                    WHERE m.project_id = dreaming_dreamchange.project_id AND m.id = (x.ref->>'message')::bigint LIMIT 1) m ON true
                 LEFT JOIN LATERAL (
                    SELECT h.id, h.session_id, h.role, h.content, h.at FROM traces_sessionmessage h
                    WHERE h.project_id = dreaming_dreamchange.project_id AND h.id = (x.ref->>'said')::bigint LIMIT 1) h ON true
                 WHERE x.place <= 12)))
