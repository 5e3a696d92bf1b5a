"""Facts that mean nearly the same as a person's, shown before she is erased, for somebody to decide."""

import math
from typing import Any

import pytest

from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.privacy import near
from apps.privacy.mentions import Identifier
from apps.privacy.near import NEAR, near_facts
from apps.recall.models import FactEmbedding
from apps.tenancy.models import Project, Subject
from tests.factories import make_agent, make_fact, make_project
from tests.privacy.stage import approved, fresh, learned, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(settings: Any) -> Project:
    settings.PURGE_WAITS = False
    project = make_project()
    make_agent(project, "support")
    return project


def at_angle(project: Project, fact: Fact | int, cosine: float, model: str = "m") -> int:
    """A vector of the fact whose cosine to those of angle nought is so much."""
    number = fact if isinstance(fact, int) else fact.id
    with bind(project.id):
        row = Fact.objects.get(id=number)
        vector = [cosine, math.sqrt(max(0.0, 1 - cosine * cosine))]
        FactEmbedding.objects.create(
            project_id=project.id, fact=row, subject_id=row.subject_id, model=model, dims=2, vector=vector
        )
    return number


@pytest.mark.parametrize("compared", [20_000, 1])
def test_they_are_listed_and_go_only_when_somebody_says_so(
    project: Project, monkeypatch: pytest.MonkeyPatch, compared: int
) -> None:
    monkeypatch.setattr(near, "COMPARED", compared)
    (own,) = learned(project, "t", "I live in Lisbon.", user="ada.k")
    (others,) = learned(project, "u", "I live in Porto.", user="bo.bo")
    at_angle(project, own, 1.0)
    echo = at_angle(project, make_fact(project, "One customer is at home in Lisbon."), 0.97)
    further = at_angle(project, make_fact(project, "Lisbon has a shop."), NEAR - 0.02)
    at_angle(project, make_fact(project, "Another model's."), 1.0, model="other")
    at_angle(project, others, 0.99)
    request = approved(project, "ada.k")
    listed = fresh(request).preview["near"]
    assert {item["fact"]: (item["beside"], round(item["alike"], 1)) for item in listed} == {
        echo: (own, 1.0),
        others: (own, 1.0),
    }
    if compared > 1:
        # What somebody else said herself comes last.
        assert [item["fact"] for item in listed] == [echo, others]
    assert work(project) == ["completed"]
    with bind(project.id):
        assert set(Fact.objects.values_list("id", flat=True)) >= {echo, further, others}

    (own,) = learned(project, "t2", "I live in Madrid.", user="cy.cy")
    at_angle(project, own, 1.0)
    request = approved(project, "cy.cy", also=(echo,))
    preview = fresh(request).preview
    assert preview["reasons"] == {"direct": 1, "decided": 1}
    assert echo not in {item["fact"] for item in preview["near"]}
    assert work(project) == ["completed"]
    with bind(project.id):
        assert not Fact.objects.filter(id=echo).exists()
        assert Fact.objects.filter(id__in=[others, further]).count() == 2
        assert not Subject.objects.filter(external_id="cy.cy").exists()


def test_the_list_has_an_end(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "MOST", 3)
    (own,) = learned(project, "t", "I live in Lisbon.", user="ada.k")
    at_angle(project, own, 1.0)
    likes = [at_angle(project, make_fact(project, f"Note {n} of Lisbon."), 0.91 + n / 100) for n in range(6)]
    with bind(project.id):
        assert [one.fact_id for one in near_facts(project.id, [own], without=[likes[5]])] == likes[4:1:-1]
        assert near_facts(project.id, [], without=[]) == []


def test_a_name_that_the_person_gives_herself_is_shown_unless_somebody_looks_for_it(project: Project) -> None:
    learned(project, "t", "I live in Lisbon. Call me Quetzal.", user="ada.k")
    with bind(project.id):
        named = Fact.objects.get(content__contains="Quetzal").id
    request = approved(project, "ada.k")
    assert fresh(request).preview["called"] == [named]
    assert work(project) == ["completed"]
    learned(project, "u", "I live in Lisbon. Call me Quetzal.", user="bo.bo")
    request = approved(project, "bo.bo", identities=(Identifier("name", "Quetzal"),))
    assert fresh(request).preview["called"] == []
