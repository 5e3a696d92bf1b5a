-- What a project's newest rows are, each by an index: equal stamps mean that only reads may have come in between.
SELECT concat_ws(' ',
    (SELECT updated_at FROM facts_fact WHERE project_id = %(project)s ORDER BY updated_at DESC, id DESC LIMIT 1),
    (SELECT id FROM facts_fact WHERE project_id = %(project)s ORDER BY id DESC LIMIT 1),
    (SELECT id FROM recall_factembedding WHERE project_id = %(project)s ORDER BY id DESC LIMIT 1),
    (SELECT max(d) FROM (SELECT (SELECT decided_at FROM curation_proposal p
                                 WHERE p.project_id = %(project)s AND p.state = s.state AND p.decided_at IS NOT NULL
                                 ORDER BY decided_at DESC LIMIT 1) AS d
                         FROM (VALUES ('applied'), ('rejected')) s(state)) t),
    (SELECT finished_at FROM extraction_extractionrun WHERE project_id = %(project)s ORDER BY finished_at DESC LIMIT 1))
