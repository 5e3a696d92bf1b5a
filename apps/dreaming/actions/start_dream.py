"""Ask for a run over the facts of one place."""

import hashlib
from dataclasses import dataclass
from datetime import timedelta

from django.db import connection

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.text import normalise
from apps.core.transactions import bind
from apps.dreaming.models import ORIGINS, DreamGate, DreamRun
from apps.dreaming.queries import COOL_DOWN, gate_lets, settings_of
from apps.dreaming.states import OPEN
from apps.facts.models import SCOPES
from apps.facts.once import require_same
from apps.tenancy.models import Project, Subject
from apps.tenancy.queries import find_agent, find_subject
from apps.traces.models import Session, SessionMessage

MANY = {"session", "threshold", "schedule"}
"""Origins that come often: their runs wait until it has been quiet for a while."""


@dataclass(frozen=True)
class Started:
    """``created`` is false where a run of the place waits or goes on already, or the same was asked for before."""

    run: DreamRun
    created: bool


@dataclass(frozen=True)
class Place:
    """A scope with its id, and whom it is about."""

    scope: str
    scope_id: str
    subject: Subject | None = None


def start_dream(
    *,
    actor: Actor,
    project_id: int,
    scope: str,
    scope_id: str = "",
    origin: str = "button",
    dry_run: bool = False,
    session: str = "",
    idempotency_key: str = "",
    asked: bytes = b"",
) -> Started:
    """Queue a run; of one place there is one at a time, and everybody who asks meanwhile gets that one.

    ``session`` is the session whose messages, as they are stored now, the run reads instead of the latest traces. A
    ``dry_run`` ends in a diff that can't be applied. Runs of sessions and schedules begin once nobody asked for a while.
    ``asked`` is a digest of what was asked for under ``idempotency_key``, so that it doesn't stand for something else.
    Raises NotFound for a subject, agent or session that is not there, Invalid for a place that names nobody, and Conflict
    ``gate_closed`` (with ``retry_after``) after three failures in a row, and ``suppressed`` for somebody being erased.
    """
    require(actor, "dreams.start", project_id=project_id)
    if origin not in ORIGINS:
        raise Invalid("unknown_choice", "Not an origin of a run.", pointer="/origin")
    digest = hashlib.sha256(f"{actor.name}\n{idempotency_key}".encode()).digest() if idempotency_key else None
    with bind(project_id):
        before = DreamRun.objects.filter(project_id=project_id, idempotency=digest).first() if digest else None
        if before is not None:
            require_same(before.asked, asked)
            return Started(before, False)
        place = place_of(project_id, scope, scope_id)
        if place.subject is not None:
            _hold(place.subject)
        found, upto = _session(project_id, session)
        chosen = settings_of(project_id)
        wait = timedelta(seconds=chosen.settle_seconds) if origin in MANY else timedelta()
        run = DreamRun(
            project_id=project_id,
            scope=place.scope,
            scope_id=place.scope_id,
            subject=place.subject,
            subject_epoch=place.subject.epoch if place.subject else None,
            session=found,
            message_upto=upto,
            origin=origin,
            requested_by=actor.name,
            idempotency=digest,
            asked=asked or None,
            dry_run=dry_run,
            engine=chosen.engine,
            model=chosen.model,
            not_before=now() + wait if wait else None,
            max_tokens=chosen.max_tokens,
            max_seconds=chosen.max_seconds,
        )
        standing = _standing(project_id, place)
        if standing is not None:
            return Started(_put_off(standing, run, wait), False)
        _pass_gate(project_id, place)
        # Two at once: the second waits on the index, and finds the first one's run.
        if not _inserted(run):
            other = (
                _standing(project_id, place)
                or DreamRun.objects.filter(project_id=project_id, idempotency=digest).first()
            )
            if other is None:
                raise Conflict("wrong_state", "Another run of this place has just ended; try again.")
            return Started(other, False)
        record(
            actor=actor,
            verb="dreams.start",
            object_type="dream_run",
            object_id=run.id,
            data={"scope": run.scope, "origin": origin, "engine": run.engine, "dry_run": dry_run},
        )
    return Started(run, True)


def place_of(project_id: int, scope: str, scope_id: str) -> Place:
    """The place a scope and an id mean. Raises NotFound and Invalid. The project is bound."""
    name = scope_id.strip()
    if scope not in SCOPES:
        raise Invalid("unknown_choice", "Not a scope.", pointer="/scope")
    if scope == "project":
        return Place(scope, Project.objects.get(id=project_id).slug)
    if not normalise(name) or name == "*" or len(name) > 255:
        raise Invalid("subject_required", "Say whose facts the run is over.", pointer="/scope_id")
    if scope == "user":
        subject = find_subject(project_id=project_id, external_id=name)
        if subject is None:
            raise NotFound("not_found", "There is no such subject in this project.")
        return Place(scope, subject.external_id, subject)
    if scope == "agent":
        agent = find_agent(project_id=project_id, name_or_id=name)
        if agent is None:
            raise NotFound("not_found", "There is no such agent in this project.")
        return Place(scope, agent.name)
    return Place(scope, name)


def _hold(subject: Subject) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT suppressed_at FROM tenancy_subject WHERE project_id = %s AND id = %s FOR SHARE",
            [subject.project_id, subject.id],
        )
        row = cursor.fetchone()
    if row is None:
        raise NotFound("not_found", "There is no such subject in this project.")
    if row[0] is not None:
        raise Conflict("suppressed", "This subject is being erased; nothing about them is dreamed.")


def _session(project_id: int, name: str) -> tuple[Session | None, int | None]:
    if not name:
        return None, None
    session = Session.objects.filter(project_id=project_id, external_id=name).first()
    if session is None:
        raise NotFound("not_found", "There is no such session in this project.")
    rows = SessionMessage.objects.filter(project_id=project_id, session=session)
    return session, rows.order_by("-id").values_list("id", flat=True).first()


def _standing(project_id: int, place: Place) -> DreamRun | None:
    return (
        DreamRun.objects.select_for_update()
        .filter(project_id=project_id, scope=place.scope, scope_id=place.scope_id, state__in=sorted(OPEN))
        .first()
    )


def _put_off(standing: DreamRun, wanted: DreamRun, wait: timedelta) -> DreamRun:
    """A run that has not begun reads what is newest, and waits for quiet as long as nobody pressed a button."""
    if standing.state != "queued":
        return standing
    if wanted.session_id is not None:
        standing.session_id, standing.message_upto = wanted.session_id, wanted.message_upto
    latest = standing.created_at + 10 * wait
    if wait and standing.not_before is not None:
        standing.not_before = max(standing.not_before, min(now() + wait, latest))
    elif not wait:
        standing.not_before = None
    standing.save(update_fields=["session", "message_upto", "not_before"])
    return standing


def _pass_gate(project_id: int, place: Place) -> None:
    gate = (
        DreamGate.objects.select_for_update()
        .filter(project_id=project_id, scope=place.scope, scope_id=place.scope_id)
        .first()
    )
    if not gate_lets(gate):
        raise Conflict(
            "gate_closed",
            f"The last {gate.failures if gate else 0} runs of this place failed. It is left alone for a while; a person may"
            " open it again.",
            retry_after=int(COOL_DOWN.total_seconds()),
        )
    if gate is not None and gate.closed_at is not None:
        gate.trial_at = now()
        gate.save(update_fields=["trial_at"])


def _inserted(run: DreamRun) -> bool:
    columns = [field for field in DreamRun._meta.concrete_fields if field.attname not in {"id", "created_at"}]
    names = ", ".join(connection.ops.quote_name(str(field.column)) for field in columns)
    values = [field.get_db_prep_save(getattr(run, field.attname), connection) for field in columns]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO dreaming_dreamrun ({names}) VALUES ({', '.join(['%s'] * len(values))})"  # noqa: S608
            " ON CONFLICT DO NOTHING RETURNING id, created_at",
            values,
        )
        row = cursor.fetchone()
    if row:
        run.id, run.created_at = row
        run._state.adding = False
    return row is not None
