"""The list of categories: what is offered, renamed and retired, and that no fact is touched by it."""

import pytest

from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.errors import Conflict, DomainError, Invalid, NotFound
from apps.core.transactions import bind
from apps.facts.actions.add_category import add_category
from apps.facts.actions.enable_category import enable_category
from apps.facts.actions.rename_category import rename_category
from apps.facts.actions.retire_category import retire_category
from apps.facts.categories import LOOKED, MOST_OFFERED, USUAL, Filing, Use, categories_of, uses
from apps.facts.models import Category
from apps.tenancy.models import Project
from tests.console.stage import moved, state
from tests.factories import make_fact, make_project, user_actor

pytestmark = pytest.mark.django_db
OPEN = ("public", "internal")
ALL = (*OPEN, "personal", "special")


@pytest.fixture
def project() -> Project:
    return make_project("acme")


def shown(project: Project, sensitivities: tuple[str, ...] = ALL) -> dict[str, Use]:
    with bind(project.id):
        return {use.name: use for use in uses(project.id, sensitivities)}


def offered(project: Project) -> list[str]:
    with bind(project.id):
        return categories_of(project.id)


def test_the_usual_ones_hold_until_somebody_adds_one(project: Project) -> None:
    other = make_project("other")
    assert offered(project) == list(USUAL) and [use.id for use in shown(project).values()] == [None] * len(USUAL)
    added = add_category(actor=user_actor(project, "curator"), project_id=project.id, name="  運賃 & fares ")
    assert offered(project) == [*USUAL, "運賃 & fares"] and added.name == "運賃 & fares"
    assert offered(other) == list(USUAL)
    with bind(other.id):
        assert not Category.objects.exists()
    with bind(project.id):
        event = AuditEvent.objects.get(verb="categories.add")
    assert (event.object_type, event.object_id, event.data) == ("category", str(added.pk), {})


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (" ", "invalid_category"),
        ("x" * 61, "invalid_category"),
        ("x` evil", "invalid_category"),
        ("AKIAIOSFODNN7EXAMPLE", "invalid_category"),
        ("Policy", "category_exists"),
    ],
)
def test_a_name_that_can_not_be_changes_nothing(project: Project, name: str, code: str) -> None:
    admin, viewer = user_actor(project, "admin"), user_actor(project, "viewer")
    before = state(project)
    with pytest.raises(Invalid) as refused:
        add_category(actor=admin, project_id=project.id, name=name)
    assert refused.value.code == code
    with pytest.raises(Refused):
        add_category(actor=viewer, project_id=project.id, name="freight")
    assert moved(before, state(project)) == set()


def test_a_list_has_an_end(project: Project) -> None:
    admin = user_actor(project, "admin")
    for number in range(MOST_OFFERED - len(USUAL)):
        add_category(actor=admin, project_id=project.id, name=f"more {number}")
    retire_category(actor=admin, project_id=project.id, name="more 0")
    add_category(actor=admin, project_id=project.id, name="the last")
    for wish in (
        lambda: add_category(actor=admin, project_id=project.id, name="one too many"),
        lambda: enable_category(actor=admin, project_id=project.id, name="more 0"),
    ):
        with pytest.raises(Invalid) as refused:
            wish()
        assert refused.value.code == "too_many_categories"
    # Another name for one of them is no further one.
    rename_category(actor=admin, project_id=project.id, name="the last", to="the very last")
    assert len(offered(project)) == MOST_OFFERED


def test_a_new_name_leaves_facts_as_they_are_and_says_where_new_ones_go(project: Project) -> None:
    admin = user_actor(project, "admin")
    fact = make_fact(project, "Returns take 30 days.", category="policy")
    to = rename_category(actor=admin, project_id=project.id, name="policy", to="house rules")
    with bind(project.id):
        fact.refresh_from_db()
    assert fact.category == "policy" and to.name == "house rules"
    assert offered(project) == [*(name for name in USUAL if name != "policy"), "house rules"]
    found = shown(project)
    assert (found["policy"].retired, found["policy"].now_called, found["policy"].facts) == (True, "house rules", 1)
    # What was renamed before follows.
    rename_category(actor=admin, project_id=project.id, name="house rules", to="Rules")
    assert shown(project)["policy"].now_called == "Rules"
    # Into one that is there already, and by another spelling of itself.
    rename_category(actor=admin, project_id=project.id, name="Rules", to="procedure")
    rename_category(actor=admin, project_id=project.id, name="procedure", to="Procedure")
    found = shown(project)
    assert {use.now_called for use in found.values() if use.retired} == {"Procedure"}
    enable_category(actor=admin, project_id=project.id, name="policy")
    assert (shown(project)["policy"].retired, shown(project)["policy"].now_called) == (False, "")
    with bind(project.id):
        verbs = list(AuditEvent.objects.order_by("seq").values_list("verb", flat=True))
    assert verbs.count("categories.rename") == 4 and verbs.count("categories.enable") == 1


def test_what_is_refused_changes_nothing(project: Project) -> None:
    admin = user_actor(project, "admin")
    retire_category(actor=admin, project_id=project.id, name="policy")
    before = state(project)
    refusals: list[tuple[str, type[DomainError]]] = []
    for wish in (
        lambda: retire_category(actor=admin, project_id=project.id, name="general"),
        lambda: rename_category(actor=admin, project_id=project.id, name="general", to="rest"),
        lambda: retire_category(actor=admin, project_id=project.id, name="policy"),
        lambda: retire_category(actor=admin, project_id=project.id, name="no such"),
        lambda: enable_category(actor=admin, project_id=project.id, name="event"),
        lambda: enable_category(actor=admin, project_id=project.id, name="no such"),
        lambda: rename_category(actor=admin, project_id=project.id, name="event", to="event"),
        lambda: rename_category(actor=admin, project_id=project.id, name="event", to="policy"),
    ):
        with pytest.raises(DomainError) as refused:
            wish()
        refusals.append((refused.value.code, type(refused.value)))
    assert refusals == [
        ("category_needed", Invalid),
        ("category_needed", Invalid),
        ("category_retired", Conflict),
        ("not_found", NotFound),
        ("category_offered", Conflict),
        ("not_found", NotFound),
        ("unchanged", Invalid),
        ("category_exists", Invalid),
    ]
    assert moved(before, state(project)) == set()


def test_counts_are_of_what_the_reader_may_see_and_stop(project: Project) -> None:
    for number in range(3):
        make_fact(project, f"Fact {number}.", category="policy")
    make_fact(project, "Has a nut allergy.", user="ada", category="policy", sensitivity="special")
    make_fact(project, "Was so.", category="policy", retired="stale")
    make_fact(project, "Ships on Mondays.", category="Freight")
    make_fact(project, "Lives in Porto.", user="ada", category="homes", sensitivity="personal")
    make_fact(make_project("other"), "Elsewhere.", category="theirs")
    found = shown(project)
    assert (found["policy"].facts, found["policy"].more, found["event"].facts) == (4, False, 0)
    assert [(use.name, use.listed) for use in found.values()][len(USUAL) :] == [("Freight", False), ("homes", False)]
    found = shown(project, OPEN)
    assert found["policy"].facts == 3 and "homes" not in found and "theirs" not in found
    for number in range(LOOKED):
        make_fact(project, f"Many {number}.", category="event")
    assert (shown(project)["event"].facts, shown(project)["event"].more) == (LOOKED, True)


def test_where_a_statement_goes() -> None:
    filing = Filing(("general", "rules"), (("policy", "rules"), ("event", ""), ("old", "gone"), ("gone", "")))
    assert [filing.place(name) for name in ("rules", "policy", "event", "old", "anything")] == [
        "rules", "rules", "general", "general", "anything",
    ]  # fmt: skip
