-- Count an attempt of each trace that is still this worker's, and have its lease last from now on.
UPDATE traces_trace t
SET attempts = t.attempts + 1, lease_until = greatest(t.lease_until, now() + make_interval(secs => w.seconds))
FROM (
    SELECT id, token, seconds FROM unnest(%(traces)s::bigint[], %(tokens)s::uuid[], %(seconds)s::float8[])
        AS u (id, token, seconds)
) w
WHERE t.project_id = %(project)s AND t.id = w.id AND t.lease_token = w.token
RETURNING t.id
