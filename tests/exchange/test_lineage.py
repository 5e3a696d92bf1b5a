"""What facts were derived from leaves with them and comes back: the same pairs, in no circle, believed no more than their parents."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from apps.core.transactions import bind
from apps.curation.actions.merge_facts import merge_facts
from apps.curation.actions.undo_change import undo_change
from apps.exchange.export import as_lines, rows_of
from apps.facts.append import Origin
from apps.facts.models import Fact, FactDerivation
from apps.tenancy.models import Project
from tests.exchange.stage import as_file, brought_in, checked, counts, line, reasons
from tests.factories import make_fact, make_project, user_actor

pytestmark = pytest.mark.django_db
EVERYTHING = ("public", "internal", "personal", "special")


@pytest.fixture
def project() -> Project:
    return make_project("acme")


def whole(project: Project, sensitivities: tuple[str, ...] = EVERYTHING) -> bytes:
    """With closed versions, oldest first."""
    with bind(project.id):
        ids = list(Fact.objects.in_project(project.id).order_by("id").values_list("id", flat=True))
    return "".join(as_lines(rows_of(project.id, ids, sensitivities))).encode()


def pairs(project: Project, *, undone: bool = True) -> list[tuple[str, str]]:
    """What was made of what, by words, sorted."""
    with bind(project.id):
        rows = FactDerivation.objects.filter(project_id=project.id)
        if not undone:
            rows = rows.exclude(child__retired_reason="undone")
        return sorted(rows.values_list("child__content", "parent__content"))


def told(project: Project) -> set[tuple[str, str]]:
    with bind(project.id):
        rows = Fact.objects.in_project(project.id).active().values_list("scope", "content")
        return set(rows)


def derived(content: str, own: Any, of: Iterable[Any] = (), **more: Any) -> dict[str, Any]:
    return line(content, id=own, derived_from=list(of), format=2, **more)


@pytest.mark.parametrize("most", [1, 2, 500])
def test_a_round_trip_keeps_all_of_it(project: Project, most: int) -> None:
    who = {"actor": user_actor(project, "curator"), "project_id": project.id}
    one, two, three = (make_fact(project, f"Shelf {name} holds lamps.") for name in ("a", "b", "c"))
    first, _ = merge_facts(**who, fact_ids=[one.id, two.id], content="Shelf a holds lamps.")
    _, change = merge_facts(**who, fact_ids=[first.id, three.id], content="All shelves hold lamps.")
    undo_change(actor=who["actor"], change_id=change.id)
    make_fact(project, "Of nothing else.")
    there = make_project("there")
    upload = brought_in(there, whole(project), direct=True, most=most)
    assert upload.counts == upload.forecast
    assert told(there) == told(project)
    # What was taken back has no part in what is told, and is not brought in.
    assert pairs(there) == pairs(project, undone=False) and len(pairs(there)) == 6
    assert ("Shelf a holds lamps.", "Shelf b holds lamps.") in pairs(there)
    with bind(there.id):
        rows = FactDerivation.objects.filter(project_id=there.id).values_list("child_id", "parent_id")
        assert all(child > parent for child, parent in rows)
        assert not Fact.objects.filter(superseded_at=None, retired_at=None, content="Shelf b holds lamps.").exists()
    before = pairs(there)
    again = checked(there, whole(project), direct=True, most=most)
    assert again.forecast["new"] == 0 and pairs(there) == before
    assert checked(there, whole(there), direct=True, most=most).forecast["new"] == 0


def test_facts_that_are_both_told(project: Project) -> None:
    data = as_file(derived("One.", 7), derived("Two.", 9, [7]), derived("Three.", 12, [7, 9]))
    assert brought_in(project, data, direct=True).counts == counts(3)
    assert pairs(project) == [("Three.", "One."), ("Three.", "Two."), ("Two.", "One.")]
    there = make_project("there")
    assert brought_in(there, whole(project), direct=True, most=1).counts == counts(3)
    assert pairs(there) == pairs(project)


@pytest.mark.parametrize("most", [1, 500])
def test_a_derived_one_is_believed_no_more_than_what_it_was_made_of(project: Project, most: int) -> None:
    weak = make_fact(project, "Weak.", confidence=0.3, origin=Origin(trust=1))
    data = as_file(
        derived("Weak.", 3, confidence=0.9), derived("Strong.", 4, [3], confidence=0.8, trust=4),
        derived("Last.", 5, [4], confidence=1.0, trust=4),
    )  # fmt: skip
    assert brought_in(project, data, direct=True, most=most).counts == counts(2, known=1)
    assert pairs(project) == [("Last.", "Strong."), ("Strong.", "Weak.")]
    with bind(project.id):
        rows = Fact.objects.exclude(id=weak.id).values_list("confidence", "trust")
        assert list(rows) == [(0.3, 1), (0.3, 1)]


@pytest.mark.parametrize("most", [1, 500])
def test_what_stands_below_is_missing_or_makes_a_circle_is_left_out(project: Project, most: int) -> None:
    data = as_file(
        derived("Child.", 5, [6, 99]), derived("Parent.", 6), derived("Circle a.", 7, [8]), derived("Circle b.", 8, [7]),
        derived("Itself.", 9, [9]), derived("Twice.", 6, [5]),
    )  # fmt: skip
    assert brought_in(project, data, direct=True, most=most).counts == counts(6)
    assert pairs(project) == [("Circle b.", "Circle a."), ("Twice.", "Child.")]


def test_lines_that_are_wrong(project: Project) -> None:
    data = as_file(
        derived("A.", 1, ["7"]), line("B.", derived_from=5), derived("C.", 2, [True]), derived("D.", 3, range(1, 300)),
        derived("E.", 4, [2**63]), derived("F.", "x"), line("G.", format=3), line("H.", format="2"), derived("I.", 2**70),
        derived("J.", 5, superseded_at="2026-01-01T00:00:00Z"), line("K.", id=6, restricted_at="2026-01-01T00:00:00Z"),
        derived("L.", 8, [6]),
    )  # fmt: skip
    upload = brought_in(project, data, direct=True)
    assert reasons(upload) == [
        (1, "wrong_type"), (2, "wrong_type"), (3, "wrong_type"), (4, "too_many_parents"), (5, "wrong_type"),
        (7, "newer_format"), (8, "newer_format"), (10, "closed"), (11, "closed"),
    ]  # fmt: skip
    assert upload.counts == counts(3, refused=9) and pairs(project) == []


def test_closed_ones_come_in_for_their_children_alone_and_not_before_reviewers(project: Project) -> None:
    old = "2026-01-01T00:00:00Z"
    data = as_file(
        derived("Gave way.", 1, superseded_at=old, expires_at="2026-01-02T00:00:00Z"), derived("Was wrong.", 2, retired_at=old,
        retired_reason="wrong"), derived("Nobody's.", 3, retired_at=old, retired_reason="stale"), derived("New.", 4, [1, 2]),
    )  # fmt: skip
    assert checked(project, data).forecast == counts(1, refused=3)
    assert brought_in(project, data, direct=True).counts == counts(3, refused=1)
    with bind(project.id):
        rows = Fact.objects.order_by("id").values_list("content", "retired_reason")
        assert list(rows) == [("Gave way.", "merged"), ("Was wrong.", "wrong"), ("New.", "")]
    assert told(project) == {("project", "New.")}


def test_no_id_of_what_the_reader_may_not_see(project: Project) -> None:
    who = {"actor": user_actor(project, "curator"), "project_id": project.id}
    secret = make_fact(project, "Diabetes.", sensitivity="special")
    child = make_fact(project, "Eats at noon.")
    with bind(project.id):
        FactDerivation.objects.create(project_id=project.id, child_id=child.id, parent_id=secret.id)
    assert who and b"Diabetes" not in whole(project, ("public", "internal"))
    assert b'"derived_from": []' in whole(project, ("public", "internal"))
    assert f'"derived_from": [{secret.id}]'.encode() in whole(project)


def test_the_command_writes_the_oldest_first(project: Project, tmp_path: Path) -> None:
    facts = [make_fact(project, f"Shelf {number} holds lamps.") for number in range(3)]
    merge_facts(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        fact_ids=[facts[0].id, facts[1].id],
        content="Both.",
    )
    for options, many in (({}, 2), ({"history": True}, 4)):
        call_command("export", str(tmp_path / "all.jsonl"), project="acme", **options)
        there = make_project(f"there-{many}")
        data = (tmp_path / "all.jsonl").read_bytes()
        assert data.count(b"\n") == many
        assert brought_in(there, data, direct=True).counts == counts(many)
        assert pairs(there) == (pairs(project) if options else [])
