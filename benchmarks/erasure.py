"""What it costs to forget somebody as the store grows, and whether what is left behind is found.

The work is counted in blocks that Postgres touched, heap, toast and indexes of every table, from pg_statio_all_tables
before and after, since EXPLAIN leaves out what triggers and foreign keys do. Each person has, for every fact, its quote,
its count of tellings and the proposal that made it with its quote, and for every ten a conversation with two spans and
messages; so has everybody else. Counted is finding what is hers by her number and deleting it. What looks through every
row for her name (preview, erasure, verification) grows with the store by its nature: its blocks are shown without a goal.

Goals: a fact at 1,000,000 facts costs at most 1.5 times one at 100,000; a person of 10,000 facts at most 12 times one of
1,000; three statements a store and batch of 5,000; nothing of a person left in any store. ``--short``: 50,000 against
10,000, people of 2,000 and 200. ``--control`` drops one index of a foreign key, and must fail.

``--races N``, ``--subjects N`` and ``--kills`` do these instead (erasure_trials.py): N erasures beside an extraction that
waits for its model, N people among neighbours of nearly their id, a worker killed at every step. All goals are nought;
``--control`` does them unguarded, and must fail.
"""

import argparse
import sys
import time
from collections import defaultdict
from typing import Any

from erasure_trials import trials  # type: ignore[import-not-found]
from results import Board, write  # type: ignore[import-not-found]
from servers import migrated  # type: ignore[import-not-found]

GOAL_GROWTH, GOAL_LARGE, GOAL_STATEMENTS = 1.5, 12.0, 3
INDEX = "facts_factsource_fact_id_fk_idx"

# What hangs on facts: of the numbers between two, in this order. `%(facts)s` picks them.
HANGING = [
    """INSERT INTO traces_trace (project_id, trace_id, subject_id, agent_name, status, started_at, span_count, origin,
        root_name, extracted_at, attempts, dead_reason, claimed_by, differing_copies, replaced_characters, masked_secrets)
    SELECT %(project)s, md5('trace' || f.id), f.subject_id, 'agent-0', 'OK', f.observed_at, 2, '', 'run', now(), 0, '', '', 0, 0, 0
    FROM facts_fact f WHERE {which} AND f.id %% 10 = 0""",
    """INSERT INTO traces_span (project_id, trace_id, span_id, subject_id, name, status, started_at, ended_at, attributes,
        events, digest)
    SELECT %(project)s, md5('trace' || f.id), substr(md5(n || 'span' || f.id), 1, 16), f.subject_id, 'llm', 'OK',
        f.observed_at, f.observed_at, jsonb_build_object('agent.input', f.content), '[]', decode(md5(f.content), 'hex')
    FROM facts_fact f, generate_series(1, 2) n WHERE {which} AND f.id %% 10 = 0""",
    """INSERT INTO traces_message (project_id, trace_id, span_id, role, subject_id, content, at)
    SELECT %(project)s, md5('trace' || f.id), substr(md5(n || 'span' || f.id), 1, 16), 'user', f.subject_id, f.content,
        f.observed_at FROM facts_fact f, generate_series(1, 2) n WHERE {which} AND f.id %% 10 = 0""",
    """INSERT INTO facts_factsource (project_id, fact_id, subject_id, trace_id, quote, start, "end", observed_at)
    SELECT %(project)s, f.id, f.subject_id, md5('trace' || f.id - f.id %% 10), f.content, 0, 5, f.observed_at
    FROM facts_fact f JOIN traces_trace t ON t.project_id = %(project)s AND t.trace_id = md5('trace' || f.id - f.id %% 10)
    WHERE {which}""",
    """INSERT INTO curation_proposal (id, project_id, op, origin, state, scope, scope_id, agent_id, subject_id, content,
        norm_hash, category, memory_type, confidence, importance, trust, speaker, sensitivity, observed_at, flags,
        policy_rule, reviewer, decided_at, reason, fact_id)
    SELECT md5('proposal' || f.id)::uuid, %(project)s, 'add', 'extraction', 'applied', f.scope, f.scope_id, f.agent_id,
        f.subject_id, f.content, f.norm_hash, f.category, f.memory_type, 0.6, 0.5, 3, 'user', f.sensitivity, f.observed_at,
        '{{}}', '', 'user:1', now(), '', f.id
    FROM facts_fact f WHERE {which}""",
    """INSERT INTO curation_proposalevidence (project_id, proposal_id, subject_id, trace_id, quote, start, "end", observed_at)
    SELECT %(project)s, md5('proposal' || f.id)::uuid, f.subject_id, md5('trace' || f.id - f.id %% 10), f.content, 0, 5,
        f.observed_at
    FROM facts_fact f JOIN traces_trace t ON t.project_id = %(project)s AND t.trace_id = md5('trace' || f.id - f.id %% 10)
    WHERE {which}""",
    """INSERT INTO recall_factserving (project_id, fact_id, key_id, subject_id, reads, first_at, last_at)
    SELECT %(project)s, f.id, 1, f.subject_id, 1, now(), now() FROM facts_fact f WHERE {which}""",
]
PERSON = """
INSERT INTO facts_fact (project_id, scope, scope_id, subject_id, content, label, norm_hash, category, memory_type,
    confidence, importance, trust, speaker, sensitivity, source, approved_by, corroborations, pinned, observed_at,
    restricted_reason, retired_reason)
SELECT %(project)s, 'user', %(name)s, %(subject)s, 'Parcel ' || md5(%(name)s || n) || ' goes to the door of ' || md5(n || %(name)s) || ' on day ' || n,
    '', decode(md5(%(name)s || n), 'hex'), 'general', 'semantic', 0.6, 0.5, 3, 'user', 'personal', 'learned', 'user:1', 0,
    false, timestamptz '2026-01-01' + n * interval '1 minute', '', ''
FROM generate_series(1, %(facts)s) n
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--control", action="store_true", help="a broken variant; the run must then fail")
    parser.add_argument("--sizes", default="100000,1000000", help="facts in all, two, rising")
    parser.add_argument("--people", default="1000,10000", help="facts of two people, rising")
    parser.add_argument("--short", action="store_true", help="10,000 and 50,000 facts, people of 200 and 2,000")
    parser.add_argument("--races", type=int, default=0, help="erasures beside an extraction at its model")
    parser.add_argument("--subjects", type=int, default=0, help="people erased one after another")
    parser.add_argument("--kills", action="store_true", help="a worker killed at every step")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    sizes = [10_000, 50_000] if options.short else [int(size) for size in options.sizes.split(",")]
    people = [200, 2_000] if options.short else [int(count) for count in options.people.split(",")]
    board = Board()
    with migrated():
        from django.conf import settings

        settings.PURGE_WAITS = False
        if options.races or options.subjects or options.kills:
            trials(board, options)
            write("erasure-trials", board, options.seed, control=options.control)
        else:
            work(board, sizes, people, options)
            if not options.control:
                residue(board)
            write("erasure-short" if options.short else "erasure", board, options.seed, control=options.control)
    print("failed" if board.failed else "within the goals")
    return int(board.failed)


def work(board: Any, sizes: list[int], people: list[int], options: Any) -> None:
    """The blocks touched for one person's facts, in a small and a large store, and for one who has ten times as many."""
    from django.db import connections

    from benchmarks.data import Store

    store = Store.make(options.seed)
    quiet()
    if options.control:
        with connections["owner"].cursor() as owner:
            owner.execute(f"DROP INDEX {INDEX}")
    each = []
    for size in sizes:
        grow(store, size)
        print(f"{size:,} facts")
        forget(store, f"warm-{size}", 50)
        blocks, scanned, most, _ = forget(store, f"person-{size}", people[0])
        each.append(blocks / people[0])
        board.note("blocks for each erased fact", each[-1])
        board.note("blocks of looking through everything once", scanned)
        board.at_most("statements a store and batch, the most", most, GOAL_STATEMENTS)
    board.at_most(f"a fact among {sizes[1]:,} over one among {sizes[0]:,}", each[1] / each[0], GOAL_GROWTH)
    if not options.control:
        blocks, _, most, seconds = forget(store, "large", people[1])
        board.at_most("statements a store and batch, of the larger person", most, GOAL_STATEMENTS)
        ratio = blocks / (each[1] * people[0])
        board.at_most(f"a person of {people[1]:,} facts over one of {people[0]:,}", ratio, GOAL_LARGE)
        board.note(f"seconds for {people[1]:,} facts, found and deleted", seconds, unit="s")


def quiet() -> None:
    """No autovacuum, whose blocks would be counted with ours."""
    from django.db import connections

    with connections["owner"].cursor() as owner:
        owner.execute(
            "SELECT c.relname FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace"
            " AND pg_has_role(c.relowner, 'USAGE')"
        )
        for (table,) in owner.fetchall():
            owner.execute(f'ALTER TABLE "{table}" SET (autovacuum_enabled = false)')


def grow(store: Any, size: int) -> None:
    from django.db import connections

    first = 0
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT coalesce(max(id), 0) FROM facts_fact")
        (first,) = owner.fetchone()
        # A vacuum leaves a few dead rows in place, whose pages would never count as visible to all.
        owner.execute("VACUUM (INDEX_CLEANUP ON) facts_fact, facts_hot")
        store.grow(size)
        hang(owner, store.project.id, "f.project_id = %(project)s AND f.id > %(first)s", first=first)
        owner.execute("VACUUM (ANALYZE)")


def hang(owner: Any, project: int, which: str, **given: Any) -> None:
    for statement in HANGING:
        owner.execute(statement.format(which=which), {"project": project, **given})


def person(store: Any, name: str, facts: int) -> int:
    """Somebody with so many facts, and what hangs on them; her row id."""
    from django.db import connections

    from tests.factories import make_subject

    subject = make_subject(store.project, name)
    with connections["owner"].cursor() as owner:
        owner.execute(PERSON, {"project": store.project.id, "name": name, "subject": subject.id, "facts": facts})
        hang(owner, store.project.id, "f.project_id = %(project)s AND f.subject_id = %(subject)s", subject=subject.id)
        owner.execute("ANALYZE")
    return int(subject.id)


def forget(store: Any, name: str, facts: int) -> tuple[int, int, int, float]:
    """Erase somebody, by the steps that a worker takes: blocks of finding and deleting, blocks of a look through everything,
    the most statements of one store and batch, and seconds."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from apps.access.actor import system_actor
    from apps.core.transactions import bind
    from apps.privacy.actions import carry_out
    from apps.privacy.claims import claim_requests
    from apps.privacy.mentions import Identifier
    from apps.privacy.reach import mentioning, reach_of
    from apps.privacy.stores import BATCH, STORES
    from apps.tenancy.models import Subject
    from tests.privacy.stage import approved, fresh

    project, subject_id = store.project.id, person(store, name, facts)
    request = approved(store.project, name)
    (claim,) = claim_requests()
    assert carry_out._step(claim, system_actor("privacy", project)) == "erasing", fresh(request).state
    with bind(project):
        subject = Subject.objects.get(id=subject_id)
    begun, before = time.monotonic(), blocks()
    with bind(project):
        reach = reach_of(project, subject, (), exceptions={})
    assert len(reach.facts) == facts and len(reach.proposals) == facts, (len(reach.facts), len(reach.proposals))
    statements: dict[str, float] = defaultdict(float)
    for one in STORES:
        with CaptureQueriesContext(connection) as sent:
            carry_out._erase_store(claim, one.name, reach)
        own = [query["sql"] for query in sent if touches(query["sql"])]
        batches = -(-len(one.ids(reach)) // BATCH)
        statements[one.name] = len(own) / batches if batches else 0
    seconds, spent = time.monotonic() - begun, blocks() - before
    before = blocks()
    with bind(project):
        mentioning(project, [Identifier("user_id", name)])
    scanned = blocks() - before
    ended = carry_out.carry_out(claim)
    assert ended == "completed", (ended, fresh(request).verification)
    worst = max(statements, key=lambda store: statements[store])
    if statements[worst] > GOAL_STATEMENTS:
        print(f"  {worst}: {statements[worst]:g} statements a batch")
    return spent, scanned, int(-(-statements[worst] // 1)), seconds


def touches(statement: str) -> bool:
    """Whether it reads or writes a table, and is not a transaction's begin or end or a setting of it."""
    return (
        not statement.startswith(("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE"))
        and "_setting(" not in statement
        and ("set_config(" not in statement)
    )


def blocks() -> int:
    """Blocks of heap, toast and indexes of all tables touched until now, everything that this process did included."""
    from django.db import connection, connections

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT 1")
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT pg_stat_force_next_flush()")
        owner.execute("SELECT pg_stat_clear_snapshot()")
        owner.execute(
            "SELECT sum(coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0) + coalesce(idx_blks_read, 0)"
            " + coalesce(idx_blks_hit, 0) + coalesce(toast_blks_read, 0) + coalesce(toast_blks_hit, 0)"
            " + coalesce(tidx_blks_read, 0) + coalesce(tidx_blks_hit, 0))"
            " FROM pg_statio_all_tables WHERE schemaname = 'public'"
        )
        return int(owner.fetchone()[0])


def residue(board: Any) -> None:
    """Somebody in every store, erased: nothing left. Then her name in each column by turns, past all rules: all found."""
    from apps.core.transactions import bind
    from apps.privacy.mentions import Identifier
    from apps.privacy.preview import reach_for
    from apps.privacy.verification import verify
    from tests.privacy.canaries import CANARY, erase_canary, left_behind

    print("residue")
    project, request = erase_canary("residue")
    named = [Identifier("user_id", CANARY)]
    with bind(project.id):
        report = verify(project.id, reach_for(request, [], named), named, [])
    board.at_most("left of a person who was in every store", report.hits, 0)
    found, missed, refused = left_behind(project)
    board.note("columns in which her name was put back, and found", len(found))
    board.note("columns that refuse a name (codes, digests, numbers)", len(refused))
    board.at_most("columns in which it was not found", len(missed), 0)


if __name__ == "__main__":
    sys.exit(main())
