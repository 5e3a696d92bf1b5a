"""A new API key, whose text is shown once."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError

from apps.access.actor import Actor
from apps.access.keys import make_key
from apps.access.limits import networks_of, rate_errors
from apps.access.models import SENSITIVITIES, ApiKey
from apps.access.policies import require
from apps.access.scopes import SCOPES
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Conflict, FieldError, Invalid
from apps.core.text import normalise
from apps.core.transactions import bind, unit
from apps.tenancy.models import Agent

DEFAULT_LIFE = timedelta(days=90)
LONGEST_LIFE = timedelta(days=365)


def issue_key(
    *,
    actor: Actor,
    project_id: int,
    name: str,
    scopes: list[str],
    agents: list[UUID] | None = None,
    categories: list[str] | None = None,
    purposes: list[str] | None = None,
    sensitivity_ceiling: str = "personal",
    write_mode: str = "propose",
    rate_per_minute: int | None = None,
    ip_allow: list[str] | None = None,
    expires_at: datetime | None = None,
    idempotency_key: str | None = None,
) -> tuple[ApiKey, str]:
    """Make a key and return it with its text, which is nowhere stored.

    ``agents``, ``categories``, ``purposes``, ``ip_allow``: None allows all, an empty list none. ``ip_allow`` are addresses
    and networks; without ``rate_per_minute`` nothing is counted. A key lives 90 days unless
    ``expires_at`` says otherwise, 365 at most. ``idempotency_key`` names the wish (up to 64 characters). Raises Invalid
    with one error a field, and Conflict ``made_before`` for a wish that is sent again, at the same moment or later: its
    key can't be shown a second time.
    """
    require(actor, "keys.issue", project_id=project_id)
    at = now()
    expires_at = expires_at or at + DEFAULT_LIFE
    errors = []
    if not normalise(name) or len(name) > 120:
        errors.append(FieldError("blank", "A key needs a name of 1 to 120 characters.", pointer="/name"))
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        errors.append(FieldError("unknown_scope", "Choose at least one of the known scopes.", pointer="/scopes"))
    if sensitivity_ceiling not in SENSITIVITIES:
        errors.append(FieldError("unknown_choice", "Not a sensitivity.", pointer="/sensitivity_ceiling"))
    if write_mode not in {"direct", "propose"}:
        errors.append(FieldError("unknown_choice", "Not a write mode.", pointer="/write_mode"))
    for field, words in (("categories", categories), ("purposes", purposes)):
        if words is not None and not all(normalise(word) and len(word) <= 60 for word in words):
            errors.append(FieldError("blank", "Names of 1 to 60 characters each.", pointer=f"/{field}"))
    networks, wrong = networks_of(ip_allow)
    errors += wrong + rate_errors(rate_per_minute)
    if not at < expires_at <= at + LONGEST_LIFE:
        errors.append(FieldError("out_of_range", "A key ends in the future, within 365 days.", pointer="/expires_at"))
    if errors:
        raise Invalid("invalid_key_request", "The key can't be made as asked.", errors=errors)
    with bind(project_id):
        if agents:
            known = set(Agent.objects.filter(project_id=project_id, id__in=agents).values_list("id", flat=True))
            if known != set(agents):
                raise Invalid("unknown_agent", "An agent of the list is not in this project.", pointer="/agents")
        key, text = make(
            project_id=project_id,
            name=name.strip(),
            scopes=sorted(set(scopes)),
            agents=agents,
            categories=categories,
            purposes=purposes,
            sensitivity_ceiling=sensitivity_ceiling,
            write_mode=write_mode,
            rate_per_minute=rate_per_minute,
            ip_allow=networks,
            created_by_id=int(actor.id) if actor.kind == "user" else None,
            expires_at=expires_at,
            idempotency_key=idempotency_key,
        )
        record(
            actor=actor,
            verb="keys.issue",
            object_type="key",
            object_id=key.id,
            data={"public_id": key.public_id, "scopes": key.scopes, "expires_at": expires_at.isoformat()},
        )
    return key, text


def make(**columns: Any) -> tuple[ApiKey, str]:
    """The row of a new key and its text. Raises Conflict ``made_before``."""
    new = make_key()
    try:
        with unit():
            key = ApiKey.objects.create(public_id=new.public_id, secret_hash=new.secret_hash, **columns)
    except IntegrityError as error:
        if "access_apikey_wish_uniq" not in str(error):
            raise
        detail = "This key was made before. Its text was shown then and can't be shown again."
        raise Conflict("made_before", detail) from error
    return key, new.text
