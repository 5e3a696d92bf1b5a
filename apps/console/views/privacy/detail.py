"""One privacy request, from its first day to its end."""

from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef
from django.db.models.functions import JSONObject
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.access.policies import allowed
from apps.audit.queries import history_of
from apps.console.forms.privacy import METHODS, REASONS
from apps.console.hx import ConsoleRequest, project_page, visible_sensitivities, wants_fragment
from apps.console.shaping.audit import line_of, names_of, who
from apps.console.shaping.privacy import (
    ARTICLES,
    FAULTS,
    HAPPENED,
    LABELS,
    STATE_WORDS,
    backup_rows,
    badge,
    checks_of,
    decisions_of,
    is_at_work,
    may,
    named_recipients,
    progress_of,
    steps_of,
    store_rows,
)
from apps.core.errors import NotFound
from apps.facts.models import Fact
from apps.privacy.actions.keep_account import WHEN
from apps.privacy.held_names import HeldName, names_held
from apps.privacy.models import AccessPackage, PrivacyRequest, RequestIdentity
from apps.privacy.states import DESTROYS, WIPE


@require_safe
@project_page("privacy.read")
def detail(request: ConsoleRequest, request_id: UUID) -> HttpResponse:
    """The request; while it is carried out htmx asks for its ``progress`` alone. A wipe has a page of its own."""
    found = request_or_404(request, request_id)
    if found.kind == WIPE:
        return redirect("settings-wipe", slug=request.project.slug)
    if wants_fragment(request, "progress"):
        return render(request, "console/privacy/_progress.html", _progress(request, found))
    return render(request, "console/privacy/detail.html", page_of(request, found))


def request_or_404(request: ConsoleRequest, request_id: UUID) -> PrivacyRequest:
    """The request with ``named``, its identities as {kind, value}."""
    named = RequestIdentity.objects.filter(project_id=request.project.id, request_id=OuterRef("id")).order_by("id")
    found = (
        PrivacyRequest.objects.filter(project_id=request.project.id, id=request_id)
        .annotate(named=ArraySubquery(named.values(pair=JSONObject(kind="kind", value="value"))))
        .first()
    )
    if found is None:
        raise NotFound("not_found", "There is no such request in this project.")
    return found


def page_of(request: ConsoleRequest, found: PrivacyRequest, problem: str = "") -> dict[str, Any]:
    """What the page shows; ``problem`` is why the last answer was refused."""
    project, slug = request.project, request.project.slug
    identities = [(named["kind"], named["value"]) for named in found.named]  # type: ignore[attr-defined]
    person = next((value for kind, value in reversed(identities) if kind == "user_id"), "")
    fault = found.error_code
    if fault == "residue" and all(hit["check"].startswith("text:access_") for hit in checks_of(found) if hit["hits"]):
        fault = "staff" if found.preview.get("staff") else fault
    facts, stores = _facts(request, found), store_rows(found)
    events = list(history_of(project.id, "privacy_request", found.id).order_by("-seq")[:30])
    staff = sorted({*found.preview.get("staff", []), *map(int, found.accounts)})
    refs = {f"user:{number}" for number in staff}
    refs |= {f"{event.actor_kind}:{event.actor_id}" for event in events} | {found.opened_by, found.approved_by}
    names = names_of(project.id, refs - {""})
    lines = [line_of(event, slug, names, request.actor) for event in events]
    return _progress(request, found) | {
        "found": found,
        "label": LABELS[found.kind],
        "state": STATE_WORDS[found.state],
        "badge": badge(found),
        "destroys": found.kind in DESTROYS,
        "person": person,
        "others": [value for kind, value in identities if value != person],
        "article": ARTICLES[found.kind],
        "proven": found.state.startswith("completed"),
        "stores": stores,
        "matched": {name: sum(row[name] for row in stores) for name in ("found", "erased")},
        "decisions": decisions_of(found, facts, slug),
        "called": [facts[number] for number in found.preview.get("called", []) if number in facts],
        "held": [facts[number] for number in found.preview.get("held", []) if number in facts],
        "excepted": [
            (facts[int(number)], ground) for number, ground in found.exceptions.items() if int(number) in facts
        ],
        "staff": [
            {"id": number, "name": names.get(f"user:{number}", ""), "ground": found.accounts.get(str(number), "")}
            for number in staff
            if f"user:{number}" in names
        ],
        "may_account": allowed(request.actor, "privacy.handle") and found.state in WHEN,
        "may_close": bool(found.approved_by),
        "backups": backup_rows(found.preview.get("backups", [])),
        "survivors": len(found.preview.get("survivors", [])),
        "digest": bytes(found.preview_digest).hex() if found.preview_digest else "",
        "may": may(found, request.actor),
        "own": found.opened_by == request.actor.name,
        "opened_by": who(found.opened_by, names, request.actor),
        "fault": FAULTS.get(fault, fault),
        "hits": [check for check in checks_of(found) if check["hits"]],
        "methods": list(METHODS.items()),
        "refusals": list(REASONS.items()),
        "events": [
            {
                "text": f"{line.who} {line.said if line.denied else HAPPENED.get(line.event.verb, line.said)}",
                "at": line.event.at,
                "now": number == 0,
            }
            for number, line in enumerate(lines)
        ],
        "first": found.duplicate_of_id and reverse("privacy-request", args=[slug, found.duplicate_of_id]),
        "problem": problem,
        "held_names": _held_names(found) if may(found, request.actor)["link"] else [],
        "recipients": named_recipients(request.project.id, found.progress.get("recipients", [])),
    }


def _held_names(found: PrivacyRequest) -> list[HeldName]:
    """What the newest package holds back, while it is there."""
    if not found.progress.get("packed", {}).get("held_back"):
        return []
    packages = AccessPackage.objects.filter(project_id=found.project_id, request_id=found.id, removed_at=None)
    package = packages.order_by("-id").only("held").first()
    return names_held(package) if package else []


def _progress(request: ConsoleRequest, found: PrivacyRequest) -> dict[str, Any]:
    return {
        "slug": request.project.slug,
        "found": found,
        "steps": steps_of(found),
        "at_work": is_at_work(found),
        "progress": progress_of(found),
        "state": STATE_WORDS[found.state],
        "progress_url": reverse("privacy-request", args=[request.project.slug, found.id]),
    }


def _facts(request: ConsoleRequest, found: PrivacyRequest) -> dict[int, Fact]:
    """Those that somebody may have to decide on."""
    preview = found.preview
    numbers = {item["fact"] for name in ("shared", "near", "named") for item in preview.get(name, [])} | set(
        preview.get("also", [])
    )
    numbers |= set(preview.get("called", []))
    numbers |= set(preview.get("held", [])) | {int(number) for number in found.exceptions}
    if not numbers:
        return {}
    seen = Fact.objects.in_project(request.project.id).filter(sensitivity__in=visible_sensitivities(request.actor))
    return {fact.id: fact for fact in seen.filter(id__in=sorted(numbers)[:200])}
