"""The chain holds whatever happens around it, and shows what was tampered with."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import DatabaseError, connection, connections, transaction

from apps.access.actor import Actor
from apps.access.models import ApiKey
from apps.audit.actions.record import record
from apps.audit.models import AuditEvent, AuditHead
from apps.audit.queries import ChainReport, history_of, verify_chain
from apps.core.transactions import bind, unit
from apps.facts.actions.handle_fact import handle_fact
from apps.facts.handling import Handling
from apps.facts.models import Fact
from apps.privacy.actions.forget_fact import forget_fact
from tests.factories import make_fact, make_key, make_project, make_user, user_actor

ACTOR = Actor(kind="system", id="test")


def write(project_id: int | None, number: int) -> None:
    with bind(project_id):
        record(actor=ACTOR, verb="facts.add", object_type="fact", object_id=number, data={"n": number, "text": "ü"})


@pytest.mark.django_db
def test_each_project_has_a_chain_of_its_own_and_the_installation_too() -> None:
    first, second = make_project("acme"), make_project("globex")
    for number in range(3):
        write(first.id, number)
    write(second.id, 9)
    for project_id, count in ((first.id, 3), (second.id, 1)):
        with bind(project_id):
            assert verify_chain(project_id) == ChainReport(count, None)
            assert [event.seq for event in AuditEvent.objects.order_by("seq")] == list(range(1, count + 1))
    assert verify_chain(None) == ChainReport(2, None)
    with bind(first.id):
        assert [event.data["n"] for event in history_of(first.id, "fact", 1)] == [1]


@pytest.mark.django_db
def test_nothing_done_nothing_recorded() -> None:
    project = make_project()
    with pytest.raises(ValueError), bind(project.id):
        record(actor=ACTOR, verb="facts.add", object_type="fact", object_id=1)
        raise ValueError
    with bind(project.id):
        with pytest.raises(ValueError), unit():
            record(actor=ACTOR, verb="facts.add", object_type="fact", object_id=2)
            raise ValueError
        record(actor=ACTOR, verb="facts.add", object_type="fact", object_id=3)
    with bind(project.id):
        assert list(AuditEvent.objects.values_list("object_id", flat=True)) == ["3"]
    with pytest.raises(RuntimeError):
        record(actor=ACTOR, verb="facts.add", object_type="fact", object_id=4)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_auditevent SET verb = 'x'",
        "DELETE FROM audit_auditevent",
        "TRUNCATE audit_auditevent",
        "DELETE FROM audit_audithead",
    ],
)
def test_the_application_may_not_change_the_chain(statement: str) -> None:
    project = make_project()
    write(project.id, 1)
    with bind(project.id):
        with (
            pytest.raises(DatabaseError, match="permission denied"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
        assert verify_chain(project.id) == ChainReport(1, None)


TAMPERING = {
    "one byte": ["UPDATE audit_auditevent SET object_id = '99' WHERE seq = 5"],
    "one row gone": ["DELETE FROM audit_auditevent WHERE seq = 5"],
    "two swapped": [
        "UPDATE audit_auditevent SET seq = 1000 WHERE seq = 5",
        "UPDATE audit_auditevent SET seq = 5 WHERE seq = 6",
        "UPDATE audit_auditevent SET seq = 6 WHERE seq = 1000",
    ],
    "tail cut": ["DELETE FROM audit_auditevent WHERE seq > 8"],
}


@pytest.mark.parametrize("what", TAMPERING)
def test_tampering_as_owner_is_found(fresh_db: str, what: str) -> None:
    project = make_project()
    for number in range(10):
        write(project.id, number)
    with connections["owner"].cursor() as cursor:
        with pytest.raises(DatabaseError, match="never changed"):
            cursor.execute(TAMPERING[what][0])
        cursor.execute("ALTER TABLE audit_auditevent DISABLE TRIGGER USER")
        for statement in TAMPERING[what]:
            cursor.execute(f"{statement} AND project_id = {project.id}")
    with bind(project.id):
        report = verify_chain(project.id)
    assert report.broken_at == {"one byte": 5, "one row gone": 5, "two swapped": 5, "tail cut": 9}[what]


def test_many_writers_make_one_chain_without_deadlock(fresh_db: str) -> None:
    project = make_project()

    def work(writer: int) -> None:
        for number in range(25):
            with bind(project.id):
                with unit():
                    record(actor=ACTOR, verb="facts.add", object_type="fact", object_id=f"{writer}-{number}")
                record(actor=ACTOR, verb="facts.add", object_type="fact", object_id=f"{writer}+{number}")
        connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    with bind(project.id):
        assert verify_chain(project.id) == ChainReport(400, None)
        assert AuditHead.objects.get().seq == 400


def test_a_chain_that_grows_while_it_is_walked_is_whole(fresh_db: str) -> None:
    project = make_project()
    for number in range(50):
        write(project.id, number)
    done = threading.Event()

    def writing() -> None:
        number = 50
        while not done.is_set():
            write(project.id, number)
            number += 1
        connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(writing) for _ in range(2)]
        try:
            with bind(project.id):
                walked = [verify_chain(project.id) for _ in range(60)]
        finally:
            done.set()
        for writer in writers:
            writer.result()
    assert {report.broken_at for report in walked} == {None}
    assert walked[-1].events > walked[0].events


@pytest.mark.django_db
def test_it_outlives_what_it_records() -> None:
    project = make_project("acme")
    fact = make_fact(project, "Refunds take five days.")
    key, _ = make_key(project)
    ada = make_user(project, "curator", name="Ada Byron")
    curator = user_actor(project, "curator", user=ada)
    handle_fact(actor=curator, project_id=project.id, fact_id=fact.id, handling=Handling(kind="pin"))
    with bind(project.id):
        before = list(AuditEvent.objects.order_by("seq").values_list("seq", "verb", "actor_id", "object_id", "hash"))
    forget_fact(actor=curator, project_id=project.id, fact_id=fact.id)
    ApiKey.objects.filter(id=key.id).delete()
    ada.delete()
    with bind(project.id):
        assert not Fact.objects.exists()
        after = list(AuditEvent.objects.order_by("seq").values_list("seq", "verb", "actor_id", "object_id", "hash"))
        assert after[: len(before)] == before and after[-1][1:4] == (
            "privacy.forget_fact",
            str(curator.id),
            str(fact.id),
        )
        assert verify_chain(project.id).broken_at is None
    assert not [field for field in AuditEvent._meta.fields if field.is_relation]
