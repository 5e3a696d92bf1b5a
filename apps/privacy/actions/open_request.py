"""Take in what somebody asks about what is remembered of them."""

from collections.abc import Iterable
from datetime import datetime

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Invalid, Malformed
from apps.core.text import normalise, storable
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.privacy.calendar import MONTHS, months_after
from apps.privacy.mentions import Identifier
from apps.privacy.models import IDENTITY_KINDS, IDENTITY_METHODS, PrivacyRequest, RequestIdentity
from apps.privacy.moves import next_number
from apps.privacy.states import FINISHED, KINDS
from apps.recall.clients import within_reach
from apps.recall.queries import Reader
from apps.tenancy.models import SubjectAlias
from apps.tenancy.queries import find_subject
from apps.tenancy.tombstones import subject_digest

MAX_IDENTITIES = 20
MAX_WISH = 4_000


def open_request(
    *,
    actor: Actor,
    project_id: int,
    kind: str,
    external_id: str,
    identities: Iterable[Identifier] = (),
    wish: str = "",
    fact_id: int | None = None,
    correction: str = "",
    identity_method: str = "",
    received_at: datetime | None = None,
    reader: Reader | None = None,
) -> PrivacyRequest:
    """A request about the user of this id, known or not; due a calendar month after it was received.

    ``identities``: up to 20 further ids, addresses and names to look for. ``identity_method`` says how it was checked
    that the person is who she says; empty when that is still to be done. A ``reader`` corrects what it may know of alone. A second open request of the same kind about
    the same person is linked to the first as its duplicate. Raises Malformed ``subject_required`` for an empty id or
    ``*``: nobody is erased by leaving something out; Invalid for anything else.
    """
    require(actor, "privacy.open", project_id=project_id)
    name = storable(external_id)[0].strip()
    if not normalise(name) or name == "*" or len(name) > 255:
        raise Malformed("subject_required", "Name the user: 1 to 255 characters and not '*'.", pointer="/user_id")
    if kind not in KINDS:
        raise Invalid("unknown_choice", f"The kind is one of {', '.join(KINDS)}.", pointer="/kind")
    if identity_method and identity_method not in IDENTITY_METHODS:
        raise Invalid("unknown_choice", "There is no such way to check.", pointer="/identity_method")
    if identity_method and actor.kind != "user":
        raise Invalid("not_by_key", "Only a person can say that somebody's identity was checked.")
    named = _cleaned(identities)
    if len(wish) > MAX_WISH or len(correction) > 2_000:
        raise Invalid("too_long", f"At most {MAX_WISH:,} characters, a correction 2,000.", pointer="/wish")
    received = received_at or now()
    if received > now():
        raise Invalid("in_future", "It can't have been received in the future.", pointer="/received_at")
    with bind(project_id):
        facts = Fact.objects.in_project(project_id) if reader is None else within_reach(reader, actor.name)
        if kind == "correction" and not facts.filter(id=fact_id).exists():
            raise Invalid("unknown_fact", "A correction names the fact that is wrong.", pointer="/fact_id")
        subject = find_subject(project_id=project_id, external_id=name)
        # An alias and the id it leads to are one person.
        digest = subject_digest(project_id, "user", subject.external_id if subject else name)
        # One at a time in a project, so that of two equal requests one is the first.
        number = next_number(project_id)
        ours = PrivacyRequest.objects.filter(project_id=project_id)
        first = ours.filter(kind=kind, subject_digest=digest).exclude(state__in=FINISHED).order_by("number").first()
        if kind == "correction" and first and first.fact_id != fact_id:
            first = None
        request = PrivacyRequest(
            project_id=project_id,
            number=number,
            kind=kind,
            state="duplicate" if first else "triage" if identity_method else "received",
            subject=subject,
            subject_digest=digest,
            wish=storable(wish)[0].strip(),
            fact_id=fact_id if kind == "correction" else None,
            correction=storable(correction)[0].strip() if kind == "correction" else "",
            opened_by=actor.name,
            received_at=received,
            due_at=months_after(received, MONTHS),
            duplicate_of=first,
        )
        if identity_method:
            request.identity_method = identity_method
            request.identity_checked_by, request.identity_checked_at = actor.name, now()
        request.save(force_insert=True)
        own = {name: "user_id"}
        if subject:
            aliases = SubjectAlias.objects.filter(project_id=project_id, subject_id=subject.id)
            own |= {subject.external_id: "user_id"} | dict.fromkeys(
                aliases.values_list("external_id", flat=True), "alias"
            )
        RequestIdentity.objects.bulk_create(
            RequestIdentity(project_id=project_id, request=request, kind=kind_, value=value)
            for value, kind_ in ({item.value: item.kind for item in named} | own).items()
        )
        record(
            actor=actor,
            verb="privacy.open",
            object_type="privacy_request",
            object_id=request.id,
            data={"kind": kind, "number": request.number, "state": request.state, "identities": len(named)},
        )
    return request


def _cleaned(identities: Iterable[Identifier]) -> list[Identifier]:
    found = []
    for place, item in enumerate(identities):
        value = storable(item.value)[0].strip()
        if item.kind not in IDENTITY_KINDS or not normalise(value) or value == "*" or len(value) > 255:
            detail = "An identity has a kind and 1 to 255 characters, and is not '*'."
            raise Invalid("invalid_identity", detail, pointer=f"/identities/{place}")
        found.append(Identifier(item.kind, value))
    if len(found) > MAX_IDENTITIES:
        raise Invalid("too_many", f"At most {MAX_IDENTITIES} identities.", pointer="/identities")
    return found
