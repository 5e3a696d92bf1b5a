-- Counts one try in each of these windows, in the order of their digests so that two who count at once never wait in a circle.
INSERT INTO access_signincount AS held (digest, tries, window_ends_at, ends_at)
SELECT asked.digest, 1, asked.ends_at, asked.ends_at
FROM (
    SELECT digest, clock_timestamp() + make_interval(secs => seconds) AS ends_at
    FROM unnest(%(digests)s::text[], %(seconds)s::integer[]) AS one (digest, seconds)
    ORDER BY digest
) AS asked
ON CONFLICT (digest) DO UPDATE SET
    tries = CASE WHEN held.window_ends_at <= clock_timestamp() THEN 1 ELSE held.tries + 1 END,
    window_ends_at = CASE
        WHEN held.window_ends_at <= clock_timestamp() THEN excluded.window_ends_at ELSE held.window_ends_at
    END,
    ends_at = greatest(held.ends_at, excluded.window_ends_at)
RETURNING digest, tries, greatest(1, ceil(extract(epoch FROM window_ends_at - clock_timestamp())))::integer
