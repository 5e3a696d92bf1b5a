"""Other ids of a subject: whose they are, and that an id never means two subjects."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections

from apps.access.actions.add_alias import MAX_ALIASES, add_alias
from apps.access.actions.remove_alias import remove_alias
from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.tenancy.actions.resolve_subject import resolve_subject
from apps.tenancy.models import Project, Subject, SubjectAlias
from tests.console.stage import state
from tests.factories import make_project, make_subject, user_actor


@pytest.fixture
def project(db: None) -> Project:
    return make_project("acme")


def aliases(project: Project) -> list[tuple[int, str]]:
    with bind(project.id):
        return list(SubjectAlias.objects.order_by("id").values_list("subject_id", "external_id"))


def test_an_alias_leads_to_its_subject_and_is_recorded(project: Project) -> None:
    ada, actor = make_subject(project, "ada"), user_actor(project, "curator")
    alias = add_alias(actor=actor, project_id=project.id, subject_id=ada.id, external_id="  ada@example.test ")
    assert aliases(project) == [(ada.id, "ada@example.test")]
    assert make_subject(project, "ada@example.test").id == ada.id
    again = add_alias(actor=actor, project_id=project.id, subject_id=ada.id, external_id="ada@example.test")
    assert again.pk == alias.pk
    assert remove_alias(actor=actor, project_id=project.id, subject_id=ada.id, alias_id=alias.pk) == "ada@example.test"
    assert aliases(project) == []
    assert make_subject(project, "ada@example.test").id != ada.id
    with bind(project.id):
        events = AuditEvent.objects.filter(object_type="subject").order_by("seq")
        assert list(events.values_list("verb", "object_id", "data")) == [
            ("subjects.add_alias", str(ada.id), {"alias": alias.pk}),
            ("subjects.remove_alias", str(ada.id), {"alias": alias.pk}),
        ]


@pytest.mark.parametrize("name", ["", "  ", "*", "\u200b", "x" * 256, "ada", "\x00"])
def test_what_is_no_alias(project: Project, name: str) -> None:
    ada, actor = make_subject(project, "ada"), user_actor(project, "curator")
    before = state(project)
    if name == "\x00":
        name = "\ud800" * 256
    with pytest.raises(Invalid) as refused:
        add_alias(actor=actor, project_id=project.id, subject_id=ada.id, external_id=name)
    assert refused.value.code == "invalid_alias"
    assert state(project) == before


def test_what_belongs_to_another_is_refused(project: Project) -> None:
    ada, bea, actor = make_subject(project, "ada"), make_subject(project, "bea"), user_actor(project, "curator")
    add_alias(actor=actor, project_id=project.id, subject_id=bea.id, external_id="crm:7")
    other = make_project("other")
    eve = make_subject(other, "eve")
    before = state(project)
    for taken in ("bea", "crm:7"):
        with pytest.raises(Conflict) as refused:
            add_alias(actor=actor, project_id=project.id, subject_id=ada.id, external_id=taken)
        assert refused.value.code == "alias_taken" and "bea" not in refused.value.detail
    with pytest.raises(NotFound):
        add_alias(actor=actor, project_id=project.id, subject_id=eve.id, external_id="e")
    with pytest.raises(NotFound):
        remove_alias(actor=actor, project_id=project.id, subject_id=ada.id, alias_id=1)
    assert state(project) == before


def test_there_is_an_end(project: Project) -> None:
    ada, actor = make_subject(project, "ada"), user_actor(project, "curator")
    with bind(project.id):
        SubjectAlias.objects.bulk_create(
            SubjectAlias(project=project, subject=ada, external_id=f"a{number}") for number in range(MAX_ALIASES)
        )
    with pytest.raises(Invalid) as refused:
        add_alias(actor=actor, project_id=project.id, subject_id=ada.id, external_id="one more")
    assert refused.value.code == "too_many_aliases" and len(aliases(project)) == MAX_ALIASES


@pytest.mark.parametrize("role", ["viewer", "admin", "auditor"])
def test_who_may(project: Project, role: str) -> None:
    ada = make_subject(project, "ada")
    actor = user_actor(project, role)
    before = state(project)
    with pytest.raises(Refused):
        add_alias(actor=actor, project_id=project.id, subject_id=ada.id, external_id="x")
    with pytest.raises(Refused):
        remove_alias(actor=actor, project_id=project.id, subject_id=ada.id, alias_id=1)
    assert state(project) == before


def test_at_once_an_id_still_means_one_subject(fresh_db: str) -> None:
    """Somebody is heard of under an id while another gets it as an alias: one of the two happens first, and the other
    goes by it."""
    project = make_project("acme")
    ada, actor = make_subject(project, "ada"), user_actor(project, "curator")

    def name(number: int) -> str:
        try:
            if number % 2:
                with bind(project.id):
                    return str(resolve_subject(project_id=project.id, external_id="both").id)
            add_alias(actor=actor, project_id=project.id, subject_id=ada.id, external_id="both")
            return "alias"
        except Conflict as refused:
            return refused.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        said = set(pool.map(name, range(8)))
    with bind(project.id):
        subjects = list(Subject.objects.filter(external_id="both").values_list("id", flat=True))
        leads = list(SubjectAlias.objects.filter(external_id="both").values_list("subject_id", flat=True))
    assert len(subjects) + len(leads) == 1
    assert said == ({"alias", str(ada.id)} if leads else {"alias_taken", str(subjects[0])})


def test_one_statement_may_make_any_number_of_subjects(project: Project) -> None:
    """Their names are kept apart from aliases by few locks, however many there are: each holds room that the server has
    little of."""
    ada = make_subject(project, "ada")
    add_alias(actor=user_actor(project, "curator"), project_id=project.id, subject_id=ada.id, external_id="p-7")
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tenancy_subject (project_id, kind, external_id, epoch)"
            " SELECT %s, 'user', 'p-' || n, 0 FROM generate_series(1, 20000) n",
            [project.id],
        )
        assert cursor.rowcount == 19_999
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
        (locks,) = cursor.fetchone()
    assert locks <= 2 * 1_024
    assert not Subject.objects.filter(external_id="p-7").exists()
