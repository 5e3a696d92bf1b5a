-- How many facts each choice of a facet would show under the rest of the filter, among the newest `most` of the project or
-- of one scope id; the most frequent `choices` of each. The row of no facet has the filter's own count, and how many facts
-- were looked at.
SELECT facet, value, of_scope, n, looked_at
FROM (
    SELECT g.*, row_number() OVER (PARTITION BY facet ORDER BY n DESC, value, of_scope) AS place
    FROM (
        SELECT CASE WHEN grouping(scope_id) = 0 THEN 'scope_id' WHEN grouping(scope) = 0 THEN 'scope'
                    WHEN grouping(source) = 0 THEN 'source' WHEN grouping(category) = 0 THEN 'category'
                    WHEN grouping(memory_type) = 0 THEN 'memory_type' WHEN grouping(sensitivity) = 0 THEN 'sensitivity'
                    WHEN grouping(status) = 0 THEN 'status' ELSE '' END AS facet,
               CASE WHEN grouping(scope_id) = 0 THEN scope_id
                    ELSE coalesce(scope, source, category, memory_type, sensitivity, status, '') END AS value,
               CASE WHEN grouping(scope_id) = 0 THEN scope ELSE '' END AS of_scope,
               CASE WHEN grouping(scope_id) = 0 THEN count(*) FILTER (WHERE
                        shown AND named AND in_scope AND in_source AND in_category AND in_type AND in_sensitivity AND in_status)
                    WHEN grouping(scope) = 0 THEN count(*) FILTER (WHERE
                        shown AND in_source AND in_category AND in_type AND in_sensitivity AND in_status)
                    WHEN grouping(source) = 0 THEN count(*) FILTER (WHERE
                        shown AND in_place AND in_category AND in_type AND in_sensitivity AND in_status)
                    WHEN grouping(category) = 0 THEN count(*) FILTER (WHERE
                        shown AND in_place AND in_source AND in_type AND in_sensitivity AND in_status)
                    WHEN grouping(memory_type) = 0 THEN count(*) FILTER (WHERE
                        shown AND in_place AND in_source AND in_category AND in_sensitivity AND in_status)
                    WHEN grouping(sensitivity) = 0 THEN count(*) FILTER (WHERE
                        shown AND in_place AND in_source AND in_category AND in_type AND in_status)
                    WHEN grouping(status) = 0 THEN count(*) FILTER (WHERE
                        asked AND in_place AND in_source AND in_category AND in_type AND in_sensitivity)
                    ELSE count(*) FILTER (WHERE
                        shown AND in_place AND in_source AND in_category AND in_type AND in_sensitivity AND in_status)
               END AS n,
               count(*) AS looked_at
        FROM (
            SELECT f.*, coalesce(status = %(status)s::text, true) AS in_status,
                   asked AND (status NOT IN ('superseded', 'retired') OR %(closed)s) AS shown
            FROM (
                SELECT scope, scope_id, source, category, memory_type, sensitivity,
                       CASE WHEN superseded_at IS NOT NULL THEN 'superseded' WHEN retired_at IS NOT NULL THEN 'retired'
                            WHEN restricted_at IS NOT NULL THEN 'held'
                            WHEN expires_at <= %(now)s OR valid_to <= %(now)s OR valid_from > %(now)s THEN 'expired'
                            ELSE 'active' END AS status,
                       sensitivity = ANY (%(visible)s::text[])
                           AND coalesce(confidence >= %(least)s::float8, true)
                           AND coalesce(confidence <= %(greatest)s::float8, true)
                           AND (%(soon)s::timestamptz IS NULL
                                OR coalesce(expires_at > %(now)s AND expires_at <= %(soon)s::timestamptz, false)) AS asked,
                       coalesce(scope = %(scope)s::text, true) AS in_scope,
                       coalesce(scope = %(scope)s::text, true) AND coalesce(scope_id = %(scope_id)s::text, true) AS in_place,
                       %(find)s::text = '' OR strpos(upper(scope_id), upper(%(find)s::text)) > 0 AS named,
                       coalesce(source = ANY (%(source)s::text[]), true) AS in_source,
                       coalesce(category = ANY (%(category)s::text[]), true) AS in_category,
                       coalesce(memory_type = ANY (%(memory_type)s::text[]), true) AS in_type,
                       coalesce(sensitivity = ANY (%(sensitivity)s::text[]), true) AS in_sensitivity
                FROM (
                    SELECT scope, scope_id, source, category, memory_type, sensitivity, confidence, superseded_at,
                           retired_at, restricted_at, expires_at, valid_from, valid_to
                    FROM facts_fact
                    WHERE project_id = %(project)s AND (NOT %(inside)s OR scope = %(scope)s AND scope_id = %(scope_id)s)
                      AND (%(ids)s::bigint[] IS NULL OR id = ANY (%(ids)s::bigint[]))
                    ORDER BY id DESC LIMIT %(most)s
                ) looked
            ) f
        ) f
        GROUP BY GROUPING SETS ((), (scope), (scope, scope_id), (source), (category), (memory_type), (sensitivity), (status))
    ) g
    WHERE n > 0 OR facet = ''
) ranked
WHERE place <= %(choices)s
