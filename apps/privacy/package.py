"""The file that somebody gets who asks what is remembered of them: JSON, the same to read, and a manifest of digests."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable
from datetime import datetime
from html import escape
from typing import Any

from django.db.models import Q

from apps.access.models import ApiKey
from apps.core.clock import now
from apps.curation.models import Proposal, WaitingWrite
from apps.dreaming.models import DreamChange, DreamRun, DreamTarget
from apps.exchange.models import ImportLine
from apps.extraction.models import ExtractionRun
from apps.facts.models import Fact, FactSource
from apps.privacy.models import PrivacyRequest
from apps.privacy.preview import identifiers_of
from apps.privacy.reach import imports_naming
from apps.privacy.redaction import Held, Redactor
from apps.recall.models import FactServing
from apps.tenancy.models import Agent, SubjectAlias
from apps.traces.models import Message, SessionMessage, Trace

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "One remembered fact about a person, a line each of facts.jsonl",
    "type": "object",
    "required": ["id", "content", "scope", "scope_id", "category", "source", "observed_at", "created_at", "state"],
    "properties": {
        "id": {"type": "integer"},
        "content": {"type": "string"},
        "scope": {"enum": ["agent", "project", "user", "session", "other"]},
        "scope_id": {"type": "string"},
        "category": {"type": "string"},
        "memory_type": {"type": "string"},
        "sensitivity": {"enum": ["public", "internal", "personal", "special"]},
        "confidence": {"type": "number"},
        "source": {"enum": ["manual", "learned", "dream", "import", "agent"]},
        "state": {"enum": ["active", "held", "superseded", "retired"]},
        "observed_at": {"type": "string", "format": "date-time"},
        "created_at": {"type": "string", "format": "date-time"},
        "expires_at": {"type": ["string", "null"], "format": "date-time"},
        "purposes": {"type": ["array", "null"], "items": {"type": "string"}},
        "trace_id": {"type": ["string", "null"]},
        "learned_by": {"type": ["string", "null"]},
        "evidence": {"type": "array", "items": {"type": "string"}},
    },
}


MANIFEST = "manifest.json"


def build(request: PrivacyRequest) -> tuple[bytes, dict[str, int], list[Held]]:
    """The ZIP, how many of each there are in it, ``held_back`` counting what a person should look at, and what that is. The
    project is bound. Portability leaves out what was derived about the person rather than given by her."""
    parts = _parts(request)
    texts = [text for rows in parts.values() for row in rows for text in _texts(row)]
    redact = Redactor(request.project_id, identifiers_of(request), request.subject_id, texts)
    clean = {name: [_through(row, redact) for row in rows] for name, rows in parts.items()}
    files: dict[str, bytes] = {f"{name}.jsonl": _lines(rows) for name, rows in clean.items()}
    files["facts.schema.json"] = json.dumps(SCHEMA, indent=1).encode()
    if request.kind == "access":
        files["index.html"] = _page(clean).encode()
    manifest = {
        "made_at": now().isoformat(timespec="seconds"),
        "request": request.number,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())},
        "counts": {name: len(rows) for name, rows in clean.items()},
    }
    files[MANIFEST] = json.dumps(manifest, indent=1).encode()
    held = list(redact.held.values())
    counts = {name: len(rows) for name, rows in clean.items()} | {"held_back": sum(one.times for one in held)}
    return zipped(files), counts, held


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _parts(request: PrivacyRequest) -> dict[str, list[dict[str, Any]]]:
    project_id, subject = request.project_id, request.subject
    if subject is None:
        return {"person": [], "facts": []}
    facts = Fact.objects.in_project(project_id).filter(subject_id=subject.id).order_by("id")
    if request.kind == "portability":
        facts = facts.exclude(source="dream")
    rows = list(facts)
    aliases = SubjectAlias.objects.filter(project_id=project_id, subject_id=subject.id)
    traces = list(Trace.objects.filter(project_id=project_id, subject_id=subject.id).order_by("started_at", "id"))
    person = {
        "id": subject.external_id,
        "also_known_as": sorted(aliases.values_list("external_id", flat=True)),
        "known_since": _time(subject.created_at),
        "last_seen": _time(max((t.started_at for t in traces if t.started_at), default=None)),
    }
    found = {"person": [person], "facts": _facts(project_id, rows)}
    if request.kind == "portability":
        return found
    return found | {
        "proposals": _proposals(project_id, subject.id),
        "conversations": _conversations(project_id, traces),
        "sessions": _sessions(project_id, subject.id),
        "dreams": _dreams(project_id, subject.id, [fact.id for fact in rows]),
        "told": _told(project_id, subject.id, [fact.id for fact in rows]),
        "requests": _requests(request),
        "imports": _imports(request),
    }


def _facts(project_id: int, facts: list[Fact]) -> list[dict[str, Any]]:
    quotes: dict[int, list[str]] = {}
    for fact_id, quote in (
        FactSource.objects.filter(project_id=project_id, fact_id__in=[fact.id for fact in facts])
        .order_by("id")
        .values_list("fact_id", "quote")
    ):
        quotes.setdefault(fact_id, []).append(quote)
    runs = ExtractionRun.objects.filter(
        project_id=project_id, trace_id__in={fact.source_trace_id for fact in facts if fact.source_trace_id}
    )
    by = {run.trace_id: f"{run.extractor} {run.version} {run.model}".strip() for run in runs.order_by("id")}
    return [
        {
            "id": fact.id,
            "content": fact.content,
            "key": fact.key,
            "value": fact.value,
            "scope": fact.scope,
            "scope_id": fact.scope_id,
            "category": fact.category,
            "memory_type": fact.memory_type,
            "sensitivity": fact.sensitivity,
            "confidence": fact.confidence,
            "source": fact.source,
            "state": _state(fact),
            "observed_at": _time(fact.observed_at),
            "created_at": _time(fact.created_at),
            "expires_at": _time(fact.expires_at),
            "purposes": fact.purposes,
            "approved": "by a person" if fact.approved_by.startswith("user:") else "by a rule",
            "trace_id": fact.source_trace_id,
            "learned_by": by.get(fact.source_trace_id or ""),
            "evidence": quotes.get(fact.id, []),
        }
        for fact in facts
    ]


def _proposals(project_id: int, subject_id: int) -> list[dict[str, Any]]:
    rows = Proposal.objects.in_project(project_id).filter(subject_id=subject_id).order_by("created_at", "id")
    # Of a long value the content holds the beginning alone.
    writes = WaitingWrite.objects.filter(project_id=project_id, proposal__subject_id=subject_id, key__isnull=False)
    kept = {write.proposal_id: {"key": write.key, "value": write.value} for write in writes}
    return [
        {
            "content": row.content,
            **kept.get(row.id, {}),
            "state": row.state,
            "why_held": row.policy_rule,
            "flags": row.flags,
            "decided": _time(row.decided_at),
            "decided_by": "a person" if row.reviewer.startswith("user:") else "a rule" if row.reviewer else None,
            "reason": row.reason,
            "created_at": _time(row.created_at),
        }
        for row in rows
    ]


def _conversations(project_id: int, traces: list[Trace]) -> list[dict[str, Any]]:
    said: dict[str, list[dict[str, Any]]] = {}
    messages = Message.objects.filter(project_id=project_id, trace_id__in=[trace.trace_id for trace in traces])
    for message in messages.order_by("at", "id"):
        turn = {"role": message.role, "at": _time(message.at), "text": message.content}
        said.setdefault(message.trace_id, []).append(turn)
    return [
        {
            "trace_id": trace.trace_id,
            "agent": trace.agent_name,
            "at": _time(trace.started_at),
            "messages": said.get(trace.trace_id, []),
        }
        for trace in traces
    ]


def _sessions(project_id: int, subject_id: int) -> list[dict[str, Any]]:
    """What an agent's working memory held of the person's sessions, summaries with the messages they stand for."""
    own = Q(subject_id=subject_id) | Q(session__subject_id=subject_id)
    rows = list(
        SessionMessage.objects.filter(own, project_id=project_id).select_related("session").order_by("session_id", "id")
    )
    names = {row.id: row.external_id for row in rows}
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        turn: dict[str, Any] = {"id": row.external_id, "role": row.role, "at": _time(row.at), "text": row.content}
        if row.stands_for:
            turn["stands_for"] = [names[number] for number in row.stands_for if number in names]
        if row.stands_for_said:
            turn["stands_for_messages"] = len(row.stands_for_said)
        found.setdefault(row.session.external_id, []).append(turn)
    return [{"session": name, "messages": turns} for name, turns in found.items()]


def _dreams(project_id: int, subject_id: int, fact_ids: list[int]) -> list[dict[str, Any]]:
    """Runs over the person's facts, and the changes of any run that are about her: decisions that a machine prepared."""
    about = Q(subject_id=subject_id) | Q(run__subject_id=subject_id) | Q(targets__fact_id__in=fact_ids)
    changes: dict[int, list[DreamChange]] = {}
    for change in DreamChange.objects.filter(about, project_id=project_id).distinct().order_by("id"):
        changes.setdefault(change.run_id, []).append(change)
    targets: dict[int, list[int]] = {}
    of = DreamTarget.objects.filter(project_id=project_id, change__run_id__in=list(changes), fact_id__in=fact_ids)
    for change_id, fact_id in of.order_by("id").values_list("change_id", "fact_id"):
        targets.setdefault(change_id, []).append(fact_id)
    runs = DreamRun.objects.filter(Q(subject_id=subject_id) | Q(id__in=list(changes)), project_id=project_id)
    return [
        {
            "run": run.id,
            "at": _time(run.started_at or run.created_at),
            "engine": f"{run.engine} {run.model}".strip(),
            "state": run.state,
            "changes": [
                {
                    "what": change.op,
                    "facts": targets.get(change.id, []),
                    "new_words": change.content or None,
                    "reason": change.reason,
                    "state": change.state,
                    "decided": _time(change.decided_at),
                    "decided_by": "a person"
                    if change.decided_by.startswith("user:")
                    else "a rule"
                    if change.decided_by
                    else None,
                }
                for change in changes.get(run.id, [])
            ],
        }
        for run in runs.order_by("id")
    ]


def _told(project_id: int, subject_id: int, fact_ids: list[int]) -> list[dict[str, Any]]:
    rows = FactServing.objects.filter(project_id=project_id, fact_id__in=fact_ids).order_by("fact_id", "first_at")
    agents = dict(Agent.objects.filter(project_id=project_id).values_list("id", "name"))
    keys = dict(ApiKey.objects.filter(project_id=project_id).values_list("id", "name"))
    return [
        {
            "fact": row.fact_id,
            "agent": agents.get(row.agent_id) if row.agent_id else None,
            "key": keys.get(row.key_id) if row.key_id else None,
            "times": row.reads,
            "first": _time(row.first_at),
            "last": _time(row.last_at),
        }
        for row in rows
    ]


def _requests(request: PrivacyRequest) -> list[dict[str, Any]]:
    rows = PrivacyRequest.objects.filter(project_id=request.project_id, subject_digest=bytes(request.subject_digest))
    return [
        {
            "number": row.number,
            "kind": row.kind,
            "state": row.state,
            "received_at": _time(row.received_at),
            "due_at": _time(row.extended_until or row.due_at),
            "refused_because": row.rejected_for or None,
            "longer_because": row.extension_reason or None,
        }
        for row in rows.order_by("number")
    ]


def _imports(request: PrivacyRequest) -> list[dict[str, Any]]:
    """What was said of the person in files that were brought in, as long as their lines are kept."""
    found = imports_naming(request.project_id, identifiers_of(request))["import_lines"]
    rows = ImportLine.objects.filter(project_id=request.project_id, id__in=found).select_related("upload")
    return [
        {"brought_in_at": _time(row.upload.created_at), "line": row.number, "said": row.record}
        for row in rows.order_by("id")
    ]


def _state(fact: Fact) -> str:
    if fact.superseded_at:
        return "superseded"
    if fact.retired_at:
        return "retired"
    return "held" if fact.restricted_at else "active"


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _through(value: Any, redact: Redactor) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: _through(item, redact) for name, item in value.items()}
    if isinstance(value, list):
        return [_through(item, redact) for item in value]
    return value


def _lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None


_TITLES = {
    "person": "Who you are to us",
    "facts": "What is remembered",
    "proposals": "What was proposed to be remembered",
    "conversations": "What you said",
    "sessions": "What agents had in mind while they spoke with you",
    "dreams": "What machines proposed to tidy up",
    "told": "Who was told",
    "requests": "Your requests",
    "imports": "What files said that were brought in",
}


def _page(parts: dict[str, list[dict[str, Any]]]) -> str:
    """The same to read, without scripts, links or pictures."""
    found = []
    for name, rows in parts.items():
        found.append(f"<h2>{escape(_TITLES[name])} ({len(rows)})</h2>")
        for row in rows:
            lines = "".join(
                f"<dt>{escape(label.replace('_', ' '))}</dt><dd dir=auto>{_shown(value)}</dd>"
                for label, value in row.items()
                if value not in (None, "", [])
            )
            found.append(f"<dl>{lines}</dl>")
    style = "body{font:16px/1.5 system-ui;max-width:48rem;margin:2rem auto;padding:0 1rem}dl{border-top:1px solid #ccc;padding:.5rem 0}dt{color:#555;font-size:.85em}dd{margin:0 0 .3rem;white-space:pre-wrap;overflow-wrap:anywhere}"
    head = f"<!doctype html><html lang=en><meta charset=utf-8><title>What is remembered of you</title><style>{style}</style>"
    return f"{head}<h1>What is remembered of you</h1>{''.join(found)}</html>\n"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return "<br>".join(_shown(item) for item in value)
    if isinstance(value, dict):
        return escape(": ".join(str(item) for item in value.values() if item not in (None, "")))
    return escape(str(value))
