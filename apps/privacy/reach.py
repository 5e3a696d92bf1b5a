"""What an erasure of one person reaches, found in one snapshot and without writing: ids by store, and why each fact goes."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q

from apps.core.sqlfiles import load
from apps.curation.conflicts import touching
from apps.dreaming.models import DreamChange, DreamGate, DreamRun, DreamTarget
from apps.extraction.models import ExtractionRun
from apps.facts.models import Fact, FactDerivation, FactSource, OperationalValue
from apps.insight.models import SavedView
from apps.privacy.mentions import Identifier, Names, needles_of
from apps.privacy.models import AccessPackage, Hold
from apps.tenancy.models import Subject
from apps.traces.models import SessionMessage, Trace

REASONS = ["direct", "alias", "decided", "mention", "history", "lineage"]


@dataclass(frozen=True)
class Shared:
    """A fact about somebody else, or about nobody, that rests on this person's words too: it stays without them unless
    somebody decides otherwise. ``alone``: nothing else bears it out."""

    fact_id: int
    alone: bool


@dataclass(frozen=True)
class Reach:
    """``facts`` by id with the reason; ``held`` and ``excepted`` ones are not among them. ``survivors`` were merged into
    one that goes, are about others, and are told again. ``messages`` and ``spans`` are those outside ``traces``, ``names``
    traces of others that are called after the person, ``origins`` those whose client called itself so, ``purposes`` reads
    that were made for a purpose that names her."""

    subject_id: int | None
    facts: dict[int, str] = field(default_factory=dict)
    held: dict[int, str] = field(default_factory=dict)
    excepted: dict[int, str] = field(default_factory=dict)
    shared: list[Shared] = field(default_factory=list)
    survivors: list[int] = field(default_factory=list)
    evidence: list[int] = field(default_factory=list)
    proposals: list[UUID] = field(default_factory=list)
    proposal_evidence: list[int] = field(default_factory=list)
    conflicts: list[int] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    held_traces: list[str] = field(default_factory=list)
    messages: list[int] = field(default_factory=list)
    spans: list[int] = field(default_factory=list)
    runs: list[int] = field(default_factory=list)
    names: list[int] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)
    purposes: list[int] = field(default_factory=list)
    sessions: list[int] = field(default_factory=list)
    operational: list[int] = field(default_factory=list)
    packages: list[int] = field(default_factory=list)
    views: list[int] = field(default_factory=list)
    session_messages: list[int] = field(default_factory=list)
    import_lines: list[int] = field(default_factory=list)
    imports: list[int] = field(default_factory=list)
    dreams: list[int] = field(default_factory=list)
    dream_changes: list[int] = field(default_factory=list)
    dream_gates: list[int] = field(default_factory=list)

    def digest(self) -> bytes:
        """32 bytes over every id that goes and every decision; what was approved is this and nothing else."""
        parts = [f"fact:{number}:{reason}" for number, reason in self.facts.items()]
        parts += [f"kept:{number}" for number in (*self.held, *self.excepted)]
        parts += [f"survivor:{number}" for number in self.survivors]
        for name in (
            "evidence",
            "proposals",
            "proposal_evidence",
            "traces",
            "held_traces",
            "messages",
            "spans",
            "runs",
            "names",
            "origins",
            "conflicts",
            "operational",
            "session_messages",
        ):
            parts += [f"{name}:{number}" for number in getattr(self, name)]
        return hashlib.sha256("\n".join(sorted(parts)).encode()).digest()


def reach_of(
    project_id: int,
    subject: Subject | None,
    identifiers: Iterable[Identifier],
    *,
    exceptions: dict[int, str],
    also: Iterable[int] = (),
    digest: bytes = b"",
    was: int | None = None,
) -> Reach:
    """``exceptions`` are facts that stay, with the ground; ``also`` shared ones that were decided to go; ``digest`` is the
    subject's, by which packages made for her are known; ``was`` the row id of a subject that is gone, under which rows may
    lie still. Reads only; the caller has bound the project."""
    identifiers = list(identifiers)
    named = mentioning(project_id, identifiers)
    subject_id = subject.id if subject else was
    own = subject_id or 0  # a row id that nobody has
    facts = _facts(project_id, subject_id, named, set(also))
    held_facts, held_traces = _held(project_id, subject_id)
    kept = held_facts | exceptions
    gone = {number: reason for number, reason in facts.items() if number not in kept}
    traces, messages, spans = _said(project_id, subject_id, named, held_traces)
    proposals = sorted(
        number
        for (number,) in _ask(
            "proposals_about",
            project=project_id,
            subject=subject_id,
            facts=list(gone),
            named=sorted(map(UUID, named.get("proposals", set()))),
        )
    )
    quotes = _ask(
        "quotes_of",
        project=project_id,
        subject=subject_id,
        traces=traces,
        messages=messages,
        named=_numbers(named, "evidence"),
    )
    evidence = {number: int(of) for kind, number, of in quotes if kind == "fact" and int(of) not in facts | kept}
    with_proposal = set(map(str, proposals))
    runs = ExtractionRun.objects.filter(project_id=project_id).filter(
        Q(subject_id=own) | Q(id__in=_numbers(named, "runs"))
    )
    return Reach(
        subject_id=subject_id,
        facts=gone,
        held={number: ground for number, ground in held_facts.items() if number in facts},
        excepted={number: ground for number, ground in exceptions.items() if number in facts},
        shared=_shared(project_id, evidence),
        survivors=_survivors(project_id, list(gone), subject_id),
        evidence=sorted(evidence),
        proposals=proposals,
        proposal_evidence=sorted(
            number for kind, number, of in quotes if kind == "proposal" and of not in with_proposal
        ),
        conflicts=sorted({*touching(project_id, list(gone), proposals), *_numbers(named, "conflicts")}),
        traces=traces,
        held_traces=sorted(held_traces),
        messages=messages,
        spans=spans,
        runs=sorted(runs.exclude(trace_id__in=traces).values_list("id", flat=True)),
        names=_of_others(project_id, _numbers(named, "names"), [*traces, *held_traces]),
        origins=_of_others(project_id, _numbers(named, "origins"), [*traces, *held_traces]),
        purposes=_numbers(named, "purposes"),
        sessions=[
            number
            for (number,) in _ask(
                "sessions_of",
                project=project_id,
                subject=subject_id,
                traces=traces,
                named=_numbers(named, "sessions"),
            )
        ],
        packages=sorted(
            AccessPackage.objects.filter(
                project_id=project_id, request__subject_digest=digest, removed_at=None
            ).values_list("id", flat=True)
        ),
        views=views_naming(project_id, identifiers),
        **imports_naming(project_id, identifiers),
        session_messages=sorted(
            SessionMessage.objects.filter(project_id=project_id)
            .filter(Q(subject_id=own) | Q(session__subject_id=own) | Q(id__in=_numbers(named, "session_messages")))
            .values_list("id", flat=True)
        ),
        **_dreams(project_id, own, named, facts=list(gone), traces=traces),
        operational=sorted(
            OperationalValue.objects.filter(project_id=project_id)
            .filter(Q(subject_id=own) | Q(id__in=_numbers(named, "operational")))
            .values_list("id", flat=True)
        ),
    )


def _dreams(
    project_id: int, subject_id: int, named: dict[str, set[str]], *, facts: list[int], traces: list[str]
) -> dict[str, list[int]]:
    """Runs over the person's facts whole; of other runs the changes that touch one of hers, came from her words or name
    her. What a phase reports holds ids alone."""
    runs = DreamRun.objects.filter(project_id=project_id)
    changes = DreamChange.objects.filter(project_id=project_id)
    gates = DreamGate.objects.filter(project_id=project_id)
    targets = DreamTarget.objects.filter(project_id=project_id, fact_id__in=facts)
    about = Q(subject_id=subject_id) | Q(fact_id__in=facts) | Q(source_trace_id__in=traces)
    about |= Q(id__in=targets.values("change_id")) | Q(id__in=_numbers(named, "dream_changes"))
    return {
        "dreams": sorted(
            runs.filter(Q(subject_id=subject_id) | Q(id__in=_numbers(named, "dreams"))).values_list("id", flat=True)
        ),
        "dream_changes": sorted(changes.filter(about).values_list("id", flat=True)),
        "dream_gates": sorted(
            gates.filter(Q(subject_id=subject_id) | Q(id__in=_numbers(named, "dream_gates"))).values_list(
                "id", flat=True
            )
        ),
    }


def mentioning(project_id: int, identifiers: list[Identifier]) -> dict[str, set[str]]:
    """Ids, as text, of rows whose text names one of them, or that are filed under one, by store. The project is bound."""
    names = Names(identifiers)
    found: dict[str, set[str]] = {}
    if not names:
        return found
    ids = [item.value for item in identifiers]
    addresses = [item.value.lower() for item in identifiers if "@" in item.value]
    with connection.cursor() as cursor:
        # Everything that anybody said is read.
        cursor.execute("SELECT set_config('statement_timeout', '240000', true)")
        cursor.execute(
            "SELECT store, id, said, own FROM privacy_naming(%s, %s, %s)", [needles_of(identifiers), ids, addresses]
        )
        for store, number, said, own in cursor:
            if own and store == "facts":
                found.setdefault("filed", set()).add(number)
            elif own or names.within(said):
                found.setdefault(store, set()).add(number)
    return found


def imports_naming(project_id: int, identifiers: list[Identifier]) -> dict[str, list[int]]:
    """Ids of lines of files that name her or are filed under one of her ids, however short, and of files that are called
    after her."""
    names, whole = Names(identifiers), Names(identifiers, short_too=True)
    given = {
        "project": project_id,
        "needles": needles_of(identifiers),
        "ids": [item.value for item in identifiers],
        "addresses": [item.value.lower() for item in identifiers if "@" in item.value],
    }
    found: dict[str, list[int]] = {"import_lines": [], "imports": []}
    for store, number, said, own in _ask("naming_imports", **given) if whole else ():
        if own or names.within(said):
            found[store].append(number)
    return found


def views_naming(project_id: int, identifiers: list[Identifier]) -> list[int]:
    """Ids of saved views whose name or filter names one of them. A filter may be an id that is too short to be looked for
    in texts, so a value that is nothing but the id counts too."""
    names, whole = Names(identifiers), Names(identifiers, short_too=True)
    if not whole:
        return []
    found = []
    for view in SavedView.objects.filter(project_id=project_id).order_by("id"):
        values = [one for value in view.query.values() for one in ([value] if isinstance(value, str) else value)]
        if any(map(names.within, [view.name, *view.query, *values])) or any(map(whole.are, values)):
            found.append(view.id)
    return found


def _facts(project_id: int, subject_id: int | None, named: dict[str, set[str]], decided: set[int]) -> dict[int, str]:
    """By reason; of several the first of REASONS counts. ``decided``: somebody wants them to go."""
    ours = Fact.objects.in_project(project_id)
    found: dict[int, str] = {}
    if subject_id is not None:
        found = dict.fromkeys(ours.filter(subject_id=subject_id).values_list("id", flat=True), "direct")
    for number in _numbers(named, "filed"):
        found.setdefault(number, "alias")
    for number in sorted(decided):
        found.setdefault(number, "decided")
    for number in _numbers(named, "facts"):
        found.setdefault(number, "mention")
    with connection.cursor() as cursor:
        cursor.execute(load("apps.privacy", "history_of"), {"project": project_id, "facts": sorted(found)})
        for (number,) in cursor.fetchall():
            found[number] = "history"
    layer = set(found)
    while layer:
        children = FactDerivation.objects.filter(project_id=project_id, parent_id__in=layer)
        layer = set(children.values_list("child_id", flat=True)) - set(found)
        found |= dict.fromkeys(sorted(layer), "lineage")
    return found


def _held(project_id: int, subject_id: int | None) -> tuple[dict[int, str], set[str]]:
    """Facts with their grounds, and traces."""
    facts: dict[int, str] = {}
    traces: set[str] = set()
    for hold in Hold.objects.filter(project_id=project_id, released_at=None):
        if hold.object_type == "fact":
            facts[int(hold.object_id)] = hold.ground
        elif hold.object_type == "trace":
            traces.add(hold.object_id)
        elif subject_id is not None and hold.object_id == str(subject_id):
            own = Fact.objects.in_project(project_id).filter(subject_id=subject_id).values_list("id", flat=True)
            facts |= dict.fromkeys(own, hold.ground)
            said = Trace.objects.filter(project_id=project_id, subject_id=subject_id)
            traces |= set(said.values_list("trace_id", flat=True))
    return facts, traces


def _said(
    project_id: int, subject_id: int | None, named: dict[str, set[str]], held: set[str]
) -> tuple[list[str], list[int], list[int]]:
    """The person's traces whole; of others' the messages and spans that are hers or name her, with whom they belong."""
    own = Trace.objects.filter(project_id=project_id, subject_id=subject_id or 0)
    traces = set(own.values_list("trace_id", flat=True)) - held
    found = _ask(
        "said_beside",
        project=project_id,
        subject=subject_id,
        messages=_numbers(named, "messages"),
        spans=_numbers(named, "spans"),
        outside=sorted(traces | held),
    )
    messages = sorted(number for kind, number in found if kind == "message")
    return sorted(traces), messages, sorted(number for kind, number in found if kind == "span")


def _of_others(project_id: int, numbers: list[int], traces: list[str]) -> list[int]:
    rows = Trace.objects.filter(project_id=project_id, id__in=numbers).exclude(trace_id__in=traces)
    return sorted(rows.values_list("id", flat=True))


def _numbers(named: dict[str, set[str]], store: str) -> list[int]:
    return sorted(map(int, named.get(store, set())))


def _ask(name: str, **given: Any) -> list[Any]:
    """The rows of a file of SQL."""
    with connection.cursor() as cursor:
        cursor.execute(load("apps.privacy", name), given)
        return list(cursor.fetchall())


def _shared(project_id: int, evidence: dict[int, int]) -> list[Shared]:
    facts = sorted(set(evidence.values()))
    rest = FactSource.objects.filter(project_id=project_id, fact_id__in=facts).exclude(id__in=list(evidence))
    borne_out = set(rest.values_list("fact_id", flat=True))
    return [Shared(number, number not in borne_out) for number in facts]


def _survivors(project_id: int, gone: list[int], subject_id: int | None) -> list[int]:
    """Facts about others that one that goes took the place of, and that nothing else replaced."""
    merged = Fact.objects.in_project(project_id).filter(superseded_by_id__in=gone).exclude(id__in=gone)
    parents = FactDerivation.objects.filter(project_id=project_id, child_id__in=gone).values("parent_id")
    return sorted(merged.filter(id__in=parents).values_list("id", flat=True))
