"""How much a read of facts touches, as the store grows: shared buffers and statements, counts and not times.

Goal: one statement, and at most 80 buffers a read at 10,000 and at 100,000 facts, for the agent with the most facts
too: 50 facts each on a page of its own, the index path to them, the agent's and the project's rows, and the ledger row
with its three indexes. ``--control`` drops the indexes of the hot read, and must then fail.
"""

import argparse
import json
import sys

from servers import migrated  # type: ignore[import-not-found]

GOAL_BUFFERS, GOAL_STATEMENTS = 80, 1
SIZES = (10_000, 100_000)
AGENTS = 200

FACTS = """
INSERT INTO facts_fact (project_id, scope, scope_id, agent_id, content, label, norm_hash, category, memory_type,
                        confidence, importance, trust, speaker, sensitivity, source, approved_by, corroborations,
                        pinned, restricted_reason, retired_reason)
SELECT %(project)s, 'agent', a.name, a.id, 'Fact number ' || n || ' of ' || a.name || ' about shipping.', '',
       decode(md5(n::text), 'hex'), 'general', 'semantic', 1, (hashtext(n::text) & 1023) / 1023.0, 3, 'curator',
       'internal', 'manual', 'user:1', 0, false, '', ''
-- A share of about u cubed: the first agent has some 17 percent of all facts.
FROM generate_series(%(first)s, %(last)s) n
JOIN tenancy_agent a ON a.project_id = %(project)s
    AND a.name = 'agent-' || floor(%(agents)s * power((hashtext('a' || n) & 1048575) / 1048576.0, 3))::int
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--control", action="store_true", help="drop the hot indexes; the run must then fail")
    options = parser.parse_args()
    failed = False
    with migrated():
        from django.db import connection, connections
        from django.test.utils import CaptureQueriesContext

        from apps.recall.queries import reader_for, told_facts
        from tests.factories import make_agent, make_key, make_project

        project = make_project()
        for number in range(AGENTS):
            make_agent(project, f"agent-{number}")
        key, _ = make_key(project)
        with connections["owner"].cursor() as owner:
            if options.control:
                owner.execute("DROP INDEX facts_fact_agent_hot_idx, facts_fact_shared_hot_idx")
            last = 0
            for size in SIZES:
                owner.execute(FACTS, {"project": project.id, "first": last + 1, "last": size, "agents": AGENTS})
                owner.execute("ANALYZE facts_fact")
                last = size
                for agent in ("agent-0", "agent-150"):
                    with CaptureQueriesContext(connection) as statements:
                        told_facts(reader_for(key, agent, None, None), limit=50)
                    buffers = min(_buffers(key, agent) for _ in range(12))
                    fits = buffers <= GOAL_BUFFERS and len(statements) == GOAL_STATEMENTS
                    failed |= not fits
                    print(
                        f"{size:>8,} facts, {agent:<9} {buffers:>6} buffers (goal {GOAL_BUFFERS}),"
                        f" {len(statements)} statement (goal {GOAL_STATEMENTS}): {'ok' if fits else 'over the goal'}"
                    )
    print("failed" if failed else "within the goals")
    return int(failed)


def _buffers(key: object, agent: str) -> int:
    """Shared buffers of one read, everything inside the function included."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT serve_facts(%s, %s, %s, NULL, NULL,"
            " ARRAY['public', 'internal', 'personal'], NULL, NULL, NULL, '', NULL, NULL, 50, NULL, NULL, NULL, NULL, NULL,"
            " NULL, NULL, 0, NULL)",
            [key.project_id, key.id, agent],  # type: ignore[attr-defined]
        )
        (plan,) = cursor.fetchone()
    plan = json.loads(plan) if isinstance(plan, str) else plan
    node = plan[0]["Plan"]
    return int(node["Shared Hit Blocks"] + node["Shared Read Blocks"])


if __name__ == "__main__":
    sys.exit(main())
