-- Proposals with one of these digests that wait or were refused, oldest first.
SELECT id, scope, scope_id, norm_hash, state, source_trace_id FROM curation_proposal
WHERE project_id = %(project)s AND norm_hash = ANY (%(digests)s)
  AND op = ANY (%(saying)s) AND state = ANY (%(states)s)
ORDER BY id;
