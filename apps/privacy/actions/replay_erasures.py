"""Erase again what a restored backup still holds."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from apps.access.actor import system_actor
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.transactions import bind, local_setting
from apps.curation.models import Proposal
from apps.facts.models import Fact
from apps.privacy.erasure_log import Entry
from apps.privacy.mentions import Identifier
from apps.privacy.models import Restoration
from apps.privacy.queries import forgotten_rows
from apps.privacy.reach import reach_of
from apps.privacy.stores import BATCH, STORES, counts
from apps.privacy.verification import verify
from apps.privacy.wiping import WIPED, verify_wiped, wipe_batch
from apps.tenancy.models import Project, Subject, SubjectAlias, Tombstone
from apps.tenancy.tombstones import bury, fact_digest, subject_digest, trace_digest
from apps.traces.models import Trace

ROUNDS = 3


def replay_erasures(*, entries: Iterable[Entry]) -> dict[str, int]:
    """Bring a restored database up to the log: bury everything that was buried, erase the subjects, traces and facts whose
    digests are in it, verify each subject. Returns counts: subjects, facts, traces, residue. Open restorations are marked
    as replayed when nothing was left.

    Idempotent: a second run finds nothing. Run by the application role, before anything serves.
    """
    by_project: dict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_project[entry.project_id].append(entry)
    total = {"subjects": 0, "facts": 0, "traces": 0, "residue": 0}
    known = set(Project.objects.filter(id__in=list(by_project)).values_list("id", flat=True))
    for project_id in sorted(known):
        for name, count in _replay(project_id, by_project[project_id]).items():
            total[name] += count
    if not total["residue"]:
        Restoration.objects.filter(replayed_at=None).update(replayed_at=now(), report=total)
    return total


def _replay(project_id: int, entries: list[Entry]) -> dict[str, int]:
    limits: dict[str, dict[bytes, datetime]] = {"subject": {}, "fact": {}, "trace": {}}
    wiped = [entry for entry in entries if entry.kind == "project"]
    residue = sum(_wipe(project_id, entry) for entry in wiped)
    entries = [entry for entry in entries if entry.kind != "project"]
    with bind(project_id):
        for entry in entries:
            bury(project_id, entry.kind, {entry.digest}, until=entry.until, permanent=entry.permanent)
            own = limits[entry.kind]
            own[entry.digest] = max(entry.until, own.get(entry.digest, entry.until))
    done = {"subjects": 0, "facts": 0, "traces": 0, "residue": residue}
    for subject_id, names in _subjects(project_id, limits["subject"]).items():
        done["residue"] += _erase_subject(project_id, subject_id, names)
        done["subjects"] += 1
    done["traces"] = _erase_traces(project_id, limits["trace"])
    done["facts"] = _erase_facts(project_id, limits["fact"])
    if any(done.values()):
        with bind(project_id):
            record(
                actor=system_actor("privacy", project_id),
                verb="privacy.replayed",
                object_type="project",
                object_id=project_id,
                data=done,
            )
    return done


def _wipe(project_id: int, entry: Entry) -> int:
    """Empty a project that was wiped after the backup was taken, and leave it closed; returns what is still there. A backup
    of after the wipe knows of it, and what it holds is newer."""
    with bind(project_id):
        known = Tombstone.objects.filter(
            project_id=project_id, kind="project", digest=entry.digest, blocks_observed_before__gte=entry.until
        )
        if known.exists():
            return 0
        Project.objects.filter(id=project_id).update(closed_at=now())
    for one in WIPED:
        while True:
            with bind(project_id), local_setting("app.erasing", "replay"):
                if not wipe_batch(project_id, one):
                    break
    with bind(project_id):
        residue = verify_wiped(project_id).hits
        if not residue:
            # Last, so that a replay that is killed begins again.
            bury(project_id, "project", {entry.digest}, until=entry.until)
    return residue


def _subjects(project_id: int, limits: dict[bytes, datetime]) -> dict[int, list[str]]:
    """Those who were erased since, with all their names, by any of which they may be in the log."""
    found: dict[int, list[str]] = {}
    if not limits:
        return found
    with bind(project_id):
        names: dict[int, list[str]] = defaultdict(list)
        for subject in Subject.objects.filter(project_id=project_id).iterator(chunk_size=2_000):
            names[subject.id].append(subject.external_id)
        for alias in SubjectAlias.objects.filter(project_id=project_id).iterator(chunk_size=2_000):
            names[alias.subject_id].append(alias.external_id)
    for subject_id, called in names.items():
        if any(subject_digest(project_id, "user", name) in limits for name in called):
            found[subject_id] = called
    return found


def _erase_subject(project_id: int, subject_id: int, names: list[str]) -> int:
    """Everything of one person; returns what a verification still finds."""
    identifiers = [Identifier("user_id", name) for name in names]
    for _ in range(ROUNDS):
        with bind(project_id):
            subject = Subject.objects.filter(project_id=project_id, id=subject_id).first()
            reach = reach_of(project_id, subject, identifiers, exceptions={})
            if not any(counts(project_id, reach).values()):
                break
        for store in STORES:
            ids = list(store.ids(reach))
            for start in range(0, len(ids), BATCH):
                with bind(project_id), local_setting("app.erasing", "replay"):
                    store.erase(project_id, ids[start : start + BATCH])
    with bind(project_id):
        return verify(project_id, reach_of(project_id, None, identifiers, exceptions={}), identifiers, []).hits


def _erase_traces(project_id: int, limits: dict[bytes, datetime]) -> int:
    if not limits:
        return 0
    with bind(project_id):
        rows = Trace.objects.filter(project_id=project_id).values_list("trace_id", flat=True)
        gone = [name for name in rows.iterator(chunk_size=2_000) if trace_digest(project_id, name) in limits]
    for start in range(0, len(gone), BATCH):
        with bind(project_id), local_setting("app.erasing", "replay"):
            Trace.objects.filter(project_id=project_id, trace_id__in=gone[start : start + BATCH])._raw_delete("default")
    return len(gone)


def _erase_facts(project_id: int, limits: dict[bytes, datetime]) -> int:
    """Facts that say what was forgotten and were heard before, with their histories and proposals."""
    if not limits:
        return 0
    with bind(project_id):
        rows = Fact.objects.in_project(project_id).values_list("id", "scope", "scope_id", "content", "observed_at")
        gone = [
            number
            for number, scope, scope_id, content, heard in rows.iterator(chunk_size=2_000)
            if (until := limits.get(fact_digest(project_id, scope, scope_id, content))) and heard <= until
        ]
    count = 0
    for number in gone:
        with bind(project_id), local_setting("app.erasing", "replay"):
            found = forgotten_rows(project_id, number)
            Proposal.objects.filter(project_id=project_id, id__in=found.proposal_ids).delete()
            facts = Fact.objects.filter(project_id=project_id, id__in=found.fact_ids)
            count += int(facts._raw_delete("default"))
    return count
