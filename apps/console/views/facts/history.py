"""What became of a fact: its versions with what changed, and the acts on them."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from apps.access.policies import allowed
from apps.audit.models import AuditEvent
from apps.audit.queries import history_of
from apps.console.hx import ConsoleRequest
from apps.console.views.facts.shape import RESTRICTIONS, status
from apps.facts.models import Fact

MOST = 30
"""Versions shown, the newest ones."""


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
    left_out: int


def acts_on(project_id: int, chain: list[Fact]) -> list[AuditEvent]:
    """What was done to the versions, as the audit has it."""
    return list(history_of(project_id, "fact", *[fact.id for fact in chain]).filter(result="done"))


def history(
    request: ConsoleRequest,
    shown: Fact,
    chain: list[Fact],
    acts: list[AuditEvent],
    names: dict[str, str],
    visible: tuple[str, ...],
) -> History:
    """The history of ``chain`` (oldest first), as the reader may see it."""
    by_fact: dict[int, dict[str, AuditEvent]] = {}
    for act in acts:
        by_fact.setdefault(int(act.object_id), {})[act.verb] = act

    events = []
    for fact in chain[-MOST:]:
        before = [old for old in chain if old.superseded_by_id == fact.id]
        mine = by_fact.get(fact.id, {})
        events.append(_written(request, fact, shown, before, "facts.revise" in mine, names, visible))
        events += _closed(fact, mine.get("facts.retire"), names)
    events.sort(key=lambda event: (event.at, event.order), reverse=True)
    return History(events, max(0, len(chain) - MOST))


def _written(
    request: ConsoleRequest,
    fact: Fact,
    shown: Fact,
    before: list[Fact],
    revised: bool,
    names: dict[str, str],
    visible: tuple[str, ...],
) -> Event:
    slug, may_see = request.project.slug, fact.sensitivity in visible
    who = names.get(fact.approved_by, "nobody")
    ref = ref_href = ""
    if revised:
        text = f"edited by {who}"
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
        old=before[0].content if compared else "",
        new=fact.content if compared else "",
        words=fact.content if may_see and not compared and fact.id != shown.id else "",
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
