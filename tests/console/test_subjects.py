"""Subjects: the list, and everything that is remembered about one."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from apps.access.actions.add_alias import add_alias
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.extraction.models import ExtractionSettings
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.models import Fact
from apps.recall.actions.roll_up_reads import roll_up_reads
from apps.tenancy.models import Project, Subject, SubjectAlias
from tests.console.stage import HX, learn, login, state
from tests.console.test_traces import text
from tests.factories import make_agent, make_fact, make_key, make_project, make_subject, user_actor
from tests.recall.test_servings import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.fixture
def curator(project: Project) -> Client:
    return login(project, "curator")


def rows(client: Client, path: str = "/p/acme/subjects") -> list[str]:
    html = client.get(path).content.decode()
    return [text(row.split("</tr>")[0].partition(">")[2]) for row in html.split("<tr data-row")[1:]]


def alias(project: Project, subject: Subject, name: str) -> SubjectAlias:
    actor = user_actor(project, "curator")
    return add_alias(actor=actor, project_id=project.id, subject_id=subject.id, external_id=name)


def page_of(subject: Subject, tab: str = "") -> str:
    return f"/p/acme/subjects/{subject.id}" + (f"?tab={tab}" if tab else "")


# --- the list -------------------------------------------------------------------------------------------------------


def scene(project: Project) -> tuple[Subject, Subject]:
    ada, bea = make_subject(project, "ada"), make_subject(project, "Bea")
    make_fact(project, "Prefers email.", user="ada", sensitivity="personal")
    make_fact(project, "Reads French.", user="ada")
    make_fact(project, "Was in Porto.", user="ada", retired="stale")
    make_fact(project, "Likes tea.", user="Bea", sensitivity="special")
    learn(project, "t", "I prefer trains. I prefer tea.", user="ada")
    alias(project, ada, "ada@example.test")
    with bind(project.id):
        Subject.objects.filter(id=ada.id).update(last_seen_at=now() - timedelta(hours=2))
        Subject.objects.filter(id=bea.id).update(last_seen_at=now() - timedelta(days=3))
    return ada, bea


def test_the_list_says_what_is_known_of_each(project: Project, curator: Client) -> None:
    scene(project)
    assert rows(curator) == ["ada ada@example.test 2 2 2 h", "Bea – 1 – 3 d"]
    assert rows(curator, "/p/acme/subjects?sort=name") == ["ada ada@example.test 2 2 2 h", "Bea – 1 – 3 d"]
    viewer = login(project, "viewer")
    assert rows(viewer) == ["ada •••••• 1 2 h", "Bea – 0 3 d"]
    admin = login(project, "admin").get("/p/acme/subjects").content.decode()
    assert "ada@example.test" not in admin


def test_an_id_or_alias_is_found_by_its_beginning(project: Project, curator: Client) -> None:
    _, bea = scene(project)
    alias(project, bea, "ADAMANT")
    found = rows(curator, "/p/acme/subjects?q=aDa")
    assert [row.split()[0] for row in found] == ["Bea", "ada"]
    assert found[0].startswith("Bea by alias ADAMANT") and "by alias" in found[1]
    assert [row.split()[0] for row in rows(curator, "/p/acme/subjects?q=b")] == ["Bea"]
    # Who may not see aliases can't find out by searching for one.
    viewer = login(project, "viewer")
    assert [row.split()[0] for row in rows(viewer, "/p/acme/subjects?q=ada")] == ["ada"]
    assert rows(viewer, "/p/acme/subjects?q=ADAM") == []
    for nothing in ("%25", "_", "da", "%00x", "'", "%F4%8F%BF%BF", "a|d"):
        assert rows(curator, f"/p/acme/subjects?q={nothing}") == [], nothing
    part = curator.get("/p/acme/subjects?q=be", **HX, HTTP_HX_TARGET="results").content.decode()
    assert "<html" not in part and "Bea" in part
    empty = curator.get("/p/acme/subjects?q=nobody").content.decode()
    assert "No subject is called so" in empty


def test_every_script_is_found_and_survives(project: Project, curator: Client) -> None:
    for name in ("زينب", "渡辺|100%", "straße", "e\u0301lan", "🙂" * 100, "퟿x"):
        make_subject(project, name)
        found = curator.get("/p/acme/subjects", {"q": name}).context["rows"]
        assert [row.subject.external_id for row in found] == [name]
    longest = make_subject(project, "ü" * 255)
    assert curator.get(page_of(longest)).status_code == 200


@pytest.mark.parametrize("query", ["", "?sort=name", "?q=s"])
def test_pages_by_position(project: Project, curator: Client, monkeypatch: pytest.MonkeyPatch, query: str) -> None:
    monkeypatch.setattr("apps.console.views.subjects.PAGE", 2)
    for number in range(3):
        make_subject(project, f"s{number}")
    first = curator.get(f"/p/acme/subjects{query}").context
    second = curator.get(first["older"]).context
    names = [row.subject.external_id for row in (*first["rows"], *second["rows"])]
    assert sorted(names) == ["s0", "s1", "s2"] and second["older"] is None
    assert names == (sorted(names) if query else names)
    assert curator.get("/p/acme/subjects?cursor=forged").status_code == 400


def test_nobody_is_known_yet(project: Project, curator: Client) -> None:
    assert "Nobody is known yet" in curator.get("/p/acme/subjects").content.decode()


# --- one subject ----------------------------------------------------------------------------------------------------


def test_the_head_counts_what_each_tab_lists(project: Project, curator: Client) -> None:
    ada, _ = scene(project)
    page = curator.get(page_of(ada))
    assert [(tab.name, tab.count, tab.hot, tab.current) for tab in page.context["tabs"]] == [
        ("now", "2", False, True),
        ("pending", "2", True, False),
        ("history", "1", False, False),
        ("traces", "1", False, False),
        ("served", "0 in 7 d", False, False),
    ]
    assert [(share.name, share.count, share.at, share.width) for share in page.context["mix"]] == [
        ("internal", "1", "0.00%", "50.00%"),
        ("personal", "1", "50.00%", "50.00%"),
    ]
    assert [row.fact.content for row in page.context["rows"]] == ["Reads French.", "Prefers email."]
    for tab, count in (("pending", 2), ("history", 1), ("traces", 1), ("served", 0)):
        assert len(curator.get(page_of(ada, tab)).context["rows"]) == count, tab
        part = curator.get(page_of(ada, tab), **HX, HTTP_HX_TARGET="results").content.decode()
        assert "<html" not in part and part.count("<tr data-row") == count
    html = page.content.decode()
    assert "/p/acme/agent-view?user=ada" in html and 'data-hotkey="v"' in html


def test_a_viewer_is_told_nothing_personal_not_even_how_much(project: Project) -> None:
    ada, _ = scene(project)
    page = login(project, "viewer").get(page_of(ada))
    html = page.content.decode()
    assert [(tab.name, tab.count) for tab in page.context["tabs"]] == [("now", "1"), ("history", "1")]
    assert [row.fact.content for row in page.context["rows"]] == ["Reads French."]
    assert "Prefers email" not in html and "ada@example.test" not in html and "••••••" in html
    assert "Add an alias" not in html
    # A tab that is not for him is the first one.
    assert login(project, "viewer").get(page_of(ada, "served")).context["tab"] == "now"


def test_history_leads_to_what_replaced_it(project: Project, curator: Client) -> None:
    ada = make_subject(project, "ada")
    old = make_fact(project, "Lives in Porto.", user="ada")
    from apps.facts.statement import Statement

    new = revise_fact(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        fact_id=old.id,
        statement=Statement(content="Lives in Lisbon.", scope="user", scope_id="ada"),
    )
    html = curator.get(page_of(ada, "history")).content.decode()
    assert "superseded →\n" in html or "superseded →" in html
    assert f"/p/acme/facts/{new.id}" in html and "Lives in Porto." in html


def test_the_cap_says_what_would_go_next(project: Project, curator: Client) -> None:
    ada = make_subject(project, "ada")
    actor = user_actor(project, "curator")
    made = []
    for proposal in learn(project, "t", "I prefer trains. I prefer tea. I prefer email.", user="ada"):
        made.append(approve_proposal(actor=actor, project_id=project.id, proposal_id=proposal.id).fact_id)
    use = curator.get(page_of(ada)).context["cap"]
    assert (use.used, use.most, use.left, use.is_tight) == (3, 200, 197, False)
    assert use.next.id == min(made)
    with bind(project.id):
        Fact.objects.filter(id=min(made)).update(pinned=True)
        ExtractionSettings.objects.create(project=project, max_learned=3)
    use = curator.get(page_of(ada)).context["cap"]
    assert (use.most, use.left, use.is_full, use.next.id) == (3, 0, True, sorted(made)[1])
    use = login(project, "viewer").get(page_of(ada)).context["cap"]
    assert use.next is None and use.next_hidden
    with bind(project.id):
        ExtractionSettings.objects.update(max_learned=None)
    use = curator.get(page_of(ada)).context["cap"]
    assert use.most is None and use.next is None


def test_served_says_who_was_told_when_and_what(project: Project, curator: Client) -> None:
    ada, support = make_subject(project, "ada"), make_agent(project, "support")
    key, _ = make_key(project, name="shop")
    facts = [make_fact(project, f"Fact {number}.", user="ada") for number in range(5)]
    read(project, facts, agent=support, key=key, subject=ada)
    read(project, facts[:1], agent=support, key=key, subject=make_subject(project, "bea"))
    roll_up_reads()
    (row,) = rows(curator, page_of(ada, "served"))
    assert "Agent support Key shop" in row or "support shop" in row
    assert f"1 Fact 0. #{facts[0].id}" in row and "and 2 more" in row and row.endswith(" 5")
    assert f"#{facts[4].id}" in row and "Fact 4." not in row
    forgotten = curator.get(page_of(ada, "served")).content.decode()
    assert f"/p/acme/agents/{support.id}" in forgotten


def test_an_alias_is_added_and_taken_away(project: Project, curator: Client) -> None:
    ada = make_subject(project, "ada")
    make_subject(project, "bea")
    answer = curator.post(f"{page_of(ada)}/aliases", {"external_id": "crm:7"}, follow=True)
    html = answer.content.decode()
    assert "“crm:7” means this subject from now on." in html and 'mono wrap">crm:7' in html
    before = state(project)
    refused = curator.post(f"{page_of(ada)}/aliases", {"external_id": "bea"})
    assert refused.status_code == 409
    assert (
        "Another subject is known by this id." in refused.content.decode() and 'value="bea"' in refused.content.decode()
    )
    assert curator.post(f"{page_of(ada)}/aliases", {"external_id": " "}).status_code == 422
    assert curator.post("/p/acme/subjects/999999/aliases", {"external_id": "x"}).status_code == 404
    assert state(project) == before
    with bind(project.id):
        (one,) = SubjectAlias.objects.all()
    gone = curator.post(f"{page_of(ada)}/aliases/{one.pk}/remove", follow=True).content.decode()
    assert "leads here no longer" in gone
    assert curator.post(f"{page_of(ada)}/aliases/{one.pk}/remove").status_code == 404
    with bind(project.id):
        assert not SubjectAlias.objects.exists()
        assert AuditEvent.objects.filter(verb__startswith="subjects.").count() == 2


def test_a_users_scope_leads_here_from_facts(project: Project, curator: Client) -> None:
    ada = make_subject(project, "ada")
    fact = make_fact(project, "Prefers email.", user="ada")
    link = f'href="{page_of(ada)}"'
    assert link in curator.get("/p/acme/facts").content.decode()
    assert link in curator.get(f"/p/acme/facts/{fact.id}").content.decode()
    assert "/p/acme/facts?scope=agent&amp;scope_id=support" in (
        make_fact(project, "Ours.", agent=make_agent(project, "support"))
        and curator.get("/p/acme/facts").content.decode()
    )


def test_subjects_of_other_projects_are_not_there(project: Project, curator: Client) -> None:
    eve = make_subject(make_project("other"), "eve")
    assert curator.get(page_of(eve)).status_code == 404
    assert rows(curator) == []
    assert re.search(r"There is no such subject", curator.get(page_of(eve)).content.decode())
