"""What the ledger feeds: how often a fact was told, to whom, and which were never told."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Event
from uuid import uuid4

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Max, Sum

from apps.access.models import ApiKey
from apps.core.clock import now
from apps.core.keyset import Page
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.facts.queries import FactFilter, filtered
from apps.privacy.actions.forget_fact import forget_fact
from apps.recall.actions.roll_up_reads import roll_up_reads
from apps.recall.models import FactServing, FactTold
from apps.recall.most_told import most_told
from apps.recall.queries import Served, Telling, never_served, reader_for, served_counts, told_facts, who_was_told
from apps.tenancy.models import Agent, Project, Subject
from memoryplane.celery import app
from tests.factories import make_agent, make_fact, make_key, make_project, make_subject, user_actor
from tests.servers import database_urls

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def read(
    project: Project,
    facts: list[Fact],
    *,
    at: datetime = NOON,
    agent: Agent | None = None,
    key: ApiKey | None = None,
    subject: Subject | None = None,
    listed: bool = False,
) -> None:
    """A row of the ledger; `listed` for no agent in particular."""
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO recall_readledger (at, project_id, key_id, agent_id, subject_id, fact_ids, ranks, scores)"
            " SELECT %s, %s, %s, %s, %s, ids, ARRAY(SELECT generate_series(1, cardinality(ids))),"
            " array_fill(NULL::float8, ARRAY[cardinality(ids)]) FROM (SELECT %s::bigint[] AS ids) one",
            [
                at,
                project.id,
                key.id if key else None,
                None if listed else agent.id if agent else "00000000-0000-0000-0000-00000000000a",
                subject.id if subject else None,
                [fact.id for fact in facts],
            ],
        )


def counted(project: Project) -> dict[int, int]:
    """Reads by fact."""
    with bind(project.id):
        ids = set(FactServing.objects.values_list("fact_id", flat=True))
        found = {fact: served.reads for fact, served in served_counts(project.id, list(ids)).items()}
        # What is kept for the lists is what its rows come to.
        agents = FactServing.objects.filter(agent_id__isnull=False)
        added = agents.values("fact_id").annotate(n=Sum("reads"), last=Max("last_at")).order_by()
        kept = FactTold.objects.values_list("fact_id", "reads", "last_at")
        assert sorted(kept) == sorted((row["fact_id"], row["n"], row["last"]) for row in added)
        return found


def minutes(number: int) -> datetime:
    return NOON + timedelta(minutes=number)


@pytest.mark.django_db
def test_reads_of_the_endpoint_are_counted_once_they_have_settled() -> None:
    project = make_project()
    make_agent(project, "support")
    key, _ = make_key(project)
    fact, other = make_fact(project, "One.", importance=0.9), make_fact(project, "Two.", importance=0.1)
    told_facts(reader_for(key, "support", None, None), limit=10)
    told_facts(reader_for(key, "support", None, None), limit=1)
    assert roll_up_reads() == 0 and counted(project) == {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT roll_up_reads(settle => '0 seconds')")
        assert cursor.fetchone() == (2,)
    assert counted(project) == {fact.id: 2, other.id: 1}


@pytest.mark.django_db
def test_each_agent_key_and_subject_has_its_row_and_the_next_round_adds_to_it() -> None:
    project, theirs = make_project("acme"), make_project("globex")
    support, orders = make_agent(project, "support"), make_agent(project, "orders")
    backend, batch = make_key(project, name="backend")[0], make_key(project, name="batch")[0]
    ada = make_subject(project, "ada")
    one, two = make_fact(project, "One."), make_fact(project, "Two.")
    foreign = make_fact(theirs, "Theirs.")
    read(project, [one, two], at=minutes(0), agent=support, key=backend)
    read(project, [one], at=minutes(1), agent=support, key=backend, subject=ada)
    read(project, [one], at=minutes(2), agent=support, key=backend)
    read(project, [], at=minutes(3), agent=support, key=backend)
    read(project, [two, one], at=minutes(4), agent=orders, key=batch)
    read(theirs, [foreign], at=minutes(5))
    assert roll_up_reads() == 6
    assert roll_up_reads() == 0
    read(project, [one], at=minutes(6), agent=support, key=backend)
    assert roll_up_reads() == 1

    with bind(project.id):
        assert served_counts(project.id, [one.id, two.id, foreign.id]) == {
            one.id: Served(5, minutes(6)),
            two.id: Served(2, minutes(4)),
        }
        assert FactServing.objects.count() == 5
        assert who_was_told(project.id, one.id) == (
            [
                Telling(support.id, "support", "backend", "", 0, 3, minutes(0), minutes(6)),
                Telling(orders.id, "orders", "batch", "", 0, 1, minutes(4), minutes(4)),
                Telling(support.id, "support", "backend", "ada", 1, 1, minutes(1), minutes(1)),
            ],
            0,
        )
        # Users are not told apart: one row for the agent and its key.
        assert who_was_told(project.id, one.id, by_user=False) == (
            [
                Telling(support.id, "support", "backend", "", 1, 4, minutes(0), minutes(6)),
                Telling(orders.id, "orders", "batch", "", 0, 1, minutes(4), minutes(4)),
            ],
            0,
        )
        (most,), more = who_was_told(project.id, one.id, most=1)
        assert (most.agent, most.user, more) == ("support", "", 2)
        assert who_was_told(project.id, one.id, most=3)[1] == 0
        assert who_was_told(project.id, foreign.id) == ([], 0)
    with bind(theirs.id):
        ((telling,), more) = who_was_told(theirs.id, foreign.id)
        assert (telling.agent, telling.key, telling.reads, more) == ("", "", 1, 0)


@pytest.mark.django_db
def test_it_goes_on_in_rounds_at_the_mark_with_reads_of_one_moment() -> None:
    project = make_project()
    fact = make_fact(project, "One.")
    for number in range(7):
        read(project, [fact], at=minutes(number // 3))
    with connection.cursor() as cursor:
        taken = []
        for _ in range(5):
            cursor.execute("SELECT roll_up_reads(2)")
            taken.append(cursor.fetchone()[0])
    assert taken == [2, 2, 2, 1, 0] and counted(project) == {fact.id: 7}


@pytest.mark.django_db
def test_facts_and_subjects_that_are_gone_are_left_out() -> None:
    project = make_project()
    ada = make_subject(project, "ada")
    kept, gone = make_fact(project, "Kept."), make_fact(project, "Gone.")
    read(project, [kept, gone], at=minutes(0))
    read(project, [kept], at=minutes(1), subject=ada)
    forget_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=gone.id)
    with bind(project.id):
        ada.delete()
    assert roll_up_reads() == 2 and counted(project) == {kept.id: 1}


@pytest.mark.django_db
def test_counts_go_with_the_fact_and_with_the_subject() -> None:
    project = make_project()
    ada = make_subject(project, "ada")
    one, two = make_fact(project, "One."), make_fact(project, "Two.")
    read(project, [one, two], at=minutes(0))
    read(project, [one, two], at=minutes(1), subject=ada)
    roll_up_reads()
    outcome = forget_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=one.id)
    assert (outcome.before.tellings, outcome.after.tellings) == (2, 0)
    assert counted(project) == {two.id: 2}
    with bind(project.id):
        ada.delete()
    assert counted(project) == {two.id: 1}
    # The ledger's own row stays, with numbers that lead nowhere; it is not counted again.
    assert roll_up_reads() == 0


@pytest.mark.django_db
def test_what_a_fact_was_told_in_all_follows_what_goes_with_a_user() -> None:
    project = make_project()
    early, late, alone = (make_subject(project, name) for name in ("early", "late", "alone"))
    one, two = make_fact(project, "One."), make_fact(project, "Two.")
    read(project, [one], at=minutes(0), subject=early)
    read(project, [one, two], at=minutes(1))
    read(project, [one], at=minutes(2), subject=late)
    read(project, [two], at=minutes(3), subject=late)
    three = make_fact(project, "Three.")
    read(project, [three], at=minutes(4), subject=alone)
    roll_up_reads()
    with bind(project.id):
        early.delete()
    assert counted(project) == {one.id: 2, two.id: 2, three.id: 1}
    with bind(project.id):
        late.delete()
        assert served_counts(project.id, [one.id, two.id]) == {
            one.id: Served(1, minutes(1)),
            two.id: Served(1, minutes(1)),
        }
        alone.delete()
        assert FactTold.objects.count() == 2
    assert counted(project) == {one.id: 1, two.id: 1}


@pytest.mark.django_db
def test_the_most_told_first() -> None:
    project, theirs = make_project("acme"), make_project("globex")
    facts = [
        make_fact(project, f"Number {number}.", category="policy" if number % 2 else "order") for number in range(6)
    ]
    for number, fact in enumerate(facts[:5]):
        read(project, [fact] * (number // 2 + 1), at=minutes(number))
    read(project, [facts[5]], listed=True)
    read(theirs, [make_fact(theirs, "Theirs.")])
    roll_up_reads()

    def told(cursor: str | None = None, **wanted: str) -> tuple[list[int], Page[Fact]]:
        asked = FactFilter(sensitivities=("internal",), **wanted)
        page, served = most_told(project.id, asked, cursor=cursor, context="x")
        assert list(served) == [fact.id for fact in page.rows]
        assert [one.reads for one in served.values()] == sorted((one.reads for one in served.values()), reverse=True)
        return [facts.index(fact) for fact in page.rows], page

    with bind(project.id):
        assert told()[0] == [4, 3, 2, 1, 0]
        assert told(category="policy")[0] == [3, 1]
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("apps.recall.most_told.PAGE", 2)
            patched.setattr("apps.recall.most_told.LOOKED_AT", 3)
            first, page = told()
            second, then = told(page.older)
            assert (first, second, told(then.newer)[0]) == ([4, 3], [2, 1], [4, 3])
            one, page = told(category="policy")
            assert (one, page.short, told(page.older, category="policy")[0]) == ([3], True, [1])
        # What is being erased stands in no list, and what is closed where it is asked for.
        Fact.objects.filter(id=facts[4].id).update(restricted_at=NOON, restricted_reason="erasure")
        Fact.objects.filter(id=facts[3].id).update(superseded_at=NOON)
        assert told()[0] == [2, 1, 0]
        assert told(status="superseded")[0] == [3]


@pytest.mark.django_db
def test_a_list_tells_no_agent() -> None:
    project = make_project("acme")
    fact = make_fact(project, "Copied by a back end.")
    key, _ = make_key(project, name="copier")
    read(project, [fact], key=key, listed=True)
    roll_up_reads()
    with bind(project.id):
        assert served_counts(project.id, [fact.id]) == {}
        assert list(Fact.objects.filter(never_served(project.id))) == [fact]
        assert who_was_told(project.id, fact.id) == (
            [Telling(agent_id=None, agent="", key="copier", user="", users=0, reads=1, first_at=NOON, last_at=NOON)],
            0,
        )


@pytest.mark.django_db
def test_never_told_is_a_filter_of_facts() -> None:
    project, theirs = make_project("acme"), make_project("globex")
    told, untold = make_fact(project, "Told."), make_fact(project, "Never told.", category="billing")
    make_fact(theirs, "Theirs.")
    read(project, [told])
    roll_up_reads()
    with bind(project.id):
        wanted = FactFilter(sensitivities=("internal",), further=never_served(project.id))
        assert [fact.id for fact in filtered(project.id, wanted)] == [untold.id]


@pytest.mark.django_db
def test_the_mark_is_nobodys_but_the_owners() -> None:
    project = make_project()
    fact = make_fact(project, "One.")
    read(project, [fact])
    assert roll_up_reads() == 1
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM recall_readscounted")
        assert cursor.fetchone() == (0,)
        cursor.execute("UPDATE recall_readscounted SET at = '-infinity'")
        assert cursor.rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege), transaction.atomic():
            try:
                cursor.execute("INSERT INTO recall_readscounted VALUES (true, '-infinity', 0)")
            except Exception as error:
                raise error.__cause__ or error from None
    assert roll_up_reads() == 0 and counted(project) == {fact.id: 1}


@pytest.mark.django_db
def test_a_row_can_not_point_into_another_project() -> None:
    project, theirs = make_project("acme"), make_project("globex")
    foreign, ada = make_fact(theirs, "Theirs."), make_subject(theirs, "ada")
    own = make_fact(project, "Ours.")
    # A ledger row that named another project's fact or subject would be left out as one that is gone.
    read(project, [foreign, own], at=minutes(0))
    read(project, [own], at=minutes(1), subject=ada)
    assert roll_up_reads() == 2 and counted(project) == {own.id: 1} and counted(theirs) == {}
    for wrong in ({"fact_id": foreign.id}, {"fact_id": own.id, "subject_id": ada.id}):
        with pytest.raises(IntegrityError), transaction.atomic(), bind(project.id):
            FactServing.objects.create(
                project=project, agent_id=uuid4(), reads=1, first_at=now(), last_at=now(), **wrong
            )
            connection.check_constraints()


def test_the_worker_counts_each_minute() -> None:
    (entry,) = [one for one in app.conf.beat_schedule.values() if one["task"] == "recall.roll_up_reads"]
    assert entry["schedule"] == 60
    app.loader.import_default_modules()
    assert "recall.roll_up_reads" in app.tasks


# --- on committed data, over connections of their own --------------------------------------------------------------


def elsewhere(work: Callable[[], object]) -> object:
    """What `work` gives on another connection."""

    def run() -> object:
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result(timeout=60)


def test_many_workers_count_each_read_once(fresh_db: str) -> None:
    project = make_project()
    facts = [make_fact(project, f"Number {number}.") for number in range(3)]
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO recall_readledger (at, project_id, agent_id, fact_ids, ranks, scores)"
            " SELECT %s::timestamptz + n * interval '1 second', %s, gen_random_uuid(), %s, '{1,2,3}', '{1,1,1}'"
            " FROM generate_series(1, 3000) n",
            [NOON, project.id, [fact.id for fact in facts]],
        )

    def work(_: int) -> int:
        taken = 0
        try:
            for _ in range(40):
                with connection.cursor() as cursor:
                    cursor.execute("SELECT roll_up_reads(100)")
                    taken += cursor.fetchone()[0]
            return taken
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(work, range(4)))
    taken.append(roll_up_reads())
    assert sum(taken) == 3000
    assert counted(project) == {fact.id: 3000 for fact in facts}


def test_a_worker_that_finds_another_at_it_leaves_it_to_him(fresh_db: str) -> None:
    project = make_project()
    fact = make_fact(project, "One.")
    read(project, [fact])
    with psycopg.connect(database_urls(fresh_db)["DATABASE_URL"]) as owner:
        owner.execute("SELECT * FROM recall_readscounted FOR UPDATE")
        assert elsewhere(roll_up_reads) == 0
    assert roll_up_reads() == 1 and counted(project) == {fact.id: 1}


def test_a_round_that_fails_counts_nothing_and_the_next_one_all(fresh_db: str) -> None:
    project = make_project()
    fact = make_fact(project, "One.")
    read(project, [fact])
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        assert roll_up_reads() == 1
        raise ZeroDivisionError
    assert counted(project) == {}
    assert roll_up_reads() == 1 and counted(project) == {fact.id: 1}


def test_a_forget_in_flight_is_waited_for_and_its_fact_left_out(fresh_db: str) -> None:
    project = make_project()
    kept, gone = make_fact(project, "Kept."), make_fact(project, "Gone.")
    read(project, [gone, kept])
    started = Event()

    def count() -> int:
        started.set()
        try:
            return roll_up_reads()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            forget_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=gone.id)
            counting = pool.submit(count)
            assert started.wait(20)
            with connection.cursor() as cursor:
                for _ in range(200):
                    cursor.execute(
                        "SELECT count(*) FROM pg_stat_activity"
                        " WHERE wait_event_type = 'Lock' AND datname = current_database()"
                    )
                    if cursor.fetchone()[0]:
                        break
                    cursor.execute("SELECT pg_sleep(0.05), pg_stat_clear_snapshot()")
                else:
                    pytest.fail("the count did not wait for the forget")
        assert counting.result(timeout=60) == 1
    assert counted(project) == {kept.id: 1}


@pytest.mark.django_db
def test_a_read_is_counted_where_its_month_has_no_partition() -> None:
    project = make_project()
    fact = make_fact(project, "One.")
    read(project, [fact], at=datetime(2020, 1, 1, tzinfo=UTC))
    assert roll_up_reads() == 1 and counted(project) == {fact.id: 1}
