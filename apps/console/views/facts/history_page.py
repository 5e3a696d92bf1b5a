"""The versions of a fact beside each other, and an older one said again."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, done, project_page, visible_sensitivities
from apps.console.views.facts.history import history
from apps.console.views.facts.shape import Tag, status
from apps.console.views.facts.shown import CHAIN, Shown, shown_fact
from apps.console.views.facts.state import ListState
from apps.core.errors import Conflict, Malformed, NotFound
from apps.curation.actions.restore_version import restore_version
from apps.facts.models import Fact

COMPARED = (
    ("scope", "Scope"), ("scope_id", "Id"), ("category", "Category"), ("memory_type", "Memory type"),
    ("attribute", "Attribute"), ("confidence", "Confidence"), ("importance", "Importance"),
    ("sensitivity", "Sensitivity"), ("expires_at", "Expires"), ("valid_from", "Valid from"), ("valid_to", "Valid to"),
    ("purposes", "Purposes"), ("task_types", "Task types"),
)  # fmt: skip


@dataclass(frozen=True)
class Version:
    """A line of the choice: ``may_see`` is false for words above the reader's rights."""

    fact: Fact
    status: Tag
    by: str
    may_see: bool
    older: bool
    newer: bool


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("facts.read")
def versions(request: ConsoleRequest, fact_id: int) -> HttpResponse:
    """`/p/<slug>/facts/<id>/history?from=&to=`: any two versions compared, without a choice the newest with the one before.
    A POST of ``restore`` (a version) and ``current`` (the one in force as shown) says the version again."""
    shown = shown_fact(request, fact_id)
    if shown is None:
        raise NotFound("not_found", f"There is no fact #{fact_id} here, or none that your role may see.")
    if request.method == "POST":
        return _restore(request, shown)
    visible = visible_sensitivities(request.actor)
    seen = [version for version in shown.versions if version.sensitivity in visible]
    newer = _chosen(request, "to", seen) or seen[-1]
    before = [version for version in seen if version.superseded_by_id == newer.id] or [
        version for version in seen if version.id < newer.id
    ]
    older = _chosen(request, "from", seen) or (before[-1] if before else newer)
    current = next((version for version in seen if version.is_current), None)
    context: dict[str, Any] = {
        "fact": shown.fact,
        "lines": [
            Version(
                fact=version,
                status=status(version),
                by=shown.names.get(version.approved_by, "nobody"),
                may_see=version.sensitivity in visible,
                older=version.id == older.id,
                newer=version.id == newer.id,
            )
            for version in reversed(shown.versions)
        ],
        "left_out": shown.left_out(len(shown.versions)),
        "count": f"{shown.version_count}{'+' * (shown.version_count == CHAIN)}",
        "older": older,
        "newer": newer,
        "differences": _differences(older, newer),
        "history": history(request, shown),
        "current": current,
        "may_restore": current is not None and allowed(request.actor, "facts.revise"),
        "back": reverse("fact", args=[request.project.slug, shown.fact.id]),
    }
    return render(request, "console/facts/history.html", context)


def _restore(request: ConsoleRequest, shown: Shown) -> HttpResponse:
    asked = [request.POST.get(name, "") for name in ("restore", "current")]
    if not all(number.isascii() and number.isdecimal() and len(number) <= 18 for number in asked):
        raise Malformed("invalid_number", "A version is named by its number.", parameter="restore")
    version_id, current_id = map(int, asked)
    if version_id not in {version.id for version in shown.versions}:
        raise Conflict("fact_moved", f"#{version_id} is no version of #{shown.fact.id}.")
    saved, change = restore_version(
        actor=request.actor, project_id=request.project.id, version_id=version_id, current_id=current_id
    )
    where = ListState(open=str(saved.id)).url(request.project.slug)
    return done(request, where, f"#{saved.id} says again what #{version_id} said.", undo=change)


def _chosen(request: ConsoleRequest, name: str, seen: list[Fact]) -> Fact | None:
    number = request.GET.get(name, "")
    return next((version for version in seen if str(version.id) == number), None)


def _differences(older: Fact, newer: Fact) -> list[dict[str, Any]]:
    pairs = [(label, getattr(older, name), getattr(newer, name)) for name, label in COMPARED]
    return [{"label": label, "old": _plain(old), "new": _plain(new)} for label, old, new in pairs if old != new]


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    if hasattr(value, "strftime"):
        return f"{value:%-d %b %Y %H:%M}"
    return "–" if value is None else str(value)
