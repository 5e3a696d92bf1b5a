"""Privacy requests in words: what was asked, how long there is, which step comes next."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.dateparse import parse_datetime

from apps.access.actor import Actor
from apps.access.models import ApiKey
from apps.access.policies import allowed
from apps.core.clock import now
from apps.facts.models import Fact
from apps.privacy.models import PrivacyRequest
from apps.privacy.states import AT_WORK, DESTROYS, FINISHED, WIPE
from apps.privacy.stores import BY_NAME, STORES
from apps.privacy.wiping import WIPED_BY_NAME
from apps.tenancy.models import Agent

LABELS = {
    "erasure": "Erasure",
    "access": "Access",
    "correction": "Correction",
    "restriction": "Restriction",
    "portability": "Portability",
    "objection": "Objection",
    WIPE: "Wipe",
}
ARTICLES = {
    "erasure": "Art. 17 GDPR",
    "access": "Art. 15 GDPR",
    "correction": "Art. 16 GDPR",
    "restriction": "Art. 18 GDPR",
    "portability": "Art. 20 GDPR",
    "objection": "Art. 21 GDPR",
    WIPE: "The operator's own decision",
}
STATE_WORDS = {
    "received": "new",
    "identity_check": "waits for proof of identity",
    "triage": "identity checked",
    "previewed": "previewed",
    "awaiting_approval": "waits for approval",
    "suppressing": "being hidden",
    "erasing": "being erased",
    "purging": "being written over",
    "verifying": "being verified",
    "fulfilling": "being carried out",
    "needs_attention": "needs attention",
    "completed": "completed",
    "completed_with_exceptions": "completed, with exceptions",
    "duplicate": "duplicate",
    "rejected": "refused",
    "cancelled": "taken back",
}
STEPS = {
    WIPE: [
        ("Asked for", set[str]()),
        ("Approval", {"awaiting_approval"}),
        ("Closed", {"suppressing"}),
        ("Emptied", {"erasing", "purging"}),
        ("Verified", {"verifying"}),
    ],
    "erasure": [
        ("Received", {"received", "identity_check"}),
        ("Identity", {"triage"}),
        ("Preview", {"previewed"}),
        ("Approval", {"awaiting_approval"}),
        ("Hidden", {"suppressing"}),
        ("Erased", {"erasing", "purging"}),
        ("Verified", {"verifying"}),
    ],
    "other": [
        ("Received", {"received", "identity_check"}),
        ("Identity", {"triage"}),
        ("Carried out", {"fulfilling"}),
    ],
}
HAPPENED = {
    "privacy.open": "opened it",
    "privacy.identity_check": "asked for a proof of identity",
    "privacy.triage": "checked the identity",
    "privacy.previewed": "previewed it",
    "privacy.awaiting_approval": "submitted it for approval",
    "privacy.suppressing": "approved it",
    "privacy.erasing": "hid everything and began to erase",
    "privacy.purging": "erased the rows",
    "privacy.verifying": "wrote over what was left of their bytes",
    "privacy.fulfilling": "let it be carried out",
    "privacy.completed": "completed it",
    "privacy.completed_with_exceptions": "completed it, with exceptions",
    "privacy.needs_attention": "stopped: somebody has to look",
    "privacy.put_off": "put it off after a fault",
    "privacy.extend": "extended the time",
    "privacy.rejected": "refused it",
    "privacy.cancelled": "noted that the person took it back",
    "privacy.duplicate": "marked it as a duplicate",
    "privacy.tell_names": "let names that were held back be told",
    "privacy.link": "made a link to the package",
    "privacy.fetched": "fetched the package",
    "privacy.check": "looked for the person again",
}
"""What was done with a request, on its own page."""
FAULTS = {
    "residue": "Something of the person is left. It is listed below.",
    "staff": "A staff account bears this person's name. Decide on it below, then try again.",
    "purge_failed": "The tables could not be written over; the log says why.",
    "fact_moved": "The fact was changed meanwhile. Open a correction of the version that is told now.",
    "fact_exists": "Another fact says this already.",
    "held": "Something is held in this project: release the holds, then try again.",
    "requests_open": "Somebody asked for something meanwhile: end the open requests, then try again.",
    "set_changed": "What would be erased changed after the approval. Check the new preview.",
}


@dataclass(frozen=True)
class Badge:
    """Days that are left, or that it is late by; ``level`` is empty, warn or bad. None once a request has ended."""

    text: str
    level: str
    due: datetime


def badge(request: PrivacyRequest) -> Badge | None:
    """By the share of the legal time that is gone: amber in the last quarter, red when it is over."""
    if request.state in FINISHED or request.kind == WIPE:
        return None
    due = request.extended_until or request.due_at
    if request.paused_at:
        return Badge("clock stands", "", due)
    left = due - now()
    days = left.days
    if days < 0:
        return Badge(f"{-days} {'day' if days == -1 else 'days'} late", "bad", due)
    whole = max((due - request.received_at).total_seconds(), 1)
    level = "warn" if left.total_seconds() / whole < 0.25 else ""
    return Badge(f"{days} {'day' if days == 1 else 'days'} left" if days else "due today", level, due)


def steps_of(request: PrivacyRequest) -> list[dict[str, Any]]:
    """For the line of steps: those that are behind, and the one that is now."""
    steps = STEPS[WIPE if request.kind == WIPE else "erasure" if request.kind in DESTROYS else "other"]
    state = request.stopped_in or request.state
    if request.state.startswith("completed"):
        return [{"label": label, "done": True, "now": False} for label, _ in steps]
    here = next((n for n, (_, states) in enumerate(steps) if state in states), None)
    if here is None:
        return []
    return [{"label": label, "done": n < here, "now": n == here} for n, (label, _) in enumerate(steps)]


def store_rows(request: PrivacyRequest) -> list[dict[str, Any]]:
    """What was found and what went, store by store; nothing of stores where there was nothing."""
    found = request.progress.get("before") or request.preview.get("stores", {})
    erased = request.progress.get("erased", {})
    return [
        {
            "label": store.label,
            "how": reasons_of(request) if store.name == "facts" else [],
            "found": found[store.name],
            "erased": erased.get(store.name, 0),
        }
        for store in STORES
        if found.get(store.name)
    ]


REASON_WORDS = {
    "direct": "about the person",
    "history": "earlier versions",
    "lineage": "made from the person's facts",
    "mention": "name the person",
    "alias": "filed under another of the person's ids",
    "decided": "chosen to go too",
}


def reasons_of(request: PrivacyRequest) -> list[str]:
    """How the facts were found, each once."""
    reasons = request.preview.get("reasons", {})
    return [f"{reasons[name]:,} {words}" for name, words in REASON_WORDS.items() if reasons.get(name)]


def checks_of(request: PrivacyRequest) -> list[dict[str, Any]]:
    """What the verification looked through, in words."""
    return [check | {"label": _check_label(check["check"])} for check in request.verification.get("checks", [])]


@dataclass(frozen=True)
class BackupRow:
    """A backup that holds what is erased, until ``expires``."""

    taken: datetime
    expires: datetime


def backup_rows(rows: list[dict[str, str]]) -> list[BackupRow]:
    """As a preview or a receipt keeps them, the one that expires last first."""
    found = [BackupRow(*(datetime.fromisoformat(row[name]) for name in ("taken_at", "expires_at"))) for row in rows]
    return sorted(found, key=lambda row: row.expires, reverse=True)


def store_label(name: str) -> str:
    """What a receipt calls a store, of an erasure or of a wipe."""
    named = BY_NAME.get(name) or WIPED_BY_NAME.get(name)
    return named.label if named else name


TEXTS = {
    "access_user": "Names of staff accounts",
    "access_invitation": "Addresses of invitations",
    "access_apikey": "Names of keys",
    "facts_fact": "Words of facts",
    "facts_factsource": "Quotes under facts",
    "curation_proposal": "Words of proposals",
    "curation_proposalevidence": "Quotes in proposals",
    "traces_message": "Messages",
    "traces_span": "Spans",
    "traces_trace": "Names of conversations",
    "extraction_extractionrun": "Raw model answers",
    "insight_savedview": "Saved views",
    "tenancy_agent": "Agents' names and instructions",
    "tenancy_subject": "Subjects' ids",
    "tenancy_subjectalias": "Subjects' aliases",
}
"""What a text check is called; a table without a name of its own is named as the database has it."""


def _check_label(name: str) -> str:
    kind, _, what = name.partition(":")
    if kind == "store" and what in BY_NAME:
        return f"Left of: {BY_NAME[what].label.lower()}"
    if kind == "table":
        return f"Rows left in {what}"
    return TEXTS.get(what, f"Words in {what}") if kind == "text" else name.capitalize()


@dataclass(frozen=True)
class Decision:
    """A fact of a preview that somebody may decide on. ``goes`` as it stands."""

    fact: Fact
    goes: bool
    note: str
    href: str


def decisions_of(request: PrivacyRequest, facts: dict[int, Fact], slug: str) -> list[Decision]:
    """Shared facts, those near in meaning or by a name, and those that were decided to go."""
    also = set(request.preview.get("also", []))
    found = []
    for item in request.preview.get("shared", []):
        fact = facts.get(item["fact"])
        if fact is not None:
            note = "nothing else bears it out" if item["alone"] else "others' words bear it out too"
            found.append(Decision(fact, False, note, reverse("fact", args=[slug, fact.id])))
    for item in request.preview.get("near", []):
        fact = facts.get(item["fact"])
        if fact is not None and fact.id not in also:
            note = f"means nearly what #{item['beside']} does ({item['alike']:.2f}), and nothing leads from one to the other"
            found.append(Decision(fact, False, note, reverse("fact", args=[slug, fact.id])))
    for item in request.preview.get("named", []):
        fact = facts.get(item["fact"])
        if fact is not None and fact.id not in also:
            note = f"says a name that this person goes by in #{item['as']}; somebody else may be called so"
            found.append(Decision(fact, False, note, reverse("fact", args=[slug, fact.id])))
    for number in sorted(also):
        if number in facts:
            found.append(Decision(facts[number], True, "goes too", reverse("fact", args=[slug, number])))
    return found


def may(request: PrivacyRequest, actor: Actor) -> dict[str, bool]:
    """What this person can do about the request as it stands."""
    handles, state = allowed(actor, "privacy.handle"), request.state
    destroys = request.kind in DESTROYS
    checked = request.identity_checked_at is not None
    return {
        "identity": handles and state in {"received", "identity_check", "duplicate"},
        "ask": handles and state == "received",
        "preview": handles and destroys and checked and state in {"triage", "previewed", "awaiting_approval"},
        "submit": handles and state == "previewed" and not request.error_code,
        "approve": allowed(actor, "privacy.approve") and state == "awaiting_approval",
        "fulfil": handles and not destroys and checked and state == "triage",
        "refuse": handles and state in {"received", "identity_check", "triage", "previewed", "awaiting_approval"},
        "extend": handles and state not in FINISHED and request.extended_until is None and now() <= request.due_at,
        "retry": handles and state == "needs_attention",
        "link": handles and state == "completed" and request.kind in {"access", "portability"},
        "check": handles and destroys and state.startswith("completed"),
    }


def is_at_work(request: PrivacyRequest) -> bool:
    return request.state in AT_WORK


def progress_of(request: PrivacyRequest) -> dict[str, int] | None:
    """Rows gone of rows found, while it is being erased."""
    before, erased = request.progress.get("before"), request.progress.get("erased")
    if not before or not erased or request.state not in {"erasing", "purging", "verifying"}:
        return None
    return {"done": sum(erased.values()), "of": max(sum(before.values()), 1)}


def named_recipients(project_id: int, recipients: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines of a receipt about who was told, with the names of keys and agents that are still there, and moments."""
    if not recipients:
        return []
    keys = dict(ApiKey.objects.filter(project_id=project_id).values_list("id", "name"))
    agents = {
        str(number): name for number, name in Agent.objects.filter(project_id=project_id).values_list("id", "name")
    }
    return [
        {
            **one,
            "key": keys.get(one["key"], f"key {one['key']}") if one["key"] else "no key",
            "agent": agents.get(one["agent"] or "", one["agent"] or ""),
            "first": parse_datetime(one["first"]) if one.get("first") else None,
            "last": parse_datetime(one["last"]),
        }
        for one in recipients
    ]
