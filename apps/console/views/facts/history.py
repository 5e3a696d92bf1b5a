"""What became of a fact: its versions with what changed, and the acts on them."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from apps.access.policies import allowed
from apps.audit.models import AuditEvent
from apps.console.hx import ConsoleRequest, visible_sensitivities
from apps.console.masking import said
from apps.console.views.facts.shape import RESTRICTIONS, status
from apps.console.views.facts.shown import Shown
from apps.facts.models import Fact

MOST = 30
"""Versions shown, the newest ones."""
HANDLED = {
    "facts.set_sensitivity": "sensitivity",
    "facts.set_expiry": "expiry",
    "facts.pin": "pinned",
    "facts.unpin": "no longer pinned",
    "facts.disable": "switched off",
    "facts.enable": "switched on",
}
"""What the marks that people set are called."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """A line of the history. ``link`` leads it; ``old`` and ``new`` are compared word by word, ``words`` quoted;
    ``ref`` is what it came from."""

    at: datetime
    order: int
    text: str
    link: str = ""
    href: str = ""
    now: bool = False
    old: str = ""
    new: str = ""
    words: str = ""
    ref: str = ""
    ref_href: str = ""


@dataclass(frozen=True)
class History:
    """``events`` newest first, and how many older versions are not among them."""

    events: list[Event]
    left_out: str


def history(request: ConsoleRequest, shown: Shown) -> History:
    """The history of the fact, as the reader may see it."""
    by_fact: dict[int, dict[str, AuditEvent]] = {}
    for act in shown.acts:
        by_fact.setdefault(int(act.object_id), {})[act.verb] = act
    visible = visible_sensitivities(request.actor)
    events = []
    for fact in shown.versions[-MOST:]:
        before = [old for old in shown.versions if old.superseded_by_id == fact.id]
        mine = by_fact.get(fact.id, {})
        events.append(_written(request, fact, shown.fact, before, mine, shown.names, visible))
        events += _closed(fact, mine.get("facts.retire"), shown.names)
    events += [_handled(act, shown.names) for act in shown.acts if act.verb in HANDLED]
    events.sort(key=lambda event: (event.at, event.order), reverse=True)
    return History(events, shown.left_out(MOST))


def _handled(act: AuditEvent, names: dict[str, str]) -> Event:
    """A mark that was set, in words: ``sensitivity internal → personal by you``."""
    text = HANDLED[act.verb]
    for name in ("sensitivity", "expires_at"):
        if name in act.data:
            text += " " + " → ".join(_mark(value) for value in act.data[name])
    who = names.get(f"{act.actor_kind}:{act.actor_id}", "nobody")
    return Event(at=act.at, order=int(act.object_id), link=f"#{act.object_id}", text=f"{text} by {who}")


def _mark(value: str | None) -> str:
    return "never" if value is None else value.partition("T")[0]


def _written(
    request: ConsoleRequest,
    fact: Fact,
    shown: Fact,
    before: list[Fact],
    acts: dict[str, AuditEvent],
    names: dict[str, str],
    visible: tuple[str, ...],
) -> Event:
    slug, may_see = request.project.slug, fact.sensitivity in visible
    who = names.get(fact.approved_by, "nobody")
    ref = ref_href = ""
    if "facts.undo" in acts and "copies" in acts["facts.undo"].data:
        text = f"#{acts['facts.undo'].data['copies']} brought back by {who}"
    elif "facts.revise" in acts:
        text = f"edited by {who}"
    elif "facts.merge" in acts:
        text = f"written by {who}"
    elif fact.proposal_id:
        text, ref = f"approved by {who}, from", f"P-{fact.proposal_id.hex[-6:]}"
        if allowed(request.actor, "proposals.read"):
            ref_href = reverse("proposal", args=[slug, fact.proposal_id])
    else:
        text = f"added by {who}"
    if len(before) > 1:
        text = f"merges {' and '.join(f'#{old.id}' for old in before)}, {text}"
    compared = may_see and len(before) == 1 and before[0].sensitivity in visible
    return Event(
        at=fact.created_at,
        order=fact.id,
        link=f"#{fact.id}",
        href=reverse("fact", args=[slug, fact.id]) if may_see and fact.id != shown.id else "",
        text=text,
        ref=ref,
        ref_href=ref_href,
        now=status(fact).text == "Active",
        old=said(before[0]) if compared else "",
        new=said(fact) if compared else "",
        words=said(fact) if may_see and not compared and fact.id != shown.id else "",
    )


def _closed(fact: Fact, act: AuditEvent | None, names: dict[str, str]) -> list[Event]:
    events = []
    if fact.retired_at:
        who = f" by {names.get(f'{act.actor_kind}:{act.actor_id}', 'nobody')}" if act else ""
        text = f"retired{who}: {fact.retired_reason}"
        events.append(Event(at=fact.retired_at, order=fact.id, link=f"#{fact.id}", text=text))
    if fact.restricted_at:
        text = f"restricted, {RESTRICTIONS.get(fact.restricted_reason, 'not told')}"
        events.append(Event(at=fact.restricted_at, order=fact.id, link=f"#{fact.id}", text=text))
    if fact.superseded_at and fact.superseded_by_id is None:
        text = "replaced by a version that was erased"
        events.append(Event(at=fact.superseded_at, order=fact.id, link=f"#{fact.id}", text=text))
    return events
