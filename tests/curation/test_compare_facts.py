"""Facts that seem to say the same come into one group by themselves, and leave it when they close."""

import pytest
from django.db import connection

from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.compare_facts import compare_facts
from apps.curation.models import DuplicateGroup, DuplicateMember, NotDuplicates, Uncompared
from apps.facts.models import Fact
from apps.recall.actions.embed_facts import embed_facts
from apps.tenancy.models import Project
from tests.factories import make_agent, make_fact, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_agent(project, "support")
    make_agent(project, "orders")
    return project


def groups(project: Project) -> list[tuple[float, list[int]]]:
    with bind(project.id):
        return [
            (round(group.alike, 2), sorted(group.members.values_list("fact_id", flat=True)))
            for group in DuplicateGroup.objects.order_by("-alike", "id")
        ]


def waiting(project: Project) -> int:
    with bind(project.id):
        return Uncompared.objects.count()


def test_the_same_words_but_for_the_last_mark(project: Project) -> None:
    first = make_fact(project, "Staging is frozen on Fridays.")
    second = make_fact(project, "staging is frozen on fridays")
    make_fact(project, "Staging is not frozen on Fridays.")
    assert (waiting(project), groups(project)) == (3, [])
    assert compare_facts() == 3
    assert (waiting(project), groups(project)) == (0, [(1.0, [first.id, second.id])])
    assert compare_facts() == 0


def test_the_same_words_where_one_read_is_told_both(project: Project) -> None:
    support, orders = make_agent(project, "support"), make_agent(project, "orders")
    mine = make_fact(project, "Refunds take 30 days.", agent=support)
    whole = make_fact(project, "Refunds take 30 days.")
    ada = make_fact(project, "Prefers email.", user="ada")
    compare_facts()
    assert groups(project) == [(1.0, [mine.id, whole.id])]
    # Another agent's joins what both are told; two agents alone, or two users, are told it apart.
    others = make_fact(project, "Refunds take 30 days.", agent=orders)
    make_fact(project, "Prefers email.", user="bob")
    compare_facts()
    assert groups(project) == [(1.0, [mine.id, whole.id, others.id])]
    assert ada.id not in groups(project)[0][1]


def test_meaning_counts_once_there_are_vectors_and_numbers_keep_apart(project: Project) -> None:
    first = make_fact(project, "Wants invoices sent as PDF by email.", user="ada")
    make_fact(project, "The window is 30 days.", user="ada")
    make_fact(project, "The window is 45 days.", user="ada")
    second = make_fact(project, "Wants the invoices sent as a PDF by email.", user="ada")
    third = make_fact(project, "Prefers to receive invoices as a PDF by email.", user="ada")
    compare_facts()
    # The same words but for grammar need no vector.
    ((alike, members),) = groups(project)
    assert (alike >= 0.86, members) == (True, [first.id, second.id])
    embed_facts()
    assert waiting(project) == 5
    compare_facts()
    ((alike, members),) = groups(project)
    assert (0.86 <= alike < 1, members) == (True, [first.id, second.id, third.id])


def test_a_closed_fact_leaves_and_what_is_left_is_looked_at_anew(project: Project) -> None:
    facts = [make_fact(project, "Ships on Tuesdays", agent=make_agent(project, name)) for name in ("support", "orders")]
    whole = make_fact(project, "Ships on Tuesdays.")
    compare_facts()
    assert groups(project) == [(1.0, [facts[0].id, facts[1].id, whole.id])]
    with bind(project.id):
        Fact.objects.filter(id=whole.id).update(retired_at=now(), retired_reason="stale")
    assert (groups(project), waiting(project)) == ([], 2)
    compare_facts()
    # It was the one both agents were told.
    assert groups(project) == []


def test_groups_that_meet_become_one(project: Project) -> None:
    one = [make_fact(project, text, agent=make_agent(project, "support")) for text in ("Ships fast.", "Ships fast!")]
    two = [make_fact(project, text, agent=make_agent(project, "orders")) for text in ("Ships fast.", "Ships fast!")]
    compare_facts()
    assert groups(project) == [(1.0, [fact.id for fact in one]), (1.0, [fact.id for fact in two])]
    whole = make_fact(project, "Ships fast")
    compare_facts()
    assert groups(project) == [(1.0, [*(fact.id for fact in one + two), whole.id])]


def test_what_a_person_told_apart_stays_apart(project: Project) -> None:
    first, second = make_fact(project, "Ships fast."), make_fact(project, "Ships fast")
    with bind(project.id):
        NotDuplicates.objects.create(project_id=project.id, first=first, second=second, said_by="user:1")
    compare_facts()
    assert groups(project) == []


def test_only_its_own_project(project: Project) -> None:
    other = make_project("other")
    make_fact(project, "Ships fast.")
    make_fact(other, "Ships fast")
    assert compare_facts() == 2
    assert (groups(project), groups(other)) == ([], [])
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM curation_duplicatemember")
        assert cursor.fetchone() == (0,)
        assert DuplicateMember.objects.count() == 0
