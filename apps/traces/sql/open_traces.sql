-- Make the traces of a batch where they are new, and lock them all in one order. The no-op update is the lock.
INSERT INTO traces_trace (project_id, trace_id, agent_name, origin, root_name, status, span_count, differing_copies,
                          replaced_characters, masked_secrets, claimed_by, attempts, dead_reason)
SELECT %(project)s, t, '', '', '', 'UNSET', 0, 0, 0, 0, '', 0, ''
FROM unnest(%(trace_ids)s::text[]) AS t ORDER BY t
ON CONFLICT (project_id, trace_id) DO UPDATE SET trace_id = excluded.trace_id;
