"""Where something about a person may lie, in the order in which it is erased: what hangs on other rows first.

An explicit list. Each store says which ids of a reach are its own, counts those that are still there, and deletes a batch
of them. ``covers`` names the models whose registered columns (registry.py) the store empties; a test holds the two lists
together, so that a new column with text can't be forgotten by both.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from apps.access.actor import system_actor
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.curation.conflicts import clear_away
from apps.curation.models import Conflict, ConflictSide, Proposal, ProposalEvidence
from apps.dreaming.models import DreamChange, DreamGate, DreamRun
from apps.exchange.models import Import, ImportLine
from apps.exchange.states import ENDED
from apps.extraction.models import ExtractionRun
from apps.facts.append import next_fact_id
from apps.facts.models import Fact, FactDerivation, FactSource, OperationalValue
from apps.insight.models import SavedView
from apps.privacy.models import EMPTIED, AccessPackage
from apps.privacy.reach import Reach
from apps.recall.models import ReadLedger
from apps.tenancy.models import Agent, Subject, SubjectAlias
from apps.traces.models import Message, Session, SessionMessage, Span, Trace

BATCH = 5_000
"""Rows a transaction deletes at most of one store."""


@dataclass(frozen=True)
class Store:
    """``ids`` of a reach, ``left`` of these now, and ``erase`` for a batch of them, which returns how many rows went. The
    project is bound and ``app.erasing`` set."""

    name: str
    label: str
    covers: tuple[str, ...]
    ids: Callable[[Reach], Sequence[Any]]
    left: Callable[[int, Sequence[Any]], int]
    erase: Callable[[int, Sequence[Any]], int]


def _of(model: Any, column: str = "id") -> dict[str, Any]:
    """Counting and deleting rows of a model by one column."""

    def rows(project_id: int, ids: Sequence[Any]) -> Any:
        return model.objects.filter(project_id=project_id, **{f"{column}__in": list(ids)})

    def left(project_id: int, ids: Sequence[Any]) -> int:
        return int(rows(project_id, ids).count()) if ids else 0

    def erase(project_id: int, ids: Sequence[Any]) -> int:
        # Past the ORM's own cascade, which reads each child first: the database's foreign keys take them along.
        return int(rows(project_id, ids)._raw_delete("default"))

    return {"left": left, "erase": erase}


def _erase_facts(project_id: int, ids: Sequence[Any]) -> int:
    """With their evidence, lineage, vectors and tellings, by the foreign keys. What was merged into one of them and is
    about somebody else is told again, as a copy: a fact is closed once."""
    goes = list(ids)
    survivors = (
        list(
            Fact.objects.in_project(project_id)
            .select_for_update()
            .filter(
                Exists(
                    FactDerivation.objects.filter(project_id=project_id, child_id__in=goes, parent_id=OuterRef("id"))
                ),
                superseded_by_id__in=goes,
            )
            .exclude(id__in=goes)
            .exclude(restricted_reason="erasure")
            .order_by("id")
        )
        if goes
        else []
    )
    gone = int(Fact.objects.filter(project_id=project_id, id__in=goes)._raw_delete("default"))
    for fact in survivors:
        _append_copy(project_id, fact.id)
    return gone


def _append_copy(project_id: int, fact_id: int) -> None:
    columns = [
        "project_id", "scope", "scope_id", "agent_id", "subject_id", "attribute", "label", "content", "norm_hash", "key",
        "value", "category", "memory_type", "confidence", "importance", "trust", "speaker", "sensitivity", "purposes",
        "task_types", "source", "source_trace_id", "proposal_id", "observed_at", "valid_from", "valid_to", "approved_by",
        "approved_at", "expires_at", "review_at", "pinned", "corroborations", "last_seen_at",
    ]  # fmt: skip
    names, new = ", ".join(columns), next_fact_id()
    with connection.cursor() as cursor:
        # Where the same words are told already there is nothing to bring back.
        cursor.execute(
            f"INSERT INTO facts_fact (id, {names}, restricted_reason, retired_reason)"  # noqa: S608
            f" SELECT %s, {names}, '', '' FROM facts_fact WHERE project_id = %s AND id = %s ON CONFLICT DO NOTHING",
            [new, project_id, fact_id],
        )
        made = bool(cursor.rowcount)
        if made:
            cursor.execute(
                'INSERT INTO facts_factsource (project_id, fact_id, subject_id, trace_id, message_id, quote, start, "end",'
                ' observed_at) SELECT project_id, %s, subject_id, trace_id, message_id, quote, start, "end", observed_at'
                " FROM facts_factsource WHERE project_id = %s AND fact_id = %s",
                [new, project_id, fact_id],
            )
    if made:
        # What was told of it before was told of another id.
        actor = system_actor("privacy", project_id)
        record(actor=actor, verb="facts.add", object_type="fact", object_id=new, data={"copies": fact_id})


def _packages_left(project_id: int, ids: Sequence[Any]) -> int:
    return AccessPackage.objects.filter(project_id=project_id, id__in=list(ids), removed_at=None).count() if ids else 0


def _empty_packages(project_id: int, ids: Sequence[Any]) -> int:
    # The row stays as the proof that something was handed over, or was not.
    rows = AccessPackage.objects.filter(project_id=project_id, id__in=list(ids), removed_at=None)
    return rows.update(removed_at=now(), **EMPTIED)


def _conflicts_left(project_id: int, ids: Sequence[Any]) -> int:
    """Those that still say something: in a note, or because nobody stands in them any more."""
    rows = Conflict.objects.filter(project_id=project_id, id__in=list(ids))
    return (
        rows.filter(~Q(note="") | ~Exists(ConflictSide.objects.filter(conflict=OuterRef("id")))).count() if ids else 0
    )


def _erase_conflicts(project_id: int, ids: Sequence[Any]) -> int:
    # Their sides are gone by now; where others stay, what somebody noted about the person does not.
    left = _conflicts_left(project_id, ids)
    clear_away(project_id, list(ids), by="system:privacy")
    Conflict.objects.filter(project_id=project_id, id__in=list(ids)).exclude(note="").update(note="")
    return left


def _blank(model: Any, *columns: str) -> dict[str, Any]:
    """Counting rows of a model that say something in one of some columns, and emptying these."""
    empty = dict.fromkeys(columns, "")

    def rows(project_id: int, ids: Sequence[Any]) -> Any:
        return model.objects.filter(project_id=project_id, id__in=list(ids)).exclude(**empty)

    def left(project_id: int, ids: Sequence[Any]) -> int:
        return int(rows(project_id, ids).count()) if ids else 0

    def erase(project_id: int, ids: Sequence[Any]) -> int:
        return int(rows(project_id, ids).update(**empty))

    return {"left": left, "erase": erase}


def _origins(project_id: int, ids: Sequence[Any]) -> tuple[Any, Any]:
    """Traces that say where they come from, and those that name an agent whom the operator does not know."""
    rows = Trace.objects.filter(project_id=project_id, id__in=list(ids))
    known = Agent.objects.filter(project_id=project_id, name=OuterRef("agent_name"))
    return rows.exclude(origin=""), rows.exclude(agent_name="").filter(~Exists(known))


def _origins_left(project_id: int, ids: Sequence[Any]) -> int:
    named, strange = _origins(project_id, ids)
    return len(set(named.values_list("id", flat=True)) | set(strange.values_list("id", flat=True))) if ids else 0


def _erase_origins(project_id: int, ids: Sequence[Any]) -> int:
    left, (named, strange) = _origins_left(project_id, ids), _origins(project_id, ids)
    strange.update(agent_name="")
    named.update(origin="")
    return left


def _of_subject(sql: str) -> dict[str, Any]:
    """Counting and deleting rows that name the subject by his row id in a table that nothing leads to."""

    def left(project_id: int, ids: Sequence[Any]) -> int:
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT count(*) FROM {sql} WHERE project_id = %s AND subject_id = ANY (%s)",  # noqa: S608
                [project_id, list(ids)],
            )
            return int(cursor.fetchone()[0])

    def erase(project_id: int, ids: Sequence[Any]) -> int:
        with connection.cursor() as cursor:
            cursor.execute(
                f"DELETE FROM {sql} WHERE project_id = %s AND subject_id = ANY (%s)",  # noqa: S608
                [project_id, list(ids)],
            )
            return int(cursor.rowcount)

    return {"left": left, "erase": erase}


def _files_left(project_id: int, ids: Sequence[Any]) -> int:
    rows = Import.objects.filter(project_id=project_id, id__in=list(ids))
    return rows.exclude(name="", header=[], columns={}).count() if ids else 0


def _empty_files(project_id: int, ids: Sequence[Any]) -> int:
    """The name of the file and those of its columns; an import that still needs these ends."""
    rows = Import.objects.filter(project_id=project_id, id__in=list(ids))
    gone = int(rows.exclude(name="", header=[], columns={}).update(name="", header=[], columns={}))
    rows.exclude(state__in=ENDED).update(state="cancelled", finished_at=now(), lease_until=None, lease_token=None)
    return gone


def _subject(reach: Reach) -> Sequence[int]:
    return [reach.subject_id] if reach.subject_id is not None else []


def _subject_goes(reach: Reach) -> Sequence[int]:
    """The row itself, unless something of the person's is held."""
    return [] if reach.held or reach.excepted or reach.held_traces else _subject(reach)


STORES: list[Store] = [
    # First: who is making facts of a line is waited for.
    Store(
        "import_lines",
        "Lines of files that were brought in",
        ("exchange.ImportLine",),
        lambda r: r.import_lines,
        **_of(ImportLine),
    ),
    Store(
        "imports",
        "Names of files that were brought in",
        ("exchange.Import",),
        lambda r: r.imports,
        left=_files_left,
        erase=_empty_files,
    ),
    Store(
        "dream_changes",
        "Changes that dream runs would make",
        ("dreaming.DreamChange",),
        lambda r: r.dream_changes,
        **_of(DreamChange),
    ),
    Store("dreams", "Dream runs over the person's facts", ("dreaming.DreamRun",), lambda r: r.dreams, **_of(DreamRun)),
    Store("dream_gates", "Gates of dream runs", ("dreaming.DreamGate",), lambda r: r.dream_gates, **_of(DreamGate)),
    Store(
        "proposals",
        "Proposals and their evidence",
        ("curation.Proposal", "curation.ProposalEvidence", "curation.WaitingWrite"),
        lambda r: r.proposals,
        **_of(Proposal),
    ),
    Store("proposal_evidence", "Quotes in other proposals", (), lambda r: r.proposal_evidence, **_of(ProposalEvidence)),
    Store(
        "facts",
        "Facts, every version, with evidence, lineage and vectors",
        ("facts.Fact", "facts.HotFact", "facts.FactSource", "recall.FactEmbedding"),
        lambda r: list(r.facts),
        left=_of(Fact)["left"],
        erase=_erase_facts,
    ),
    Store("evidence", "Quotes under other facts", (), lambda r: r.evidence, **_of(FactSource)),
    Store(
        "conflicts",
        "Conflicts",
        ("curation.Conflict",),
        lambda r: r.conflicts,
        left=_conflicts_left,
        erase=_erase_conflicts,
    ),
    Store("messages", "Messages in others' conversations", ("traces.Message",), lambda r: r.messages, **_of(Message)),
    Store("spans", "Spans in others' conversations", ("traces.Span",), lambda r: r.spans, **_of(Span)),
    Store(
        "runs",
        "Runs of the extractor and models' answers",
        ("extraction.ExtractionRun",),
        lambda r: r.runs,
        **_of(ExtractionRun),
    ),
    Store(
        "traces",
        "Conversations, with spans, messages and runs",
        ("traces.Trace",),
        lambda r: r.traces,
        **_of(Trace, "trace_id"),
    ),
    Store("names", "Names of others' conversations", (), lambda r: r.names, **_blank(Trace, "root_name")),
    Store(
        "origins",
        "What clients called themselves in others' conversations",
        (),
        lambda r: r.origins,
        left=_origins_left,
        erase=_erase_origins,
    ),
    Store(
        "session_messages",
        "What sessions held",
        ("traces.SessionMessage",),
        lambda r: r.session_messages,
        **_of(SessionMessage),
    ),
    Store("sessions", "Sessions", ("traces.Session",), lambda r: r.sessions, **_of(Session)),
    Store(
        "operational",
        "Agents' own values",
        ("facts.OperationalValue",),
        lambda r: r.operational,
        **_of(OperationalValue),
    ),
    Store("reads", "Reads that named the person", (), _subject, **_of_subject("recall_readledger")),
    Store(
        "purposes",
        "Purposes of others' reads",
        ("recall.ReadLedger",),
        lambda r: r.purposes,
        **_blank(ReadLedger, "purpose"),
    ),
    Store("servings", "Counts of what was told for the person", (), _subject, **_of_subject("recall_factserving")),
    Store(
        "packages",
        "Packages made for the person",
        ("privacy.AccessPackage",),
        lambda r: r.packages,
        left=_packages_left,
        erase=_empty_packages,
    ),
    Store("views", "Saved views that name the person", ("insight.SavedView",), lambda r: r.views, **_of(SavedView)),
    Store("aliases", "Aliases", ("tenancy.SubjectAlias",), _subject_goes, **_of(SubjectAlias, "subject_id")),
    Store("subject", "The person's own row", ("tenancy.Subject",), _subject_goes, **_of(Subject)),
]
BY_NAME = {store.name: store for store in STORES}

# Registered columns whose rows go by a rule of their own.
ELSEWHERE = {
    "privacy.PrivacyRequest": "emptied when the request ends",
    "privacy.RequestIdentity": "deleted when the request ends",
}


def counts(project_id: int, reach: Reach) -> dict[str, int]:
    """Rows by store that are there now."""
    return {store.name: store.left(project_id, store.ids(reach)) for store in STORES}


__all__ = ["BATCH", "BY_NAME", "ELSEWHERE", "STORES", "Store", "counts"]
