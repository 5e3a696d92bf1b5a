-- Undecided proposals of a place on the same attribute, and those that share words with a statement, most alike first.
SELECT id, content, attribute, state, alike
FROM (
    SELECT id, content, attribute, state, similarity(content, %(text)s) AS alike,
           coalesce(attribute = %(attribute)s, false) AS on_it
    FROM curation_proposal
    WHERE project_id = %(project)s AND scope = %(scope)s AND scope_id = %(scope_id)s
      AND state = ANY (%(open)s) AND op = ANY (%(saying)s)
) p
WHERE on_it OR alike >= %(least)s
ORDER BY on_it DESC, alike DESC, id DESC LIMIT %(most)s;
