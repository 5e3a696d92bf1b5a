"""Adding, editing and forgetting facts: what is saved, what is refused, and that a refusal changes nothing."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.categories import USUAL
from apps.facts.models import Category, Fact, FactSource
from apps.tenancy.models import Project
from tests.console.pages import between, link, revised, text, told
from tests.console.stage import login, moved, state
from tests.factories import make_agent, make_fact, make_project, make_user, user_actor

pytestmark = pytest.mark.django_db
URL = "/p/acme/facts"
FORM = {
    "content": "The window is 30 days.",
    "scope": "agent",
    "scope_id": "",
    "agent_name": "support",
    "category": "billing",
    "memory_type": "procedural",
    "sensitivity": "internal",
    "confidence": "0.8",
    "importance": "0.6",
    "expires_at": "",
}
AUDIT = {"audit_auditevent", "audit_audithead"}


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


def facts(project: Project) -> list[Fact]:
    with bind(project.id):
        return list(Fact.objects.in_project(project.id).order_by("id"))


def last_event(project: Project) -> tuple[str, str, str, str, Any]:
    with bind(project.id):
        event = AuditEvent.objects.filter(project_id=project.id).order_by("-seq")[0]
    return event.actor_kind, event.verb, event.object_id, event.result, event.data


def errors(response: HttpResponse) -> dict[str, str]:
    """Complaints beside the fields, by the field's name; "" for those about the whole form."""
    found = {}
    for part in response.text.split('<div class="field">')[1:]:
        if "errorlist" in part:
            name = part.split('name="', 1)[1].split('"', 1)[0]
            found[name] = text(part.split('<ul class="errorlist"', 1)[1].split(">", 1)[1].split("</ul>")[0])
    if 'class="errorlist nonfield"' in response.text:
        found[""] = text(response.text.split('class="errorlist nonfield"', 1)[1].split(">", 1)[1].split("</ul>")[0])
    return found


def test_a_fact_is_added_and_opens_beside_the_list(project: Project) -> None:
    ada = make_user(project, "curator")
    client = login(project, user=ada)
    assert client.get(f"{URL}/new").status_code == 200
    answer = client.post(f"{URL}/new", FORM | {"expires_at": "2031-03-02T09:30"})
    (fact,) = facts(project)
    assert (answer.status_code, answer["Location"]) == (302, f"{URL}?open={fact.id}")
    assert (fact.content, fact.scope, fact.scope_id, fact.category) == (
        "The window is 30 days.",
        "agent",
        "support",
        "billing",
    )
    assert (fact.memory_type, fact.confidence, fact.importance) == ("procedural", 0.8, 0.6)
    assert (fact.source, fact.trust, fact.approved_by) == ("manual", 5, f"user:{ada.id}")
    assert fact.expires_at == datetime(2031, 3, 2, 9, 30, tzinfo=UTC)
    assert last_event(project) == ("user", "facts.add", str(fact.id), "done", {})
    assert told(client.get(f"{URL}?open={fact.id}")) == f"Added #{fact.id}. Agents are told from their next turn."


def test_words_that_are_a_fact_already_lead_to_it(project: Project) -> None:
    fact = make_fact(project, "The window is 30 days.")
    client = login(project, "curator")
    before = state(project)
    answer = client.post(f"{URL}/new", FORM | {"scope": "project", "content": "  the WINDOW is 30  days. "})
    assert answer["Location"] == f"{URL}?open={fact.id}"
    page = client.get(answer["Location"])
    assert told(page).startswith(f"#{fact.id} says this already; nothing was added.")
    assert "The window is 30 days." in page.text.split('id="drawer"')[1]
    assert moved(before, state(project)) == set()


@pytest.mark.parametrize(
    ("typed", "complaints"),
    [
        ({"content": " \n "}, {"content": "A fact needs words."}),
        ({"content": "\u200b"}, {"content": "A fact needs words."}),
        ({"content": "x" * 2001}, {"content": "A fact has at most 2,000 characters."}),
        ({"confidence": "1.2"}, {"confidence": "The confidence lies between 0 and 1."}),
        ({"confidence": "nan"}, {"confidence": "Enter a number."}),
        ({"agent_name": ""}, {"agent_name": "Choose the agent that is told."}),
        (
            {"agent_name": "nobody"},
            {"agent_name": "Select a valid choice. nobody is not one of the available choices."},
        ),
        ({"scope": "user", "scope_id": " "}, {"scope_id": "A fact of scope user needs an id."}),
        ({"scope": "user", "scope_id": "*"}, {"scope_id": "'*' names nobody."}),
        ({"scope": "planet"}, {"scope": "Select a valid choice. planet is not one of the available choices."}),
        ({"category": "x" * 61}, {"category": "A category is one line of 1 to 60 characters."}),
        ({"expires_at": "tomorrow"}, {"expires_at": "Enter a valid date/time."}),
        (
            {"content": "", "importance": "-1"},
            {"content": "A fact needs words."},
        ),
        (
            {"content": "x" * 2001, "importance": "-1"},
            {"content": "A fact has at most 2,000 characters.", "importance": "The importance lies between 0 and 1."},
        ),
    ],
)
def test_a_bad_field_is_named_in_place_and_everything_typed_is_kept(
    project: Project, typed: dict[str, str], complaints: dict[str, str]
) -> None:
    fact = make_fact(project, "An older one.")
    client = login(project, "curator")
    before = state(project)
    for path in ("new", f"{fact.id}/edit"):
        answer = client.post(
            f"{URL}/{path}", {"content": "<b>Typed</b> & kept."} | FORM | {"content": "K & <K>"} | typed
        )
        assert answer.status_code == 422
        assert errors(answer) == complaints
        assert 'value="billing"' in answer.text or "category" in typed
        if "content" not in typed:
            assert "K &amp; &lt;K&gt;</textarea>" in answer.text
    assert moved(before, state(project)) == set()


def test_the_projects_categories_are_offered_and_any_other_is_taken(project: Project) -> None:
    curator = login(project, "curator")

    def offered() -> list[str]:
        page = curator.get(f"{URL}/new").text
        assert 'list="categories"' in page
        part = page.split('<datalist id="categories">', 1)[1].split("</datalist>", 1)[0]
        return re.findall(r'<option value="([^"]*)">', part)

    assert offered() == list(USUAL)
    with bind(project.id):
        for name in ("boat", 'a "b" <c>'):
            Category.objects.create(project_id=project.id, name=name)
        Category.objects.create(project_id=project.id, name="steamer", retired_at=now())
    assert offered() == ["boat", "a &quot;b&quot; &lt;c&gt;"]
    assert curator.post(f"{URL}/new", FORM | {"category": "ferry"}).status_code == 302
    assert [fact.category for fact in facts(project)] == ["ferry"]


def test_an_id_left_over_from_another_scope_is_not_used(project: Project) -> None:
    client = login(project, "curator")
    client.post(f"{URL}/new", FORM | {"scope": "project", "scope_id": "alice"})
    client.post(f"{URL}/new", FORM | {"scope": "agent", "scope_id": "alice"})
    client.post(f"{URL}/new", FORM | {"scope": "user", "scope_id": " alice "})
    assert [(fact.scope, fact.scope_id, fact.agent_id is None) for fact in facts(project)] == [
        ("project", "acme", True),
        ("agent", "support", False),
        ("user", "alice", False),
    ]


def test_the_filter_of_the_list_is_filled_in(project: Project) -> None:
    client = login(project, "curator")
    assert f'href="{URL}/new?scope=user&amp;scope_id=alice"' in client.get(f"{URL}?scope=user&scope_id=alice&q=x").text
    page = client.get(f"{URL}/new?scope=user&scope_id=alice")
    assert 'value="alice"' in page.text and '<option value="user" selected>' in page.text
    assert '<option value="support" selected>' in client.get(f"{URL}/new?scope=agent&scope_id=support").text


def as_typed(fact: Fact, **changes: str) -> dict[str, str]:
    return {
        "content": fact.content,
        "scope": fact.scope,
        "scope_id": fact.scope_id,
        "agent_name": "support" if fact.agent_id else "",
        "category": fact.category,
        "memory_type": fact.memory_type,
        "sensitivity": fact.sensitivity,
        "confidence": str(fact.confidence),
        "importance": str(fact.importance),
        "expires_at": fact.expires_at.strftime("%Y-%m-%dT%H:%M") if fact.expires_at else "",
    } | changes


def test_an_edit_is_a_new_version_that_keeps_what_the_form_does_not_ask(project: Project) -> None:
    moment = datetime(2031, 3, 2, 9, 30, 12, tzinfo=UTC)
    old = make_fact(
        project,
        "Prefers phone.",
        user="alice",
        attribute="contact-channel",
        expires_at=moment,
        valid_from=datetime(2026, 1, 1, tzinfo=UTC),
    )
    ada = make_user(project, "curator", name="Ada Byron")
    client = login(project, user=ada)
    form = client.get(f"{URL}/{old.id}/edit")
    assert "Prefers phone.</textarea>" in form.text and 'value="2031-03-02T09:30"' in form.text
    answer = client.post(f"{URL}/{old.id}/edit", as_typed(old, content="Prefers email.", sensitivity="personal"))
    first, second = facts(project)
    assert answer["Location"] == f"{URL}?open={second.id}"
    assert told(client.get(answer["Location"])) == f"Saved #{second.id}, which replaces #{old.id}. Undo z"
    assert (first.content, first.superseded_by_id, first.is_current) == ("Prefers phone.", second.id, False)
    assert (second.content, second.sensitivity, second.attribute) == ("Prefers email.", "personal", "contact-channel")
    assert (second.expires_at, second.valid_from) == (moment, old.valid_from)
    assert (second.observed_at, second.approved_by) == (old.observed_at, f"user:{ada.id}")
    assert last_event(project) == ("user", "facts.revise", str(second.id), "done", {"supersedes": [old.id]})


def test_an_edit_that_changes_nothing_makes_no_version(project: Project) -> None:
    old = make_fact(project, "Prefers phone.", user="alice", expires_at=datetime(2031, 3, 2, 9, 30, 12, tzinfo=UTC))
    client = login(project, "curator")
    before = state(project)
    answer = client.post(f"{URL}/{old.id}/edit", as_typed(old))
    assert answer["Location"] == f"{URL}?open={old.id}"
    assert told(client.get(answer["Location"])) == f"Nothing was changed in #{old.id}."
    assert moved(before, state(project)) == set()


def test_an_edit_over_somebody_elses_shows_both_and_saves_only_on_request(project: Project) -> None:
    old = make_fact(project, "Call before ten.", user="alice")
    bob = user_actor(project, "curator", user=make_user(project, "curator", name="Bob"))
    client = login(project, "curator")
    assert client.get(f"{URL}/{old.id}/edit").status_code == 200
    new = revised(project, old, "Call before eleven.", by=bob, confidence=0.7)
    before = state(project)

    answer = client.post(f"{URL}/{old.id}/edit", as_typed(old, content="Write before ten."))
    assert answer.status_code == 409
    assert moved(before, state(project)) == set()
    assert f"Bob saved #{new.id} while you were writing. Nothing of yours was saved." in text(answer.text)
    assert "<del>ten</del><ins>eleven</ins>" in answer.text and "<del>Call</del><ins>Write</ins>" in answer.text
    assert "Confidence 0.7 1.0" in between(answer, "<tbody>", "</tbody>")
    assert "Write before ten.</textarea>" in answer.text
    assert link(answer, f"Keep #{new.id} as it is") == f"{URL}?open={new.id}"
    assert f'action="{URL}/{new.id}/edit"' in answer.text

    answer = client.post(f"{URL}/{new.id}/edit", as_typed(old, content="Write before ten."))
    assert [(fact.content, fact.is_current) for fact in facts(project)] == [
        ("Call before ten.", False),
        ("Call before eleven.", False),
        ("Write before ten.", True),
    ]
    # The form of a version that is closed leads to the one in force.
    assert client.get(f"{URL}/{old.id}/edit")["Location"] == f"{URL}/{facts(project)[-1].id}/edit"


def test_an_edit_of_a_retired_fact_offers_a_new_one(project: Project) -> None:
    old = make_fact(project, "Call before ten.", user="alice", retired="wrong")
    client = login(project, "curator")
    before = state(project)
    answer = client.post(f"{URL}/{old.id}/edit", as_typed(old, content="Write before ten."))
    assert answer.status_code == 409 and f'action="{URL}/new"' in answer.text
    assert f"#{old.id} was retired while you were writing." in text(answer.text)
    assert client.get(f"{URL}/{old.id}/edit").status_code == 409
    assert moved(before, state(project)) == set()


def test_an_edit_into_another_facts_words_is_refused(project: Project) -> None:
    other, fact = make_fact(project, "Tea is green."), make_fact(project, "Tea is black.")
    client = login(project, "curator")
    before = state(project)
    answer = client.post(f"{URL}/{fact.id}/edit", as_typed(fact, content="tea is GREEN."))
    assert (answer.status_code, errors(answer)) == (409, {"": f"Fact #{other.id} says this already."})
    assert "tea is GREEN.</textarea>" in answer.text
    assert moved(before, state(project)) == set()


@pytest.mark.parametrize("role", ["viewer", "admin", "privacy_officer", "auditor"])
def test_who_may_not_write_changes_nothing_and_is_recorded(project: Project, role: str) -> None:
    fact = make_fact(project, "Tea is green.")
    client = login(project, role)
    before = state(project)
    tries = [("new", FORM, "facts.add"), (f"{fact.id}/edit", as_typed(fact, content="No."), "facts.revise")]
    if role != "privacy_officer":
        tries.append((f"{fact.id}/forget", {"facts": 1}, "privacy.forget_fact"))
    for path, fields, verb in tries:
        assert client.get(f"{URL}/{path}").status_code == 403
        answer = client.post(f"{URL}/{path}", fields)
        assert answer.status_code == 403 and "This needs the role" in answer.text
        assert last_event(project) == ("user", verb, verb, "denied", {})
    assert moved(before, state(project)) == AUDIT
    if role in {"viewer", "admin"}:
        assert "/new" not in client.get(URL).text and "/edit" not in client.get(f"{URL}/{fact.id}").text


def test_a_form_without_its_token_is_refused(project: Project) -> None:
    fact = make_fact(project, "Tea is green.")
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user(project, "curator"))
    before = state(project)
    for path in ("new", f"{fact.id}/edit", f"{fact.id}/forget"):
        answer = client.post(f"{URL}/{path}", FORM)
        assert answer.status_code == 403 and "Send it again" in answer.text
    assert moved(before, state(project)) == set()


def test_reading_changes_nothing(project: Project) -> None:
    fact = make_fact(project, "Tea is green.", user="alice")
    client = login(project, "curator")
    before = state(project)
    for path in ("", "?q=tea", "/new", f"/{fact.id}", f"/{fact.id}/edit", f"/{fact.id}/forget", f"?open={fact.id}"):
        assert client.get(URL + path).status_code == 200
        assert client.head(URL + path).status_code == 200
    assert moved(before, state(project)) == set()
    assert [
        method for method in ("put", "patch", "delete") if getattr(client, method)(URL + "/new").status_code != 405
    ] == []


def test_evidence_goes_with_a_new_version(project: Project) -> None:
    from tests.console.test_facts_details import approved

    fact = approved(project)
    client = login(project, "curator")
    client.post(f"{URL}/{fact.id}/edit", as_typed(fact, content="Our refund window is 45 days."))
    new = facts(project)[-1]
    with bind(project.id):
        quotes = FactSource.objects.filter(project_id=project.id).order_by("id").values_list("fact_id", "quote")
        assert [fact_id for fact_id, _ in quotes] == [fact.id, new.id] and len({quote for _, quote in quotes}) == 1
    assert (new.source, new.source_trace_id) == ("learned", fact.source_trace_id)
