"""What a batch costs: as many statements for many people as for one, words that the dry run found clean looked at once, and
no more for what came before."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.exchange import judging
from apps.exchange.actions.start_import import start_import
from apps.exchange.models import ImportLine
from apps.facts.models import Fact
from apps.tenancy.actions.resolve_subject import resolve_subjects
from apps.tenancy.models import Project, Subject
from tests.exchange.stage import as_file, checked, counts, line, reasons, worked
from tests.factories import make_project, user_actor


@pytest.fixture
def project(db: None) -> Project:
    return make_project("acme")


def started(project: Project, data: bytes, between: Callable[[], object] = lambda: None) -> Any:
    """A direct import from its dry run to its end."""
    upload = checked(project, data, direct=True)
    between()
    start_import(actor=user_actor(project, "curator", "admin"), project_id=project.id, import_id=upload.id)
    return worked(upload)


def test_many_new_people_take_as_many_statements_as_one(db: None) -> None:
    sent = []
    for many in (1, 40):
        project = make_project(f"of-{many}")
        data = as_file(*[line(f"Note {n} of this one.", "user", f"person-{n % many}") for n in range(80)])
        upload = checked(project, data, direct=True)
        start_import(actor=user_actor(project, "curator", "admin"), project_id=project.id, import_id=upload.id)
        with CaptureQueriesContext(connection) as caught:
            assert worked(upload).counts == counts(80)
        sent.append(len(caught))
        with bind(project.id):
            assert Subject.objects.filter(project_id=project.id, kind="user").count() == many
            assert Fact.objects.in_project(project.id).exclude(subject=None).count() == 80
    assert sent[0] == sent[1] and sent[0] <= 50


def test_clean_words_are_screened_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    screen = judging.screen

    def noted(text: str) -> Any:
        looked.append(text)
        return screen(text)

    monkeypatch.setattr(judging, "screen", noted)
    data = as_file(line("Shops open at nine."), line("Write to zoe@example.com.", "user", "zoe"))
    assert started(project, data).counts == counts(2)
    # An address was found, so that what is told is told as personal: by a look at each pass.
    assert looked == ["Shops open at nine.", *["Write to zoe@example.com."] * 2]
    with bind(project.id):
        assert set(Fact.objects.values_list("content", "sensitivity")) == {
            ("Shops open at nine.", "internal"), ("Write to zoe@example.com.", "personal"),
        }  # fmt: skip


def test_by_other_rules_they_are_screened_again(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def newer() -> None:
        monkeypatch.setattr(judging, "RULESET", "newer")
        monkeypatch.setattr(judging, "QUARANTINE", 0.0)

    upload = started(project, as_file(line("Shops open at nine.")), newer)
    assert upload.counts == counts(1, held=1)
    with bind(project.id):
        assert not Fact.objects.exists()


def test_other_words_than_those_that_were_found_clean_are_screened(project: Project) -> None:
    def swap() -> None:
        with bind(project.id):
            ImportLine.objects.update(record=line("The password is hunter2-Gx91!kk"))

    upload = started(project, as_file(line("Shops open at nine.")), swap)
    assert (upload.counts, reasons(upload)) == (counts(refused=1), [(1, "secret")])
    with bind(project.id):
        assert not Fact.objects.exists()


def test_of_many_ids_one_that_is_none_makes_nobody(project: Project) -> None:
    with pytest.raises(Invalid), bind(project.id):
        resolve_subjects(project_id=project.id, external_ids=["ada", "*"])
    with bind(project.id):
        assert not Subject.objects.exists()
        found = resolve_subjects(project_id=project.id, external_ids=["ada", " ada ", "bob"])
        assert found["ada"] == found[" ada "] != found["bob"] and Subject.objects.count() == 2


def test_the_same_people_met_by_many_at_once_are_one_each(fresh_db: str) -> None:
    project = make_project("acme")
    names = [f"person-{n:02}" for n in range(40)]

    def meet(number: int) -> list[int]:
        turned = names[number * 5 :] + names[: number * 5]
        try:
            with bind(project.id):
                found = resolve_subjects(project_id=project.id, external_ids=turned)
            return [found[name].id for name in names]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(meet, range(8)))
    assert all(each == ids[0] for each in ids) and len(set(ids[0])) == 40


def entries_read() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes WHERE relname = 'facts_fact'")
        return int(cursor.fetchone()[0])


def test_a_batch_does_not_read_what_came_before_it(fresh_db: str) -> None:
    """The session's plans for foreign keys were made while there was no fact."""
    project = make_project("acme")
    before = entries_read()
    upload = checked(project, as_file(*[line(f"Note {n} of many.") for n in range(2_500)]), direct=True)
    start_import(actor=user_actor(project, "curator", "admin"), project_id=project.id, import_id=upload.id)
    assert worked(upload).counts == counts(2_500)
    connection.close()
    # Of the first thousand each reads those before it, whatever the plan. All against all would be three million.
    assert entries_read() - before < 1_000_000
