"""Taking back what was done a moment ago."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client

from apps.access.actor import Actor
from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.errors import Conflict, NotFound
from apps.core.transactions import bind
from apps.curation.actions.edit_fact import edit_fact
from apps.curation.actions.undo_change import UndoResult, named, undo_change
from apps.curation.changes import record_change
from apps.curation.models import Change
from apps.facts.evidence import Evidence, source_rows
from apps.facts.models import Fact, FactSource
from apps.facts.queries import versions
from apps.facts.statement import Statement
from apps.privacy.actions.forget_fact import forget_fact
from apps.tenancy.models import Project
from tests.console.stage import login, push, state
from tests.factories import make_agent, make_fact, make_project, make_user, user_actor
from tests.spans import run_of, trace_id

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.fixture
def curator(project: Project) -> Actor:
    return user_actor(project, "curator")


def said(content: str) -> Statement:
    return Statement(content=content, scope="project", category="shipping", confidence=0.7)


def edited(project: Project, actor: Actor, old: Fact, content: str) -> tuple[Fact, Change]:
    return edit_fact(actor=actor, project_id=project.id, fact_id=old.id, statement=said(content))


def row(project: Project, fact: Fact) -> Fact:
    with bind(project.id):
        return Fact.objects.get(id=fact.id)


def current(project: Project) -> list[str]:
    with bind(project.id):
        return list(Fact.objects.current().order_by("id").values_list("content", flat=True))


def test_an_edit_is_taken_back_by_a_copy_of_the_old_version(project: Project, curator: Actor) -> None:
    push(project, run_of("t", "It ships free."))
    old = make_fact(project, "Ships free over 50 euros.", category="shipping", confidence=0.7)
    quote = Evidence(
        trace_id=trace_id("t"), message_id=None, quote="ships free", start=3, end=13, observed_at=old.observed_at
    )
    with bind(project.id):
        FactSource.objects.bulk_create(source_rows(old, [quote]))
    new, change = edited(project, curator, old, "Ships free over 40 euros.")
    assert undo_change(actor=curator, change_id=change.id) == UndoResult(1, [])
    new = row(project, new)
    assert new.superseded_by_id is not None
    with bind(project.id):
        copy = Fact.objects.get(id=new.superseded_by_id)
        assert [one.id for one in versions(project.id, old.id)] == [old.id, new.id, copy.id]
        assert (copy.content, copy.category, copy.confidence, copy.trust, copy.source) == (
            old.content, "shipping", 0.7, old.trust, old.source,
        )  # fmt: skip
        assert (bytes(copy.norm_hash), copy.observed_at, copy.is_current) == (
            bytes(old.norm_hash),
            old.observed_at,
            True,
        )
        assert copy.approved_by == curator.name
        assert [one.quote for one in FactSource.objects.filter(fact_id=copy.id)] == ["ships free"]
        undone = Change.objects.get(id=change.id)
        assert (undone.undone_at is not None, undone.undone_by) == (True, curator.name)
        events = AuditEvent.objects.filter(verb__in=["facts.undo", "changes.undo"]).order_by("seq")
        assert [(one.verb, one.object_id, one.data) for one in events] == [
            ("facts.undo", str(copy.id), {"of": "facts.revise", "supersedes": [new.id], "copies": old.id}),
            ("changes.undo", str(change.id), {"verb": "facts.revise", "undone": 1, "left": []}),
        ]


def test_a_change_is_taken_back_once(project: Project, curator: Actor) -> None:
    old = make_fact(project, "Ships free.")
    _, change = edited(project, curator, old, "Ships for 5 euros.")
    undo_change(actor=curator, change_id=change.id)
    with pytest.raises(Conflict) as refused:
        undo_change(actor=curator, change_id=change.id)
    assert refused.value.code == "undone"
    assert current(project) == ["Ships free."]


def test_what_was_touched_later_is_left_with_its_reason(project: Project, curator: Actor) -> None:
    old = make_fact(project, "Ships free.")
    new, change = edited(project, curator, old, "Ships for 5 euros.")
    edited(project, curator, new, "Ships for 6 euros.")
    result = undo_change(actor=curator, change_id=change.id)
    assert result == UndoResult(0, [(f"#{old.id}", f"#{new.id} was changed since.")])
    assert current(project) == ["Ships for 6 euros."]
    with bind(project.id):
        assert Change.objects.get(id=change.id).undone_at is None
        assert not AuditEvent.objects.filter(verb="changes.undo").exists()


def test_a_mark_set_later_is_a_touch_too(project: Project, curator: Actor) -> None:
    old = make_fact(project, "Ships free.")
    new, change = edited(project, curator, old, "Ships for 5 euros.")
    with bind(project.id):
        Fact.objects.filter(id=new.id).update(sensitivity="personal")
    assert undo_change(actor=curator, change_id=change.id).undone == 0
    assert current(project) == ["Ships for 5 euros."]


def test_the_words_may_be_said_by_another_fact_meanwhile(project: Project, curator: Actor) -> None:
    old = make_fact(project, "Ships free.")
    new, change = edited(project, curator, old, "Ships for 5 euros.")
    make_fact(project, "Ships free.")
    result = undo_change(actor=curator, change_id=change.id)
    assert result.left == [(f"#{old.id}", f"What #{old.id} says is said by another fact meanwhile.")]
    assert row(project, new).is_current
    assert current(project) == ["Ships for 5 euros.", "Ships free."]


def test_nothing_is_brought_back_that_was_forgotten(project: Project, curator: Actor) -> None:
    old = make_fact(project, "Ships free.")
    new, change = edited(project, curator, old, "Ships for 5 euros.")
    forget_fact(actor=curator, project_id=project.id, fact_id=new.id)
    result = undo_change(actor=curator, change_id=change.id)
    assert result.left == [(f"#{old.id}", f"#{old.id} was forgotten since.")]
    assert current(project) == []


def test_forgetting_what_was_brought_back_forgets_every_version(project: Project, curator: Actor) -> None:
    old = make_fact(project, "Ships free.")
    new, change = edited(project, curator, old, "Ships for 5 euros.")
    undo_change(actor=curator, change_id=change.id)
    copy_id = row(project, new).superseded_by_id
    assert copy_id is not None
    forget_fact(actor=curator, project_id=project.id, fact_id=copy_id)
    with bind(project.id):
        assert not Fact.objects.exists()


def test_after_a_quarter_of_an_hour_a_change_stays(project: Project, curator: Actor) -> None:
    old = make_fact(project, "Ships free.")
    _, change = edited(project, curator, old, "Ships for 5 euros.")
    with bind(project.id):
        Change.objects.filter(id=change.id).update(made_at=change.made_at - timedelta(minutes=15, seconds=1))
    with pytest.raises(Conflict) as refused:
        undo_change(actor=curator, change_id=change.id)
    assert refused.value.code == "undo_expired"
    assert current(project) == ["Ships for 5 euros."]


def test_only_who_made_a_change_takes_it_back(project: Project, curator: Actor) -> None:
    old = make_fact(project, "Ships free.")
    _, change = edited(project, curator, old, "Ships for 5 euros.")
    with pytest.raises(NotFound):
        undo_change(actor=user_actor(project, "curator"), change_id=change.id)
    with pytest.raises(NotFound):
        undo_change(actor=curator, change_id=uuid4())
    with pytest.raises(Refused):
        undo_change(actor=user_actor(project, "viewer"), change_id=change.id)
    elsewhere = make_project("other")
    with pytest.raises(NotFound):
        undo_change(
            actor=Actor(kind="user", id=curator.id, project_id=elsewhere.id, roles=curator.roles), change_id=change.id
        )
    assert current(project) == ["Ships for 5 euros."]


def test_a_change_is_noted_in_a_project_alone(curator: Actor) -> None:
    with pytest.raises(RuntimeError):
        record_change(actor=curator, verb="facts.revise", items=[])


def test_items_have_names() -> None:
    assert named({"fact": 12}) == "#12"
    assert named({"facts": [3, 4]}) == "#3 and #4"
    assert named({"proposal": "019a0000-0000-7000-8000-0000001f09ab"}) == "P-1f09ab"


# In the console.


def test_the_message_after_an_edit_takes_it_back(project: Project) -> None:
    user = make_user(project, "curator")
    browser = login(None, user=user)
    old = make_fact(project, "Ships free.")
    form = {"content": "Ships for 5 euros.", "scope": "project", "category": "general", "memory_type": "semantic",
            "sensitivity": "internal", "confidence": "1", "importance": "0.5"}  # fmt: skip
    saved = browser.post(f"/p/acme/facts/{old.id}/edit", form)
    page = browser.get(saved["Location"])
    with bind(project.id):
        change = Change.objects.get()
    assert f'<form method="post" action="/p/acme/undo/{change.id}">' in page.text
    assert f'name="next" value="{saved["Location"]}"' in page.text
    assert 'data-hotkey="z"' in page.text
    undone = browser.post(f"/p/acme/undo/{change.id}", {"next": saved["Location"]})
    assert (undone.status_code, undone["Location"]) == (302, saved["Location"])
    assert "Taken back." in browser.get("/p/acme/facts").text
    assert current(project) == ["Ships free."]


def test_with_htmx_the_page_is_made_new(project: Project) -> None:
    user = make_user(project, "curator")
    old = make_fact(project, "Ships free.")
    _, change = edited(project, user_actor(project, "curator", user=user), old, "Ships for 5 euros.")
    browser = login(None, user=user)
    answer = browser.post(f"/p/acme/undo/{change.id}", headers={"HX-Request": "true"})
    assert (answer.status_code, answer["HX-Refresh"]) == (204, "true")
    again = browser.post(f"/p/acme/undo/{change.id}", headers={"HX-Request": "true"})
    assert (again.status_code, again["HX-Refresh"]) == (204, "true")
    page = browser.get("/p/acme/facts").text
    assert "Taken back." in page and "This was taken back before." in page


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", ""])
def test_the_way_back_stays_in_the_console(project: Project, target: str) -> None:
    user = make_user(project, "curator")
    _, change = edited(project, user_actor(project, "curator", user=user), make_fact(project, "A."), "B.")
    answer = login(None, user=user).post(f"/p/acme/undo/{change.id}", {"next": target})
    assert answer["Location"] == "/p/acme"


def test_an_undo_without_a_token_is_refused(project: Project) -> None:
    user = make_user(project, "curator")
    _, change = edited(project, user_actor(project, "curator", user=user), make_fact(project, "A."), "B.")
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(user)
    before = state(project)
    assert browser.post(f"/p/acme/undo/{change.id}").status_code == 403
    assert state(project) == before
