"""A walk over the chain goes on where it was left, once at a time, and tells where the chain is broken."""

import pytest
from django.db import connections

from apps.access.actions.ask_for_check import ask_for_check
from apps.access.policies import Refused
from apps.audit.actions import check_chain as module
from apps.audit.actions.check_chain import check_chain
from apps.audit.actions.check_chains import check_chains
from apps.audit.actions.record import record
from apps.audit.chain import GENESIS
from apps.audit.models import AuditEvent, AuditHead, ChainCheck
from apps.audit.queries import verify_chain
from apps.core.transactions import bind
from apps.tenancy.models import Project
from tests.factories import make_project, setup_actor, user_actor


def write(project: Project, count: int) -> None:
    for number in range(count):
        with bind(project.id):
            record(actor=setup_actor(project), verb="facts.add", object_type="fact", object_id=number)


def open_check(project: Project, total: int) -> ChainCheck:
    with bind(project.id):
        return ChainCheck.objects.create(project_id=project.id, asked_by="user:1", total=total, hash=GENESIS)


@pytest.mark.django_db
def test_a_short_chain_is_walked_at_once() -> None:
    project = make_project()
    write(project, 5)
    auditor = user_actor(project, "auditor")
    with bind(project.id):
        before = AuditEvent.objects.count()
    check = ask_for_check(actor=auditor, project_id=project.id)
    assert (check.seq, check.total, check.broken_at) == (before, before, None) and check.finished_at
    with bind(project.id):
        event = AuditEvent.objects.latest("seq")
        assert (event.verb, event.actor_id, event.data) == ("audit.verify", auditor.id, {"events": before})
        assert verify_chain(project.id).broken_at is None
    # Another one is a walk of its own, over one event more.
    again = ask_for_check(actor=auditor, project_id=project.id)
    assert (again.id > check.id, again.seq) == (True, before + 1)


@pytest.mark.django_db
@pytest.mark.parametrize("role", ["viewer", "curator"])
def test_who_may_not(role: str) -> None:
    project = make_project()
    with pytest.raises(Refused):
        ask_for_check(actor=user_actor(project, role), project_id=project.id)
    with bind(project.id):
        assert not ChainCheck.objects.exists()


def test_a_long_one_is_walked_in_pieces(fresh_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 4)
    project, other = make_project("acme"), make_project("other")
    write(project, 10)
    write(other, 3)
    check, second = open_check(project, 10), open_check(other, 3)
    piece = check_chain(project_id=project.id, check_id=check.id, seconds=0)
    assert piece and (piece.seq, piece.finished_at) == (4, None)
    # Asked meanwhile, the same walk goes on.
    assert ask_for_check(actor=user_actor(project, "auditor"), project_id=project.id).id == check.id
    check_chains(seconds=20)
    for one, project_id in ((check, project.id), (second, other.id)):
        with bind(project_id):
            one.refresh_from_db()
            assert one.finished_at and one.broken_at is None and one.seq >= one.total
    assert check_chains(seconds=20) == 0
    assert check_chain(project_id=project.id, check_id=check.id, seconds=0) is None


TAMPER = {
    "changed": ("UPDATE audit_auditevent SET object_id = '99' WHERE project_id = %s AND seq = 6", 6),
    "gone": ("DELETE FROM audit_auditevent WHERE project_id = %s AND seq = 6", 6),
    "cut": ("DELETE FROM audit_auditevent WHERE project_id = %s AND seq > 6", 7),
    "swapped": (
        "UPDATE audit_auditevent a SET object_id = b.object_id FROM audit_auditevent b"
        " WHERE a.project_id = %s AND b.project_id = a.project_id AND (a.seq, b.seq) IN ((6, 7), (7, 6))",
        6,
    ),
}


@pytest.mark.parametrize("how", TAMPER)
def test_it_tells_where_the_chain_is_broken(fresh_db: str, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setattr(module, "CHUNK", 4)
    project = make_project("acme")
    write(project, 10)
    statement, broken_at = TAMPER[how]
    with connections["owner"].cursor() as cursor:
        # As somebody would who has the database whole.
        cursor.execute("ALTER TABLE audit_auditevent DISABLE TRIGGER USER")
        cursor.execute(statement, [project.id])
        cursor.execute("ALTER TABLE audit_auditevent ENABLE TRIGGER USER")
    check = open_check(project, 10)
    check_chains(seconds=20)
    with bind(project.id):
        check.refresh_from_db()
        assert (check.broken_at, verify_chain(project.id).broken_at) == (broken_at, broken_at)
        assert AuditHead.objects.get().seq == 11
