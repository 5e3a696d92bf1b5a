"""The overview of a project: each number is that of the list it leads to."""

import re
from datetime import timedelta

import pytest
from django.db import connection

from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.models import Proposal
from apps.facts.models import Fact
from apps.insight.actions.count_figures import count_figures
from apps.insight.models import Figures, Visit
from apps.insight.queries import due, kept_figures
from apps.tenancy.models import Agent, Project
from tests.console.pages import between, numbers, text
from tests.console.past import ago, past_fact
from tests.console.stage import learn, login, moved, state
from tests.factories import make_agent, make_fact, make_key, make_project, make_subject, make_user, user_actor
from tests.recall.test_servings import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Project:
    return make_project("acme")


@pytest.fixture
def support(acme: Project) -> Agent:
    return make_agent(acme, "support")


def told(project: Project, fact: Fact, agent: Agent, times: int) -> None:
    key, _ = make_key(project)
    for _ in range(times):
        read(project, [fact], agent=agent, key=key, subject=make_subject(project, "ada"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT roll_up_reads(20000, interval '0')")


def links(page: str) -> dict[str, str]:
    return dict(re.findall(r'class="stat"\s+href="([^"]+)".*?class="v">([^<]+)<', page, re.DOTALL))


def test_each_number_is_what_its_list_shows(acme: Project, support: Agent) -> None:
    facts = [make_fact(acme, f"Fact number {n}.", agent=support) for n in range(4)]
    make_fact(acme, "Has a nut allergy.", user="ada", sensitivity="special")
    make_fact(acme, "Nobody says this any more.", retired="wrong")
    told(acme, facts[0], support, 3)
    told(acme, facts[1], support, 1)
    curator = user_actor(acme, "curator")
    for name, verdict in (("t", "yes"), ("u", "yes"), ("v", "no")):
        (proposal,) = learn(acme, name, f"Our rule {name} is that {name} comes first.", user="ada")
        if verdict == "yes":
            approve_proposal(actor=curator, project_id=acme.id, proposal_id=proposal.id)
        else:
            reject_proposal(actor=curator, project_id=acme.id, proposal_id=proposal.id, reason="vague")
    learn(acme, "w", "We ship on Mondays.", user="ada")
    with bind(acme.id):
        early = Proposal.objects.filter(state="applied").latest("id")
        Proposal.objects.filter(id=early.id).update(created_at=ago(days=21), decided_at=ago(days=20))
    assert count_figures(acme.id)

    user = make_user(acme, "curator")
    client = login(acme, user=user)
    with bind(acme.id):
        Visit.objects.create(project=acme, user=user, seen_at=ago(days=1))
    page = client.get("/p/acme")
    assert page.status_code == 200 and page["Cache-Control"] == "no-store"
    shown = links(page.text)
    assert shown["/p/acme/facts?served=never"] == "5"
    assert len(numbers(client.get("/p/acme/facts?served=never"))) == 5
    assert shown["/p/acme/facts?served=30"] == "2"
    assert sorted(numbers(client.get("/p/acme/facts?served=30"))) == [facts[0].id, facts[1].id]
    assert shown["/p/acme/review?state=applied&amp;days=30"] == "67%"
    assert shown["/p/acme/review?state=rejected&amp;days=30"] == "33.3%"
    assert "2 of 3 decided" in page.text and "1 rejected, 0 retired within a week" in page.text
    for days, applied, rejected in ((30, 2, 1), (7, 1, 1)):
        lists = {one: client.get(f"/p/acme/review?state={one}&days={days}") for one in ("applied", "rejected")}
        assert {one: list_.context["total"] for one, list_ in lists.items()} == {
            "applied": str(applied),
            "rejected": str(rejected),
        }
        assert len(lists["applied"].context["groups"][0].rows) == applied
        assert f"{days} days" in lists["applied"].text
        tiles = client.get(f"/p/acme?days={days}").text
        assert f"{applied} of {applied + rejected} decided" in tiles and f"{rejected} rejected, 0 retired" in tiles
    most = between(page, 'id="most"', "</section>")
    assert most.endswith("Fact number 0. told 3 times Fact number 1. told 1 times")
    assert "Nobody says this" not in page.text
    # What is new since he last looked; then he has seen it.
    assert "1 new proposal" in page.text
    before = state(acme)
    assert client.post("/p/acme/seen").headers["Location"] == "/p/acme"
    assert moved(before, state(acme)) == {"insight_visit"}
    with bind(acme.id):
        Visit.objects.update(seen_at=now() + timedelta(seconds=1))
    assert "Nothing new." in client.get("/p/acme").text


def test_nobody_counts_what_he_may_not_see(acme: Project, support: Agent) -> None:
    make_fact(acme, "Ships on Tuesdays.")
    secret = make_fact(acme, "Has a nut allergy.", user="ada", sensitivity="special")
    told(acme, secret, support, 5)
    learn(acme, "t", "I prefer email.", user="ada")
    count_figures(acme.id)
    page = login(acme, "viewer").get("/p/acme")
    assert links(page.text) == {"/p/acme/facts?served=30": "0", "/p/acme/facts?served=never": "1"}
    assert "allergy" not in page.text and "proposal" not in page.text and "told 5" not in page.text
    masked = login(acme, "curator").get("/p/acme").text
    assert "allergy" not in masked and "Masked personal fact" in masked and "told 5 times" in text(masked)
    assert login(acme, "auditor").get("/p/acme").status_code == 302


def test_growth_by_source_over_days_and_weeks(acme: Project) -> None:
    for days, source in (
        (0, "learned"),
        (1, "learned"),
        (6, "manual"),
        (20, "import"),
        (80, "learned"),
        (200, "manual"),
    ):
        past_fact(acme, f"From {days} days ago.", ago(days=days), source=source)
    count_figures(acme.id)
    with bind(acme.id):
        found = {days: kept_figures(acme.id, days=days, personal=True) for days in (7, 30, 90)}
    assert all(kept is not None for kept in found.values())
    week, month, quarter = found[7], found[30], found[90]
    assert week and month and quarter
    assert {source: sum(per) for source, per in week.growth.items()} == {"learned": 2, "manual": 1}
    assert week.growth["learned"][-2:] == [1, 1] and len(week.starts) == 7
    assert {source: sum(per) for source, per in month.growth.items()} == {"learned": 2, "manual": 1, "import": 1}
    assert len(quarter.starts) == 13 and sum(quarter.growth["learned"]) == 3
    page = login(acme, "viewer").get("/p/acme?days=90").text
    assert "/p/acme/facts?source=import" in page and "Show as a table" in page


def test_a_new_project_says_how_to_begin(acme: Project) -> None:
    page = login(acme, "admin").get("/p/acme")
    assert "Nothing is remembered yet" in page.text and "New key" in page.text
    assert "http://127.0.0.1:8000" in page.text and links(page.text) == {}


def test_figures_are_counted_when_something_happened(acme: Project) -> None:
    assert due(10) == [acme.id]
    assert count_figures(acme.id) and due(10) == []
    with bind(acme.id):
        Figures.objects.update(next_at=ago(hours=1))
    assert due(10) == [acme.id]
    # Nothing new: looked at again in ten minutes.
    assert not count_figures(acme.id) and due(10) == []
    make_fact(acme, "Ships on Tuesdays.")
    assert count_figures(acme.id)
    with bind(acme.id):
        assert Figures.objects.get().counted["facts"] == {"open": 1, "all": 1}


@pytest.mark.parametrize("days", ["", "8", "x", "9" * 30])
def test_another_period_is_the_usual_one(acme: Project, days: str) -> None:
    make_fact(acme, "Ships on Tuesdays.")
    count_figures(acme.id)
    page = login(acme, "viewer").get(f"/p/acme?days={days}")
    assert 'aria-current="true">' in page.text and "in 30 days" in page.text
