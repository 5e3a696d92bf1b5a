"""Store what an agent's working memory held, message by message."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, FieldError, Invalid
from apps.core.text import normalise, storable
from apps.core.transactions import bind
from apps.screening.screen import mask_json
from apps.tenancy.actions.resolve_subject import resolve_subject
from apps.tenancy.models import Subject
from apps.tenancy.tombstones import buried, subject_digest
from apps.traces.models import SESSION_ROLES, Session, SessionMessage

MOST = 1_000
"""Messages of one call."""
LONGEST = 200_000
"""Code points of a message."""


@dataclass(frozen=True, kw_only=True)
class NewMessage:
    """``external_id`` is the client's own name for it within the session; ``stands_for`` those of the messages that a
    summary replaces."""

    external_id: str
    role: str
    content: str
    at: datetime | None = None
    stands_for: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kept:
    """``new`` of them were not there before; ``masked`` secrets were masked; ``dropped`` were said before somebody was
    erased, and come back no more."""

    session: Session
    new: int
    masked: int
    dropped: int


def add_session_messages(
    *, actor: Actor, project_id: int, session: str, messages: Sequence[NewMessage], user_id: str = ""
) -> Kept:
    """Append what is new, in the order given; a repeat of a name within the session changes nothing. The session is made
    where there is none. Secrets are masked before anything is stored.

    Raises Invalid with one error for each bad field, and Conflict ``suppressed`` while the user is being erased.
    """
    require(actor, "sessions.write", project_id=project_id)
    name = session.strip()
    _check(name, messages)
    with bind(project_id):
        subject = _subject(project_id, user_id)
        at, came = now(), len(messages)
        if subject is not None:
            digest = subject_digest(project_id, "user", subject.external_id)
            messages = [one for one in messages if not buried(project_id, [(digest, one.at or at)])]
        Session.objects.bulk_create(
            [Session(project_id=project_id, external_id=name, subject=subject)], ignore_conflicts=True
        )
        found = Session.objects.select_for_update().get(project_id=project_id, external_id=name)
        if found.subject_id is None and subject is not None:
            found.subject = subject
            found.save(update_fields=["subject"])
        ids = dict(SessionMessage.objects.filter(project_id=project_id, session=found).values_list("external_id", "id"))
        masked = new = 0
        for one in messages:
            if one.external_id in ids:
                continue
            content, count, _ = mask_json(storable(one.content)[0])
            row = SessionMessage.objects.create(
                project_id=project_id,
                session=found,
                subject_id=subject.id if subject else found.subject_id,
                external_id=one.external_id,
                role=one.role,
                content=content,
                stands_for=[ids[before] for before in one.stands_for if before in ids],
                at=one.at or at,
            )
            ids[one.external_id] = row.id
            masked, new = masked + count, new + 1
        if new:
            data = {"messages": new, "masked": masked}
            record(actor=actor, verb="sessions.write", object_type="session", object_id=found.id, data=data)
    return Kept(found, new, masked, came - len(messages))


def _subject(project_id: int, user_id: str) -> Subject | None:
    if not normalise(user_id):
        return None
    subject = resolve_subject(project_id=project_id, external_id=user_id)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT suppressed_at FROM tenancy_subject WHERE project_id = %s AND id = %s FOR SHARE",
            [project_id, subject.id],
        )
        row = cursor.fetchone()
    if row is None or row[0] is not None:
        raise Conflict("suppressed", "This user is being erased; nothing about them is kept.")
    return subject


def _check(name: str, messages: Sequence[NewMessage]) -> None:
    errors = []
    if not normalise(name) or len(name) > 255:
        errors.append(FieldError("blank", "A session has a name of 1 to 255 characters.", pointer="/session"))
    if not 1 <= len(messages) <= MOST:
        errors.append(FieldError("out_of_range", f"Between 1 and {MOST:,} messages at once.", pointer="/messages"))
    for place, one in enumerate(messages[:MOST]):
        where = f"/messages/{place}"
        if one.role not in SESSION_ROLES:
            errors.append(FieldError("unknown_choice", "Not a role.", pointer=f"{where}/role"))
        if not normalise(one.external_id) or len(one.external_id) > 120:
            errors.append(FieldError("blank", "A message has a name of 1 to 120 characters.", pointer=f"{where}/id"))
        if len(one.content) > LONGEST:
            errors.append(
                FieldError("too_long", f"A message has at most {LONGEST:,} characters.", pointer=f"{where}/content")
            )
        if one.stands_for and one.role != "summary":
            errors.append(
                FieldError("not_a_summary", "Only a summary stands for messages.", pointer=f"{where}/stands_for")
            )
    if errors:
        raise Invalid("invalid_messages", "The messages can't be stored as they are.", errors=errors)
