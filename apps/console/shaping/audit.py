"""Audit events as sentences, with links to what they speak of."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet, TextField, Value
from django.db.models.functions import Cast, Coalesce, Concat, NullIf
from django.urls import reverse

from apps.access.actor import Actor
from apps.access.models import ApiKey, Membership, User
from apps.audit.models import AuditEvent, ChainCheck
from apps.console.shaping.audit_words import LABELS, PARTS, done, label, thing, tried

KINDS = {"user": "People", "key": "Keys", "system": "The product", "anonymous": "Nobody signed in"}
MOST_NAMES = 300
PERSON = Coalesce(NullIf("name", Value("")), F("email"), output_field=TextField())
HEX_ID = re.compile(r"[0-9a-f]{32}")
UUID_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

# Kind of an object → the page it has. Of keys and members there is a list alone, in which each row has its place.
PAGES = {
    "fact": "fact",
    "proposal": "proposal",
    "trace": "trace",
    "agent": "agent",
    "subject": "subject",
    "dream_run": "dream",
    "session": "session",
    "privacy_request": "privacy-request",
    "import": "import",
    "webhook": "webhook",
}
LISTS = {"key": ("settings-keys", "#key-"), "user": ("settings-members", "#user-")}
SINGLE = {
    "dream_gate": "health",
    "dream_settings": "settings-dreaming",
    "extraction_settings": "settings-extraction",
    "recall_settings": "settings-recall",
    "retention_settings": "settings-retention",
    "invitation": "settings-members",
}


@dataclass(frozen=True)
class Line:
    """One event as it is read: "Ada approved proposal P-4e2a91"."""

    event: AuditEvent
    who: str
    actor: str
    said: str
    kind: str
    name: str
    href: str
    why: str
    denied: bool


def names_of(project_id: int, refs: Iterable[str]) -> dict[str, str]:
    """Everybody who may be chosen in the filter, and everybody of ``refs``, by how the audit names them: members and keys
    of the project, in one statement."""
    users, keys = [0], [0]
    for ref in refs:
        kind, _, number = ref.partition(":")
        if number.isdecimal():
            (users if kind == "user" else keys if kind == "key" else []).append(int(number))
    members = Membership.objects.filter(project_id=project_id).values("user_id")[:MOST_NAMES]
    people = _named(User.objects.filter(id__in=members), "user:", PERSON)
    known = _named(User.objects.filter(id__in=users), "user:", PERSON)
    newest = ApiKey.objects.filter(project_id=project_id).order_by("-id").values("id")[:MOST_NAMES]
    ours = ApiKey.objects.filter(project_id=project_id)
    made = _named(ours.filter(id__in=newest), "key:", Cast("name", TextField()))
    used = _named(ours.filter(id__in=keys), "key:", Cast("name", TextField()))
    return dict(people.union(known, made, used))


def _named(rows: "QuerySet[Any]", prefix: str, name: Any) -> "QuerySet[Any, tuple[str, str]]":
    ref = Concat(Value(prefix), Cast("id", TextField()), output_field=TextField())
    return rows.order_by().annotate(ref=ref, called=name).values_list("ref", "called")


def line_of(event: AuditEvent, slug: str, names: dict[str, str], reader: Actor) -> Line:
    ref = f"{event.actor_kind}:{event.actor_id}"
    kind, name, href = _object(event, slug, names)
    denied = event.result == "denied"
    return Line(
        event=event,
        who=(by := who(ref, names, reader)),
        actor=ref,
        said=f"{'were' if by == 'You' else 'was'} not allowed to {tried(event.verb)}" if denied else done(event.verb),
        kind=kind,
        name=name,
        href=href,
        why=_words(event.reason),
        denied=denied,
    )


def who(ref: str, names: dict[str, str], reader: Actor) -> str:
    """How a sentence begins."""
    if ref == reader.name:
        return "You"
    kind, _, part = ref.partition(":")
    if kind == "key":
        return f"Key “{names[ref]}”" if ref in names else "A deleted key"
    if kind == "user":
        return names.get(ref, "Somebody who left")
    if kind == "system":
        return PARTS.get(part, f"The product ({part})")
    return "Somebody not signed in"


def _object(event: AuditEvent, slug: str, names: dict[str, str]) -> tuple[str, str, str]:
    kind, number = event.object_type, event.object_id
    called = thing(kind)
    if kind in PAGES:
        shown = {"fact": f"#{number}", "proposal": f"P-{_short(number)[-6:]}"}.get(kind, _short(number))
        return called, shown, _page(PAGES[kind], slug, number)
    if kind in LISTS:
        name, mark = LISTS[kind]
        href = reverse(name, args=[slug]) + mark + number if number.isdecimal() else ""
        return called, names.get(f"{kind}:{number}", ""), href
    if kind in SINGLE:
        return called, "", reverse(SINGLE[kind], args=[slug])
    if kind == "batch":
        return "", number, ""
    if kind == "project":
        return f"this {called}", "", ""
    return called, _short(number) if called else "", ""


def _short(number: str) -> str:
    """Eight characters that tell an id from others: UUIDs of one minute begin alike, so these show their end."""
    return number[-8:] if UUID_ID.fullmatch(number) else number[:8] if HEX_ID.fullmatch(number) else number


def _page(name: str, slug: str, number: str) -> str:
    right = {
        "fact": number.isdecimal(),
        "subject": number.isdecimal(),
        "dream": number.isdecimal(),
        "session": number.isdecimal(),
        "import": number.isdecimal(),
        "webhook": number.isdecimal(),
        "trace": HEX_ID.fullmatch(number),
    }.get(name, UUID_ID.fullmatch(number))
    return reverse(name, args=[slug, number]) if right else ""


def details_of(line: Line) -> list[tuple[str, str]]:
    """What the event holds beside who and what: ids, codes, counts and digests, named in words."""
    return [(_words(name).capitalize(), _value(value)) for name, value in line.event.data.items()]


def _words(code: str) -> str:
    return code.replace("_", " ").replace("-", " ")


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{_words(name)} {_value(one)}" for name, one in value.items()) or "nothing"
    if isinstance(value, list):
        return ", ".join(_value(one) for one in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "nothing"
    return f"{value:,}" if isinstance(value, int) else str(value)


@dataclass(frozen=True)
class Chain:
    """How the newest walk over the chain went, for the line above the list."""

    level: str
    text: str
    running: bool
    done: int
    total: int
    at: datetime


def chain_of(check: ChainCheck | None, names: dict[str, str], reader: Actor) -> Chain | None:
    if check is None:
        return None
    by = who(check.asked_by, names, reader)
    by = "you" if by == "You" else by
    if check.finished_at is None:
        text = f"{check.seq:,} of {check.total:,} events fit so far"
        return Chain("", text, True, check.seq, check.total, check.moved_at)
    if check.broken_at is not None:
        text = f"Broken at event {check.broken_at:,}: changed, or its neighbours are missing"
        return Chain("bad", text, False, check.seq, check.total, check.finished_at)
    events = "one event" if check.seq == 1 else f"all {check.seq:,} events"
    return Chain("ok", f"Intact: {events}, checked by {by}", False, check.seq, check.total, check.finished_at)


def verb_choices() -> list[tuple[str, str]]:
    """For the filter, by what they are called."""
    return sorted(((verb, label(verb)) for verb in LABELS), key=lambda pair: pair[1])
