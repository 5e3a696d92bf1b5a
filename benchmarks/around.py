"""What stands around the facts of `data.py` in a project that is used: conversations and what came of them, the queue,
conflicts, duplicates, who was told what, the audit log, and requests of people.

    around = Around(store)
    around.grow(10_000)         # beside the facts up to that number, in the same steps as Store.grow

All of it grows with the facts, and by number: every tenth has a trace with four messages, every fourth a proposal, of
which a third waits, every twentieth a group of duplicates, every sixteenth a conflict, every other was told, each has an
event of the audit log, every hundredth a dream run. What the pages of one thing show grows too: the probe's traces and reads, one fact that everybody
was told and that rests on many quotes, one that has many versions, one trace with more turns than a page shows.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from benchmarks.data import AGENTS, LARGEST, NUMBERS, USER

VERSIONS, TURNS = 120, 600
"""How many versions one fact has; spans of the long trace, of which each carries two messages."""
DAYS = 300

# When the thing of this number happened: in the order of the numbers, over the last days.
AT = """
CREATE OR REPLACE FUNCTION pg_temp.at(n bigint, first bigint, last bigint) RETURNS timestamptz LANGUAGE sql STABLE AS
$$ SELECT now() - interval '1 hour' - interval '{days} days' * (1 - (n - first + 1) / (last - first + 1)::float8) $$;
CREATE OR REPLACE FUNCTION pg_temp.id(n bigint, what text, at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS
$$ SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(what || n), 1, 3)
           || '8' || substr(md5(what || n), 4, 15))::uuid $$;
"""

CONVERSATIONS = """
INSERT INTO traces_session (project_id, external_id)
SELECT %(project)s, 'session-' || n FROM generate_series(%(first)s / 40, %(last)s / 40) n ON CONFLICT DO NOTHING;
INSERT INTO traces_trace (
    project_id, trace_id, agent_id, agent_name, subject_id, session_id, claimed_by, attempts, not_before, dead_reason,
    origin, root_name, status, started_at, ended_at, root_ended_at, span_count, differing_copies, replaced_characters,
    masked_secrets, created_at, last_arrival_at, extracted_at)
SELECT %(project)s, md5('trace' || n), a.id, a.name, s.id, x.id, '', CASE WHEN u.state > 0.98 THEN 1 ELSE 0 END,
       CASE WHEN u.state BETWEEN 0.98 AND 0.99 THEN now() + interval '1 hour' END,
       CASE WHEN u.state > 0.99 THEN 'llm_timeout' ELSE '' END, '', 'agent.' || a.name, 'OK', t.at, t.at + interval '1 minute',
       t.at + interval '1 minute', 2, 0, 0, 0, t.at, t.at + interval '1 minute',
       CASE WHEN u.state < 0.95 THEN t.at + interval '2 minutes' END
FROM generate_series(%(first)s, %(last)s) n
CROSS JOIN LATERAL (SELECT pg_temp.at(n, %(first)s, %(last)s) AS at) t
CROSS JOIN LATERAL (SELECT pg_temp.u(n, 31, %(seed)s) AS state, pg_temp.u(n, 32, %(seed)s) AS person,
                           pg_temp.u(n, 33, %(seed)s) AS agent) u
JOIN tenancy_agent a ON a.project_id = %(project)s AND a.name = 'agent-' || floor(%(agents)s * power(u.agent, 3))::int
JOIN tenancy_subject s ON s.project_id = %(project)s AND s.kind = 'user'
    AND s.external_id = CASE WHEN n %% 500 = 0 THEN %(probe)s ELSE 'user-' || floor(%(users)s * u.person * u.person)::int END
LEFT JOIN traces_session x ON x.project_id = %(project)s AND x.external_id = 'session-' || n / 40
WHERE n %% 10 = 0 ORDER BY n;
INSERT INTO traces_span (project_id, trace_id, span_id, parent_span_id, subject_id, name, status, started_at, ended_at,
                         attributes, events, digest)
SELECT t.project_id, t.trace_id, substr(md5(t.trace_id || k), 1, 16),
       CASE WHEN k > 1 THEN substr(md5(t.trace_id || 1), 1, 16) END, t.subject_id,
       CASE WHEN k > 1 THEN 'llm.chat' ELSE t.root_name END, 'OK', t.started_at + k * interval '1 second',
       t.started_at + k * interval '2 seconds', '{{"gen_ai.request.model": "m"}}', '[]', decode(md5(t.trace_id || k), 'hex')
FROM traces_trace t CROSS JOIN generate_series(1, 2) k
WHERE t.project_id = %(project)s AND t.id > %(after)s ORDER BY t.id, k;
INSERT INTO traces_message (project_id, trace_id, span_id, role, subject_id, content, at, mined_at)
SELECT t.project_id, t.trace_id, substr(md5(t.trace_id || 1 + k / 2), 1, 16),
       CASE WHEN k %% 2 = 0 THEN 'user' ELSE 'assistant' END, t.subject_id,
       'Turn ' || k || ' of ' || t.trace_id || ': I would like the parcel to be brought to the shop, and a word when it is there.',
       t.started_at + k * interval '1 second', t.extracted_at
FROM traces_trace t CROSS JOIN generate_series(0, 3) k
WHERE t.project_id = %(project)s AND t.id > %(after)s ORDER BY t.id, k;
INSERT INTO extraction_extractionrun (project_id, trace_id, subject_id, extractor, version, model, started_at, finished_at,
    messages, proposed, dropped, prompt_tokens, completion_tokens, cost, latency_ms, raw_answer, outcome, error_code)
SELECT t.project_id, t.trace_id, t.subject_id, 'llm', '4', 'm', t.extracted_at, t.extracted_at + interval '3 seconds', 4, 2,
       '{{"vague": 1}}', 900, 80, 0.001, 2400, '{{}}', CASE WHEN t.id %% 50 = 0 THEN 'failed' ELSE 'done' END,
       CASE WHEN t.id %% 50 = 0 THEN 'llm_timeout' ELSE '' END
FROM traces_trace t WHERE t.project_id = %(project)s AND t.id > %(after)s AND t.extracted_at IS NOT NULL ORDER BY t.id;
UPDATE tenancy_subject s SET last_seen_at = t.at FROM (
    SELECT subject_id, max(started_at) AS at FROM traces_trace
    WHERE project_id = %(project)s AND id > %(after)s GROUP BY subject_id) t WHERE s.id = t.subject_id;
"""

QUEUE = """
INSERT INTO curation_proposal (
    id, project_id, op, origin, state, scope, scope_id, agent_id, subject_id, attribute, content, norm_hash, category,
    memory_type, confidence, importance, trust, speaker, sensitivity, observed_at, flags, policy_rule, source_trace_id,
    created_at, snoozed_until, assignee, reviewer, decided_at, reason, fact_id)
SELECT pg_temp.id(n, 'proposal', t.at), %(project)s,
       CASE WHEN u.op < 0.85 THEN 'add' WHEN u.op < 0.95 THEN 'supersede' ELSE 'retire' END,
       CASE WHEN u.origin < 0.9 THEN 'extraction' WHEN u.origin < 0.95 THEN 'api' ELSE 'person' END, d.state,
       f.scope, f.scope_id, f.agent_id, f.subject_id, f.attribute, 'Proposed: ' || left(f.content, 200),
       decode(md5('proposal' || n), 'hex'), f.category, f.memory_type, 0.3 + 0.7 * u.confidence, 0.5, 3, 'user', f.sensitivity, t.at,
       CASE WHEN u.flag < 0.1 THEN ARRAY['personal'] WHEN u.flag < 0.15 THEN ARRAY['duplicate']
            WHEN u.flag < 0.2 THEN ARRAY['conflict'] WHEN u.flag < 0.25 THEN ARRAY['low_evidence'] ELSE '{{}}' END,
       'kept', md5('trace' || greatest(10, n - n %% 10)), t.at,
       CASE WHEN n %% 12 = 0 AND u.later < 0.03 THEN now() + interval '3 days' END,
       CASE WHEN u.later > 0.95 THEN %(member)s::bigint END,
       CASE WHEN n %% 12 = 0 THEN '' ELSE 'user:' || %(member)s END,
       CASE WHEN n %% 12 = 0 THEN NULL ELSE t.at + interval '5 hours' * u.later END,
       CASE WHEN d.state = 'rejected' THEN 'vague' ELSE '' END, CASE WHEN d.state = 'applied' THEN f.id END
FROM generate_series(%(first)s, %(last)s) n
JOIN facts_fact f ON f.project_id = %(project)s AND f.id = n + %(before_first)s
CROSS JOIN LATERAL (SELECT pg_temp.at(n, %(first)s, %(last)s) AS at) t
CROSS JOIN LATERAL (SELECT pg_temp.u(n, 41, %(seed)s) AS op, pg_temp.u(n, 42, %(seed)s) AS origin,
    pg_temp.u(n, 43, %(seed)s) AS flag, pg_temp.u(n, 44, %(seed)s) AS later, pg_temp.u(n, 45, %(seed)s) AS confidence,
    pg_temp.u(n, 46, %(seed)s) AS verdict) u
CROSS JOIN LATERAL (SELECT CASE WHEN n %% 12 = 0 THEN CASE WHEN u.verdict < 0.05 THEN 'quarantined' ELSE 'pending' END
    WHEN u.verdict < 0.65 THEN 'applied' WHEN u.verdict < 0.97 THEN 'rejected' ELSE 'conflicted' END AS state) d
WHERE n %% 4 = 0 ORDER BY n;
INSERT INTO curation_proposalevidence (project_id, proposal_id, subject_id, trace_id, message_id, quote, start, "end", observed_at)
SELECT p.project_id, p.id, p.subject_id, p.source_trace_id, m.id, substr(m.content, 48, 20), 47, 67, p.observed_at
FROM curation_proposal p
LEFT JOIN LATERAL (SELECT id, content FROM traces_message m WHERE m.project_id = p.project_id AND m.trace_id = p.source_trace_id
                   ORDER BY m.at, m.id LIMIT 1) m ON true
WHERE p.project_id = %(project)s AND p.created_at > pg_temp.at(%(first)s - 2, %(first)s, %(last)s) AND m.id IS NOT NULL
ON CONFLICT DO NOTHING;
INSERT INTO curation_proposaltarget (project_id, proposal_id, fact_id)
SELECT %(project)s, p.id, f.id
FROM generate_series(%(first)s, %(last)s) n
CROSS JOIN LATERAL (SELECT pg_temp.id(n, 'proposal', pg_temp.at(n, %(first)s, %(last)s)) AS id) i
JOIN curation_proposal p ON p.project_id = %(project)s AND p.id = i.id AND (p.op <> 'add' OR p.flags @> ARRAY['duplicate']::varchar[])
JOIN facts_fact f ON f.project_id = %(project)s AND f.id = n - 1 + %(before_first)s
WHERE n %% 4 = 0;
INSERT INTO extraction_candidatedecision (project_id, run_id, start, "end", outcome, rule, proposal_id)
SELECT p.project_id, r.id, 0, 10, 'kept', 'kept', p.id
FROM curation_proposal p JOIN LATERAL (
    SELECT id FROM extraction_extractionrun r WHERE r.project_id = p.project_id AND r.trace_id = p.source_trace_id LIMIT 1) r ON true
WHERE p.project_id = %(project)s AND p.created_at > pg_temp.at(%(first)s - 2, %(first)s, %(last)s)
ON CONFLICT DO NOTHING;
WITH made AS (
    INSERT INTO curation_conflict (project_id, subject_id, attribute, scope, scope_id, note, opened_by, opened_at, settled_at,
        settled_by, settlement)
    SELECT %(project)s, s.id, 'attribute-' || n %% 1000, '', '', '', '', pg_temp.at(n, %(first)s, %(last)s),
           CASE WHEN n %% 32 = 0 THEN now() END, CASE WHEN n %% 32 = 0 THEN 'user:' || %(member)s ELSE '' END,
           CASE WHEN n %% 32 = 0 THEN 'kept_one' ELSE '' END
    FROM generate_series(%(first)s, %(last)s) n
    JOIN tenancy_subject s ON s.project_id = %(project)s AND s.kind = 'user' AND s.external_id = 'user-' || n / 2000
    WHERE n %% 16 = 0 ORDER BY n
    ON CONFLICT DO NOTHING RETURNING id
)
INSERT INTO curation_conflictside (project_id, conflict_id, fact_id)
SELECT %(project)s, m.id, f.id FROM (SELECT id, row_number() OVER (ORDER BY id) * 16 + %(first)s + %(before_first)s AS n FROM made) m
JOIN facts_fact f ON f.project_id = %(project)s AND f.id IN (m.n - 16, m.n - 15)
ON CONFLICT DO NOTHING;
WITH pair AS (
    SELECT n, f.id AS one, g.id AS other, pg_temp.u(n, 51, %(seed)s) AS u FROM generate_series(%(first)s, %(last)s) n
    JOIN facts_fact f ON f.project_id = %(project)s AND f.id = n + %(before_first)s AND f.superseded_at IS NULL AND f.retired_at IS NULL
    JOIN facts_fact g ON g.project_id = %(project)s AND g.id = n - 1 + %(before_first)s AND g.superseded_at IS NULL AND g.retired_at IS NULL
    WHERE n %% 20 = 7 ORDER BY n
), grp AS (
    INSERT INTO curation_duplicategroup (project_id, alike)
    SELECT %(project)s, CASE WHEN u < 0.3 THEN 1 ELSE 0.85 + 0.14 * u END FROM pair ORDER BY n RETURNING id, alike
)
INSERT INTO curation_duplicatemember (project_id, group_id, fact_id, alike)
SELECT %(project)s, g.id, fact, g.alike FROM (SELECT id, alike, row_number() OVER (ORDER BY id) AS k FROM grp) g
JOIN (SELECT one, other, row_number() OVER (ORDER BY n) AS k FROM pair) p USING (k)
CROSS JOIN LATERAL (VALUES (p.one), (p.other)) f(fact)
ON CONFLICT DO NOTHING;
"""

TELLINGS = """
INSERT INTO recall_factserving (project_id, fact_id, key_id, agent_id, subject_id, reads, first_at, last_at)
SELECT %(project)s, f.id, %(key)s, a.id, NULL, 1 + floor(50 * pg_temp.u(n, 61, %(seed)s))::int, now() - interval '20 days', now()
FROM generate_series(%(first)s, %(last)s) n
JOIN facts_fact f ON f.project_id = %(project)s AND f.id = n + %(before_first)s
JOIN tenancy_agent a ON a.project_id = %(project)s AND a.name = 'agent-' || floor(%(agents)s * power(pg_temp.u(n, 62, %(seed)s), 3))::int
WHERE n %% 2 = 0 ORDER BY n ON CONFLICT DO NOTHING;
INSERT INTO recall_factserving (project_id, fact_id, key_id, agent_id, subject_id, reads, first_at, last_at)
SELECT %(project)s, %(told)s, %(key)s, a.id, s.id, 3, now() - interval '20 days', now()
FROM generate_series(%(first)s, %(last)s) n
JOIN tenancy_agent a ON a.project_id = %(project)s AND a.name = %(largest)s
JOIN tenancy_subject s ON s.project_id = %(project)s AND s.kind = 'user' AND s.external_id = 'user-' || n / 200
WHERE n %% 200 = 1 ON CONFLICT DO NOTHING;
INSERT INTO recall_facttold (project_id, fact_id, reads, last_at)
SELECT project_id, fact_id, sum(reads), max(last_at) FROM recall_factserving WHERE project_id = %(project)s GROUP BY 1, 2
ON CONFLICT (project_id, fact_id) DO UPDATE SET reads = excluded.reads, last_at = excluded.last_at;
INSERT INTO recall_readledger (at, project_id, key_id, agent_id, subject_id, fact_ids, ranks, scores)
SELECT now() - interval '25 days' * (1 - (n - %(first)s + 1) / (%(last)s - %(first)s + 1)::float8), %(project)s, %(key)s, a.id, s.id,
       ARRAY(SELECT n + %(before_first)s - k FROM generate_series(0, 9) k), ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
       ARRAY[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
FROM generate_series(%(first)s, %(last)s) n
JOIN tenancy_agent a ON a.project_id = %(project)s AND a.name = 'agent-' || floor(%(agents)s * power(pg_temp.u(n, 63, %(seed)s), 3))::int
LEFT JOIN tenancy_subject s ON s.project_id = %(project)s AND s.kind = 'user'
    AND s.external_id = CASE WHEN n %% 50 = 0 THEN %(probe)s ELSE 'user-' || n / 100 END
WHERE n %% 5 = 0 ORDER BY n;
INSERT INTO facts_factsource (project_id, fact_id, subject_id, trace_id, message_id, quote, start, "end", observed_at)
SELECT %(project)s, f.id, f.subject_id, m.trace_id, m.id, substr(m.content, 48, 20), 47, 67, m.at
FROM generate_series(%(first)s, %(last)s) n
CROSS JOIN LATERAL (SELECT id, trace_id, content, at FROM traces_message m
    WHERE m.project_id = %(project)s AND m.trace_id = md5('trace' || greatest(10, n - n %% 10)) ORDER BY m.at, m.id LIMIT 1) m
JOIN facts_fact f ON f.project_id = %(project)s AND f.id = CASE WHEN n %% 500 = 3 THEN %(told)s ELSE n + %(before_first)s END
WHERE n %% 5 = 3 ORDER BY n;
INSERT INTO facts_factderivation (project_id, child_id, parent_id)
SELECT %(project)s, f.id, g.id FROM generate_series(%(first)s, %(last)s) n
JOIN facts_fact f ON f.project_id = %(project)s AND f.id = n + %(before_first)s
JOIN facts_fact g ON g.project_id = %(project)s AND g.id = n - 1 + %(before_first)s
WHERE n %% 50 = 9 ON CONFLICT DO NOTHING;
"""

RECORDS = """
WITH head AS (SELECT seq, hash FROM audit_audithead WHERE project_id = %(project)s)
INSERT INTO audit_auditevent (project_id, seq, at, actor_kind, actor_id, verb, object_type, object_id, reason, request_id,
                              result, data, prev_hash, hash)
SELECT %(project)s, head.seq + n - %(first)s + 1, pg_temp.at(n, %(first)s, %(last)s),
       CASE WHEN u.who < 0.3 THEN 'user' WHEN u.who < 0.6 THEN 'key' ELSE 'system' END,
       CASE WHEN u.who < 0.3 THEN %(member)s::text WHEN u.who < 0.6 THEN %(key)s::text ELSE 'extraction' END,
       (ARRAY['facts.add', 'proposals.approve', 'facts.revise', 'proposals.reject', 'traces.ingest'])[1 + floor(5 * u.what)::int],
       CASE WHEN u.what < 0.6 THEN 'fact' ELSE 'proposal' END, (n + %(before_first)s)::text, '', '',
       CASE WHEN n %% 100 = 0 THEN 'denied' ELSE 'done' END, '{{}}',
       CASE WHEN n = %(first)s THEN head.hash ELSE sha256(convert_to('event' || %(seed)s || n - 1, 'UTF8')) END,
       sha256(convert_to('event' || %(seed)s || n, 'UTF8'))
FROM head, generate_series(%(first)s, %(last)s) n
CROSS JOIN LATERAL (SELECT pg_temp.u(n, 71, %(seed)s) AS who, pg_temp.u(n, 72, %(seed)s) AS what) u ORDER BY n;
UPDATE audit_audithead h SET seq = e.seq, hash = e.hash FROM (
    SELECT seq, hash FROM audit_auditevent WHERE project_id = %(project)s ORDER BY seq DESC LIMIT 1) e
WHERE h.project_id = %(project)s;
INSERT INTO privacy_privacyrequest (
    claimed_by, attempts, dead_reason, id, project_id, number, kind, state, subject_digest, opened_by, received_at, due_at,
    extension_reason, identity_method, identity_checked_by, approved_by, stopped_in, error_code, rejected_for, finished_at,
    wish, correction)
SELECT '', 0, '', pg_temp.id(n, 'request', t.at), %(project)s, n, k.kind, k.state, sha256(convert_to('who' || n, 'UTF8')),
       'user:' || %(member)s, t.at, t.at + interval '30 days', '', '', '', '', '', '', '',
       CASE WHEN k.state = 'completed' THEN t.at + interval '3 days' END, '', ''
FROM generate_series(%(first)s / 100 + 1, %(last)s / 100) n
CROSS JOIN LATERAL (SELECT pg_temp.at(n, %(first)s / 100 + 1, %(last)s / 100) AS at) t
CROSS JOIN LATERAL (SELECT (ARRAY['access', 'correction', 'restriction', 'portability'])[1 + n %% 4] AS kind,
    CASE WHEN n %% 3 = 0 THEN 'triage' WHEN n %% 2 = 0 THEN 'completed' ELSE 'cancelled' END AS state) k ORDER BY n;
INSERT INTO privacy_requestidentity (project_id, request_id, kind, value)
SELECT project_id, id, 'user_id', 'person-' || number FROM privacy_privacyrequest
WHERE project_id = %(project)s AND state = 'triage' ON CONFLICT DO NOTHING;
INSERT INTO privacy_hold (project_id, object_type, object_id, ground, placed_by, placed_at, review_on, released_by, released_at)
SELECT %(project)s, 'fact', (n * 1000 + %(before_first)s)::text, 'an invoice', 'user:' || %(member)s, now(), current_date + 30,
       CASE WHEN n %% 2 = 0 THEN 'user:' || %(member)s ELSE '' END, CASE WHEN n %% 2 = 0 THEN now() END
FROM generate_series(%(first)s / 1000 + 1, %(last)s / 1000) n;
INSERT INTO tenancy_subjectalias (project_id, subject_id, external_id)
SELECT %(project)s, s.id, 'alias-' || n FROM generate_series(%(first)s / 500 + 1, %(last)s / 500) n
JOIN tenancy_subject s ON s.project_id = %(project)s AND s.kind = 'user' AND s.external_id = 'user-' || n / 4;
"""

DREAMS = """
INSERT INTO dreaming_dreamrun (project_id, scope, scope_id, subject_id, subject_epoch, origin, requested_by, dry_run, engine, model,
    version, state, phase, base_fact_id, facts_before, created_at, started_at, finished_at, max_tokens, max_seconds, tool_calls,
    prompt_tokens, completion_tokens, stop_reason, error_code, claimed_by, attempts, dead_reason)
SELECT %(project)s, 'user', s.external_id, s.id, s.epoch,
       (ARRAY['schedule', 'threshold', 'button'])[1 + n / 100 %% 3], 'user:' || %(member)s, false, 'rules', '', '1',
       (ARRAY['settled', 'settled', 'settled', 'proposed', 'failed'])[1 + n / 100 %% 5], 'prune', n + %(before_first)s, 20, t.at, t.at,
       t.at + interval '1 minute', 60000, 600, 4, 0, 0, '', CASE WHEN n / 100 %% 5 = 4 THEN 'timeout' ELSE '' END, '', 1, ''
FROM generate_series(%(first)s, %(last)s) n
CROSS JOIN LATERAL (SELECT pg_temp.at(n, %(first)s, %(last)s) AS at) t
JOIN tenancy_subject s ON s.project_id = %(project)s AND s.kind = 'user'
    AND s.external_id = CASE WHEN n %% 1000 = 300 THEN %(probe)s ELSE 'user-' || n / 200 END
WHERE n %% 100 = 0 ORDER BY n;
INSERT INTO dreaming_dreamphase (project_id, run_id, name, state, attempts, started_at, finished_at, output, tool_calls,
    prompt_tokens, completion_tokens, error_code)
SELECT r.project_id, r.id, k.name, 'done', 1, r.started_at, r.finished_at, '{{}}', 1, 0, 0, ''
FROM dreaming_dreamrun r CROSS JOIN unnest(ARRAY['orient', 'gather', 'consolidate', 'prune']) k(name)
WHERE r.project_id = %(project)s AND r.base_fact_id > %(before_first)s + %(first)s - 1 AND r.scope = 'user';
WITH made AS (
    INSERT INTO dreaming_dreamchange (project_id, run_id, phase, position, op, state, safe, automatic, flags, rule, reason, content,
        subject_id, category, memory_type, sensitivity, trust, confidence, evidence, targets_count, decided_at, decided_by, done, why)
    SELECT r.project_id, r.id, 'consolidate', f.id - r.base_fact_id, k.op,
           CASE r.state WHEN 'settled' THEN k.became ELSE 'pending' END, false, false, '{{}}', 'same', 'Said twice.',
           CASE k.op WHEN 'supersede' THEN 'Newer: ' || left(f.content, 200) ELSE '' END, f.subject_id, f.category, f.memory_type,
           f.sensitivity, 3, 0.8, jsonb_build_array(jsonb_build_object('fact', f.id)), 1,
           CASE r.state WHEN 'settled' THEN r.finished_at END, CASE r.state WHEN 'settled' THEN 'user:' || %(member)s ELSE '' END,
           CASE WHEN r.state = 'settled' AND k.became = 'applied' THEN '{{}}'::jsonb END, ''
    FROM dreaming_dreamrun r
    -- The probe's runs change as much as the last pages of a run would show.
    JOIN facts_fact f ON f.project_id = %(project)s
        AND f.id BETWEEN r.base_fact_id AND r.base_fact_id + CASE r.scope_id WHEN %(probe)s THEN 199 ELSE 5 END
    CROSS JOIN LATERAL (SELECT (ARRAY['supersede', 'retire', 'merge'])[1 + f.id %% 3] AS op,
                               (ARRAY['applied', 'rejected'])[1 + f.id %% 2] AS became) k
    WHERE r.project_id = %(project)s AND r.base_fact_id > %(before_first)s + %(first)s - 1 AND r.scope = 'user' AND r.state <> 'failed'
    RETURNING project_id, run_id, id, (evidence->0->>'fact')::bigint AS fact_id
)
INSERT INTO dreaming_dreamtarget (project_id, run_id, change_id, fact_id, role, seen)
SELECT project_id, run_id, id, fact_id, 'source', '' FROM made;
"""

ONCE = """
UPDATE tenancy_project SET created_at = created_at - interval '400 days' WHERE id = %(project)s;
INSERT INTO recall_agentday (project_id, agent_id, day, reads, told, last_at)
SELECT %(project)s, a.id, current_date - d, 10 + d, 100, now() - d * interval '1 day'
FROM tenancy_agent a CROSS JOIN generate_series(0, 29) d WHERE a.project_id = %(project)s;
INSERT INTO extraction_dayfigures (project_id, day, facts_added, facts_ended, traces, runs, failed_runs, proposed, left_out,
                                   tokens_in, tokens_out, cost)
SELECT %(project)s, current_date - d, 100, 10, 50, 50, 1, 80, 40, 45000, 4000, 0.5 FROM generate_series(0, 399) d;
INSERT INTO facts_fact (project_id, scope, scope_id, content, label, norm_hash, category, memory_type, confidence, importance, trust,
                        speaker, sensitivity, source, approved_by, corroborations, pinned, observed_at, restricted_reason,
                        retired_reason)
SELECT %(project)s, 'project', %(slug)s, 'Ships within ' || k || ' days.', '', decode(md5('version' || k), 'hex'), 'policy', 'semantic', 0.9,
       0.5, 3, 'curator', 'internal', 'manual', 'user:' || %(member)s, 0, false, now() - k * interval '1 hour', '', ''
FROM generate_series(%(versions)s, 1, -1) k;
DO $$ DECLARE one bigint; BEGIN
    FOR one IN SELECT id FROM facts_fact WHERE content LIKE 'Ships within %%' AND content <> 'Ships within 1 days.' ORDER BY id LOOP
        UPDATE facts_fact SET superseded_at = now(), superseded_by_id = one + 1 WHERE id = one; END LOOP; END $$;
INSERT INTO traces_trace (
    project_id, trace_id, agent_id, agent_name, subject_id, claimed_by, attempts, dead_reason, origin, root_name, status,
    started_at, ended_at, root_ended_at, span_count, differing_copies, replaced_characters, masked_secrets, extracted_at)
SELECT %(project)s, md5('long'), a.id, a.name, s.id, '', 0, '', '', 'agent.' || a.name, 'OK', now() - interval '2 hours',
       now() - interval '1 hour', now() - interval '1 hour', %(turns)s, 0, 0, 0, now()
FROM tenancy_agent a, tenancy_subject s
WHERE a.project_id = %(project)s AND a.name = %(largest)s AND s.project_id = %(project)s AND s.external_id = %(probe)s;
INSERT INTO traces_span (project_id, trace_id, span_id, parent_span_id, subject_id, name, status, started_at, ended_at,
                         attributes, events, digest)
SELECT t.project_id, t.trace_id, substr(md5('long' || k), 1, 16), CASE WHEN k > 1 THEN substr(md5('long1'), 1, 16) END,
       t.subject_id, CASE WHEN k > 1 THEN 'llm.chat' ELSE t.root_name END, 'OK', t.started_at + k * interval '1 second',
       t.started_at + k * interval '2 seconds', '{{}}', '[]', decode(md5('long' || k), 'hex')
FROM traces_trace t CROSS JOIN generate_series(1, %(turns)s) k WHERE t.project_id = %(project)s AND t.trace_id = md5('long');
INSERT INTO traces_message (project_id, trace_id, span_id, role, subject_id, content, at, mined_at)
SELECT t.project_id, t.trace_id, substr(md5('long' || 1 + k / 2), 1, 16), CASE WHEN k %% 2 = 0 THEN 'user' ELSE 'assistant' END,
       t.subject_id, 'Turn ' || k || ': I would like the parcel to be brought to the shop.', t.started_at + k * interval '1 second', now()
FROM traces_trace t CROSS JOIN generate_series(0, 2 * %(turns)s - 1) k WHERE t.project_id = %(project)s AND t.trace_id = md5('long');
"""


@dataclass
class Around:
    """Beside the facts of ``store``; ``member`` is the id of who decided, approved and asked."""

    store: Any
    member: int
    size: int = 0

    def grow(self, size: int) -> None:
        """Beside the facts up to ``size``; then VACUUM and ANALYZE, and what a worker counts is counted."""
        from django.db import connections, transaction

        from apps.insight.actions.count_figures import count_figures

        store, first = self.store, self.size + 1
        with connections["owner"].cursor() as owner:
            # The last fact's id was drawn last, whether or not there is one.
            owner.execute(
                "SELECT pg_sequence_last_value(pg_get_serial_sequence('facts_fact', 'id')::regclass) - %s", [size]
            )
            offset = owner.fetchone()[0]
            owner.execute(
                "SELECT id FROM facts_fact WHERE project_id = %s AND superseded_at IS NULL AND retired_at IS NULL"
                " AND sensitivity = 'public' ORDER BY id LIMIT 1",
                [store.project.id],
            )
            told = owner.fetchone()[0]
            owner.execute("SELECT coalesce(max(id), 0) FROM traces_trace WHERE project_id = %s", [store.project.id])
            given = {
                "project": store.project.id, "slug": store.project.slug, "seed": store.seed, "agents": AGENTS,
                "users": max(500, size // 20), "probe": USER, "largest": LARGEST, "key": store.key.id, "member": self.member,
                "first": first, "last": size, "before_first": offset, "after": owner.fetchone()[0], "told": told,
                "versions": VERSIONS, "turns": TURNS,
            }  # fmt: skip
            owner.execute(NUMBERS + ";" + AT.format(days=DAYS))
            # In one transaction now() stands, from which ids are made that one statement writes and another looks up.
            with transaction.atomic(using="owner"):
                for part in (CONVERSATIONS, QUEUE, TELLINGS, RECORDS, DREAMS, *([] if self.size else [ONCE])):
                    for statement in part.format().split(";\n"):
                        if statement.strip():
                            owner.execute(statement, given)
                    owner.execute("ANALYZE")
            # A few dead rows would otherwise be left where they are, and their pages unseen.
            owner.execute("VACUUM (ANALYZE, INDEX_CLEANUP ON)")
        count_figures(store.project.id)
        self.size = size

    @property
    def values(self) -> dict[str, str | int | UUID]:
        """What the addresses of pages name, by name."""
        from django.db import connections

        looked_up = {
            "waiting": "SELECT id FROM curation_proposal WHERE project_id = %(project)s AND state = 'pending' ORDER BY created_at LIMIT 1",
            "decided": "SELECT id FROM curation_proposal WHERE project_id = %(project)s AND state = 'applied' ORDER BY created_at LIMIT 1",
            "conflict": "SELECT max(id) FROM curation_conflict WHERE project_id = %(project)s AND settled_at IS NULL",
            "settled": "SELECT max(id) FROM curation_conflict WHERE project_id = %(project)s AND settled_at IS NOT NULL",
            "group": "SELECT max(id) FROM curation_duplicategroup WHERE project_id = %(project)s",
            "probe": "SELECT id FROM tenancy_subject WHERE project_id = %(project)s AND external_id = %(user)s",
            "trace": "SELECT max(trace_id) FROM traces_trace WHERE project_id = %(project)s AND message_count = 4",
            "agent": "SELECT id FROM tenancy_agent WHERE project_id = %(project)s AND name = %(largest)s",
            "request": "SELECT id FROM privacy_privacyrequest WHERE project_id = %(project)s AND state = 'triage' ORDER BY number LIMIT 1",
            "ended": "SELECT id FROM privacy_privacyrequest WHERE project_id = %(project)s AND state = 'completed' ORDER BY number LIMIT 1",
            "told": "SELECT fact_id FROM recall_factserving WHERE project_id = %(project)s AND subject_id IS NOT NULL LIMIT 1",
            "versions": "SELECT max(id) FROM facts_fact WHERE project_id = %(project)s AND content = 'Ships within 1 days.'",
            "dream": "SELECT max(id) FROM dreaming_dreamrun WHERE project_id = %(project)s AND scope_id = %(user)s AND state = 'proposed'",
            "settled_dream": "SELECT max(id) FROM dreaming_dreamrun WHERE project_id = %(project)s AND state = 'settled'",
            "session": "SELECT max(id) FROM traces_session WHERE project_id = %(project)s",
            "key": "SELECT max(id) FROM access_apikey WHERE project_id = %(project)s",
            "event": "SELECT seq / 2 FROM audit_audithead WHERE project_id = %(project)s",
            "moment": "SELECT replace(to_char(now() AT TIME ZONE 'UTC' - interval '3 days', 'YYYY-MM-DD HH24:MI'), ' ', 'T')",
            "long": "SELECT md5('long')",
        }
        found: dict[str, str | int | UUID] = {"slug": self.store.project.slug, "member": self.member}
        with connections["owner"].cursor() as owner:
            for name, query in looked_up.items():
                owner.execute(query, {"project": self.store.project.id, "user": USER, "largest": LARGEST})
                found[name] = owner.fetchone()[0]
        return found
