"""The page of categories, and what offers them."""

import re

import pytest
from django.test import Client

from apps.core.transactions import bind
from apps.facts.actions.rename_category import rename_category
from apps.facts.actions.retire_category import retire_category
from apps.facts.categories import USUAL
from apps.facts.models import Category, Fact
from apps.privacy.models import RetentionRule
from apps.tenancy.models import Project
from tests.console.pages import text
from tests.console.stage import learn, login, moved, state
from tests.factories import make_agent, make_fact, make_key, make_project, user_actor

pytestmark = pytest.mark.django_db
URL = "/p/acme/settings/categories"


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.fixture
def curator(project: Project) -> Client:
    return login(project, "curator")


def test_the_list_says_how_much_each_holds_and_leads_there(project: Project, curator: Client) -> None:
    make_fact(project, "Returns take 30 days.", category="policy")
    make_fact(project, "Ships on Mondays.", category="Freight & <b>")
    page = curator.get(URL)
    assert [(row["name"], row["count"]) for row in page.context["offered"]][3] == ("policy", "1")
    (other,) = page.context["others"]
    assert (other["name"], other["href"]) == ("Freight & <b>", "/p/acme/facts?category=Freight+%26+%3Cb%3E")
    assert curator.get(other["href"]).context["rows"][0].fact.category == "Freight & <b>"
    answer = curator.post(f"{URL}/add", {"name": " Freight "}, follow=True)
    assert "“Freight” is offered from now on." in text(answer.text)
    assert answer.context["offered"][-1]["name"] == "Freight"


def test_a_bad_name_is_said_at_its_field(project: Project, curator: Client) -> None:
    before = state(project)
    answer = curator.post(f"{URL}/add", {"name": "policy"})
    assert answer.status_code == 422 and "“policy” is in the list already." in text(answer.text)
    answer = curator.post(f"{URL}/rename?name=policy", {"name": "event` x"})
    assert answer.status_code == 422 and "letters, digits, spaces" in text(answer.text)
    assert curator.post(f"{URL}/retire", {"name": "general"}).status_code == 422
    assert curator.get(f"{URL}/rename?name=general").status_code == 404
    assert moved(before, state(project)) == set()


def test_renaming_says_what_it_leaves_and_whom_it_concerns(project: Project, curator: Client) -> None:
    make_fact(project, "Returns take 30 days.", category="policy")
    make_key(project, categories=["policy"])
    with bind(project.id):
        RetentionRule.objects.create(
            project_id=project.id, store="facts", category="policy", keep_days=90, changed_by="user:1"
        )
    page = text(curator.get(f"{URL}/rename?name=policy").text)
    assert "1 fact keeps the old name" in page
    assert "1 key may read it by name" in page and "1 retention rule names it." in page
    answer = curator.post(f"{URL}/rename?name=policy", {"name": "house rules"}, follow=True)
    assert "“policy” is now called “house rules”. 1 fact keeps the old name until it is filed anew." in text(
        answer.text
    )
    assert "now called house rules" in text(answer.text)
    answer = curator.post(f"{URL}/enable", {"name": "policy"}, follow=True)
    assert "“policy” is offered again." in text(answer.text)
    answer = curator.post(f"{URL}/retire", {"name": "policy"}, follow=True)
    assert "what an extractor would file here goes to general" in text(answer.text)


def test_facts_move_as_new_versions_and_come_back(project: Project, curator: Client) -> None:
    facts = [make_fact(project, f"{word} takes a day.", category="policy") for word in ("Return", "Refund")]
    asked = curator.post("/p/acme/facts/bulk", {"act": "file", "ids": [fact.id for fact in facts]})
    assert f'<option value="{USUAL[0]}"' in asked.text
    picked = ",".join(str(fact.id) for fact in facts)
    answer = curator.post(
        "/p/acme/facts/bulk",
        {"act": "file", "picked": picked, "confirmed": "1", "category": "procedure", "list": ""},
        follow=True,
    )
    assert "2 facts filed under procedure." in text(answer.text)
    with bind(project.id):
        now = list(Fact.objects.current().order_by("id").values_list("content", "category"))
        assert Fact.objects.filter(superseded_by__isnull=False).count() == 2
    assert now == [("Return takes a day.", "procedure"), ("Refund takes a day.", "procedure")]
    undo = re.findall(r'action="(/p/acme/undo/[^"]+)"', answer.text)[0]
    curator.post(undo)
    with bind(project.id):
        assert set(Fact.objects.current().values_list("category", flat=True)) == {"policy"}


def test_review_offers_the_same_list_and_what_is_learned_is_filed_by_it(project: Project, curator: Client) -> None:
    admin = user_actor(project, "admin")
    rename_category(actor=admin, project_id=project.id, name="preference", to="tastes")
    retire_category(actor=admin, project_id=project.id, name="policy")
    (taste,) = learn(project, "t", "I prefer email.", user="ada")
    (rule,) = learn(project, "u", "Our refund window is 30 days.")
    assert (taste.category, rule.category) == ("tastes", "general")
    page = curator.get(f"/p/acme/review/{rule.id}/approve").text
    offered = re.findall(
        r'<option value="([^"]*)">', page.split('<datalist id="categories">')[1].split("</datalist>")[0]
    )
    with bind(project.id):
        assert offered == list(Category.objects.filter(retired_at=None).order_by("id").values_list("name", flat=True))
    assert "tastes" in offered and "policy" not in offered


@pytest.mark.parametrize("role", ["viewer", "auditor"])
def test_who_may_not(project: Project, role: str) -> None:
    other = login(project, role)
    assert other.get(URL).status_code == 403
    assert other.post(f"{URL}/add", {"name": "freight"}).status_code == 403
    with bind(project.id):
        assert not Category.objects.exists()
