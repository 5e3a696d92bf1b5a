"""The same facts on every machine: many agents of very different size, a project scope, users, and one reader whose
every scope is well filled.

    store = Store.make(seed=7)
    store.grow(100_000)         # to so many facts in all; more later, in steps
    store.read(limit=50)        # the probe's read: its agent's, the project's and one user's facts

By number, a fact is: of an agent (agent-0 has some 8 percent of these, a share of about u cubed each), of the project
(a tenth), of one of many users, or of the probe's user: 500 in the first step of at most 20,000 facts and 500 more in
each later one, 100 of 600 through agent-0 alone. A sixth are superseded or retired, some are restricted, expired or
above the key's ceiling, one in a hundred has 1,200 to 1,900 characters, one in two hundred says what another scope
says too. They were made over the last 300 days, in the order of their numbers, and closed some time after; they
observe the days from 2031 on, so that what is newest is the same on every day.
"""

import time
from dataclasses import dataclass
from typing import Any

AGENTS = 2_000
LARGEST, SMALL = "agent-0", "agent-1500"
USER = "probe"
FACTS_PER_USER = 20
MANY = 200_000

NUMBERS = """
CREATE OR REPLACE FUNCTION pg_temp.u(n bigint, what int, seed int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT (hashint8extended(n, seed * 1000::bigint + what) & 16777215) / 16777216.0 $$
"""
AGENT_ROWS = """
INSERT INTO tenancy_agent (id, project_id, name, agent_type, version, system_prompt, definition)
SELECT md5(%(seed)s || 'agent' || n)::uuid, %(project)s, 'agent-' || n, 'single', 1, '', '{}' FROM generate_series(0, %(agents)s - 1) n
"""
USER_ROWS = """
INSERT INTO tenancy_subject (project_id, kind, external_id, epoch)
SELECT %(project)s, 'user', name, 0
FROM (SELECT %(probe)s AS name UNION ALL SELECT 'user-' || n FROM generate_series(%(first)s, %(last)s) n) one
ON CONFLICT DO NOTHING
"""
FACT_ROWS = """
INSERT INTO facts_fact (
    project_id, scope, scope_id, agent_id, subject_id, content, label, norm_hash, category, memory_type, confidence,
    importance, trust, speaker, sensitivity, source, approved_by, corroborations, pinned, attribute,
    created_at, updated_at, approved_at, observed_at, valid_from,
    valid_to, expires_at, contested_at, restricted_at, restricted_reason, superseded_at,
    retired_at, retired_reason)
SELECT %(project)s, k.scope, CASE k.scope WHEN 'agent' THEN a.name WHEN 'project' THEN %(slug)s ELSE s.external_id END,
       a.id, s.id, c.content, '', decode(md5(c.content), 'hex'),
       (ARRAY['general', 'policy', 'profile', 'order', 'product'])[1 + floor(5 * w.category)::int],
       (ARRAY['semantic', 'semantic', 'semantic', 'episodic', 'procedural', 'preference'])[1 + floor(6 * w.kind)::int],
       0.6 + 0.4 * w.confidence, w.importance, floor(6 * w.trust)::int, 'user',
       (ARRAY['special', 'personal', 'personal', 'internal', 'internal', 'internal', 'internal', 'internal', 'public',
              'public', 'public', 'public', 'public', 'public', 'public', 'public', 'public', 'public', 'public',
              'public'])[1 + floor(20 * w.sensitivity)::int],
       CASE WHEN w.kind < 0.5 THEN 'learned' ELSE 'manual' END, 'user:1', floor(3 * w.trust)::int, false,
       CASE WHEN w.category < 0.3 THEN 'contact-channel' END,
       made.at, made.at, made.at, timestamptz '2031-01-01' + n * interval '1 minute', NULL,
       CASE WHEN w.state BETWEEN 0.20 AND 0.205 THEN timestamptz '2021-01-01' END,
       CASE WHEN w.state BETWEEN 0.205 AND 0.215 THEN timestamptz '2021-01-01'
            WHEN w.state > 0.9 THEN timestamptz '2199-01-01' END,
       CASE WHEN w.state BETWEEN 0.22 AND 0.23 THEN made.later END,
       CASE WHEN w.state BETWEEN 0.215 AND 0.22 THEN made.later END,
       CASE WHEN w.state BETWEEN 0.215 AND 0.22 THEN 'hold' ELSE '' END,
       CASE WHEN w.state < 0.10 THEN made.later END,
       CASE WHEN w.state BETWEEN 0.10 AND 0.17 THEN made.later END,
       CASE WHEN w.state BETWEEN 0.10 AND 0.17 THEN 'stale' ELSE '' END
FROM generate_series(%(first)s::bigint, %(last)s::bigint) n
CROSS JOIN LATERAL (SELECT
    pg_temp.u(n, 1, %(seed)s) AS place, pg_temp.u(n, 2, %(seed)s) AS agent, pg_temp.u(n, 3, %(seed)s) AS person,
    pg_temp.u(n, 4, %(seed)s) AS importance, pg_temp.u(n, 5, %(seed)s) AS category, pg_temp.u(n, 6, %(seed)s) AS kind,
    pg_temp.u(n, 7, %(seed)s) AS confidence, pg_temp.u(n, 8, %(seed)s) AS trust,
    pg_temp.u(n, 9, %(seed)s) AS sensitivity, pg_temp.u(n, 10, %(seed)s) AS state,
    pg_temp.u(n, 11, %(seed)s) AS length, pg_temp.u(n, 12, %(seed)s) AS same) w
CROSS JOIN LATERAL (SELECT 1 - (n - %(first)s + 1) / (%(last)s - %(first)s + 1)::float8 AS back) x
CROSS JOIN LATERAL (SELECT now() - interval '300 days' * x.back AS at,
                           now() - interval '300 days' * x.back * (0.3 + 0.7 * w.same) AS later) made
CROSS JOIN LATERAL (SELECT
    CASE WHEN w.place < %(probe_share)s THEN 'user' WHEN w.place < 0.20 THEN 'project'
         WHEN w.place < 0.50 THEN 'user' ELSE 'agent' END AS scope,
    w.place < %(probe_share)s AS probe, w.place < %(probe_share)s / 6 AS through_agent) k
CROSS JOIN LATERAL (SELECT CASE WHEN k.probe THEN %(probe)s WHEN k.scope = 'user'
    THEN 'user-' || floor(%(users)s * w.person * w.person)::int END AS person) p
CROSS JOIN LATERAL (SELECT CASE WHEN w.same < 0.005 THEN n - n %% 50 ELSE n END AS number) m
CROSS JOIN LATERAL (SELECT
    'No. ' || m.number || ': ' || (ARRAY['The customer', 'A refund', 'The parcel', 'The contract', 'The account'])[1 + (m.number %% 5)]
    || ' of case ' || md5(m.number || 'case') || ' is handled by ' || substr(md5(m.number || 'team'), 1, 12)
    || ' within ' || 1 + m.number %% 30 || ' days.'
    || CASE WHEN w.length < 0.01 AND m.number = n
            THEN repeat(' ' || md5(n || 'long'), (1100 + floor(700 * w.trust)::int) / 33) ELSE '' END AS content) c
LEFT JOIN tenancy_agent a ON a.project_id = %(project)s AND a.name = CASE
    WHEN k.scope = 'agent' THEN 'agent-' || floor(%(agents)s * power(w.agent, 3))::int
    WHEN k.through_agent THEN 'agent-0' END
LEFT JOIN tenancy_subject s ON s.project_id = %(project)s AND s.kind = 'user' AND s.external_id = p.person
ORDER BY n
ON CONFLICT DO NOTHING
"""


def drop_inverted(owner: Any) -> list[str]:
    """Drop the facts' GIN indexes, which are quicker made anew than filled row by row, and return what makes them."""
    owner.execute(
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'facts_fact' AND indexdef LIKE '% USING gin %'"
    )
    found = owner.fetchall()
    for name, _ in found:
        owner.execute(f"DROP INDEX {name}")
    return [definition for _, definition in found]


def vacuum(owner: Any) -> None:
    """VACUUM and ANALYZE the facts and their hot rows until the pages are known as visible to all, which a snapshot of
    somebody else, such as autovacuum's, can hold back."""
    for _ in range(60):
        owner.execute("VACUUM (ANALYZE) facts_fact, facts_hot")
        owner.execute(
            "SELECT bool_and(relallvisible >= 0.99 * relpages) FROM pg_class"
            " WHERE relkind = 'r' AND (relname = 'facts_fact' OR relname LIKE 'facts_hot%')"
        )
        if owner.fetchone()[0]:
            return
        time.sleep(1)
    raise SystemExit("Something holds an old snapshot: the pages of the facts don't become visible to all.")


@dataclass
class Store:
    """One project with its facts. ``key`` may read users too; ``text`` is how it is sent. ``size`` counts the facts
    that were asked for: a few hundredths of them that say the same in the same place are left out."""

    project: Any
    key: Any
    text: str
    seed: int
    size: int = 0

    @classmethod
    def make(cls, seed: int = 7) -> "Store":
        """The project, its agents and the probe's key, without a fact."""
        from django.db import connections

        from tests.factories import make_key, make_project

        project = make_project("bench")
        key, text = make_key(project, ["facts:read", "facts:read:user"])
        with connections["owner"].cursor() as owner:
            owner.execute(AGENT_ROWS, {"project": project.id, "agents": AGENTS, "seed": seed})
        return cls(project, key, text, seed)

    def grow(self, size: int) -> None:
        """Up to ``size`` facts, then VACUUM and ANALYZE, as autovacuum does on an installation that runs."""
        from django.db import connections

        first, probe_facts = self.size + 1, 600
        users = max(500, size // FACTS_PER_USER)
        with connections["owner"].cursor() as owner:
            # Of the session, which may be another one than made the store.
            owner.execute(NUMBERS)
            owner.execute(USER_ROWS, {"project": self.project.id, "probe": USER, "first": 0, "last": users - 1})
            owner.execute("ANALYZE tenancy_agent, tenancy_subject")
            # The trigger looks up each row's agent, which is right here by construction.
            owner.execute("ALTER TABLE facts_fact DISABLE TRIGGER own_scope")
            inverted = drop_inverted(owner) if size - self.size > MANY else []
            given = {
                "project": self.project.id, "slug": self.project.slug, "agents": AGENTS, "users": users, "probe": USER,
                "seed": self.seed, "first": first, "last": size, "probe_share": probe_facts / (size - first + 1),
            }  # fmt: skip
            owner.execute(FACT_ROWS, given)
            owner.execute("ALTER TABLE facts_fact ENABLE TRIGGER own_scope")
            for definition in inverted:
                owner.execute(definition)
            owner.execute("VACUUM (ANALYZE) tenancy_agent, tenancy_subject")
            vacuum(owner)
        self.size = size

    def read(self, agent: str = LARGEST, user: str | None = USER, *, limit: int = 50) -> bytes | None:
        """One read through the product's query, ledger row included."""
        from apps.recall.queries import reader_for, told_facts

        return told_facts(reader_for(self.key, agent, user, None), limit=limit)

    def params(self, agent: str = LARGEST, user: str | None = USER, *, limit: int = 50) -> dict[str, str]:
        """The same as the query of an HTTP request."""
        return {"agent_id": agent, "limit": str(limit)} | ({"user_id": user} if user else {})
