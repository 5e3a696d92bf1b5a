-- What a row of the list of agents says of each: its own facts that are told and its traces of a week, each up to a cap, and
-- the last days on which it read, newest first. From indexes alone, one short walk an agent.
SELECT a.id,
    (SELECT count(*) FROM (
        SELECT FROM facts_fact f
        WHERE f.project_id = %(project)s AND f.agent_id = a.id AND f.scope = 'agent' AND f.label = ''
          AND f.superseded_at IS NULL AND f.retired_at IS NULL AND fact_in_force(f, now())
        LIMIT %(own)s) t) AS told,
    (SELECT count(*) FROM (
        SELECT FROM traces_trace t
        WHERE t.project_id = %(project)s AND t.agent_name = a.name AND t.started_at >= now() - interval '7 days'
        LIMIT %(week)s) t) AS traces,
    (SELECT coalesce(json_agg(json_build_array(d.day, d.reads, d.last_at) ORDER BY d.day DESC), '[]') FROM (
        SELECT day, reads, last_at FROM recall_agentday
        WHERE project_id = %(project)s AND agent_id = a.id ORDER BY day DESC LIMIT %(days)s) d) AS days
FROM tenancy_agent a WHERE a.project_id = %(project)s AND a.id = ANY (%(agents)s);
