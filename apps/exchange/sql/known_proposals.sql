-- Words that wait for a decision, or that a person said no to.
SELECT p.scope, p.scope_id, p.norm_hash FROM curation_proposal p
WHERE p.project_id = %(project)s AND p.norm_hash = ANY (%(digests)s)
  AND p.state IN ('pending', 'quarantined', 'accepted', 'rejected') AND p.op IN ('add', 'supersede', 'merge');
