"""Lists for agents' back ends: the facts a key may know, page by page, and those that were withdrawn."""

from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse, QueryDict

from apps.access.actor import Actor
from apps.access.models import SENSITIVITIES, ApiKey
from apps.access.policies import require
from apps.access.queries import actor_for_key
from apps.api.auth import key_of
from apps.api.views import reading
from apps.core.errors import Invalid
from apps.core.fields import query_choice, query_int, query_only, query_text
from apps.core.transactions import bind
from apps.curation.waiting import own_statements
from apps.facts.models import SCOPES, SOURCES
from apps.facts.queries import FactFilter
from apps.recall.listing import OPEN_SCOPES, Wanted, epoch, list_facts, revocations
from apps.recall.queries import reader_for
from apps.tenancy.queries import find_subject

ORDERS = ("added", "said")
STATUSES = ("in-force", "current", "all")
LIST = (
    "agent_id", "user_id", "scope", "scope_id", "source", "category", "memory_type", "sensitivity", "attribute", "q",
    "status", "updated_since", "max_age_days", "purpose", "task_type", "limit", "cursor", "count", "label", "keyed", "order", "waiting",
)  # fmt: skip
REVOCATIONS = ("since", "limit", "cursor")


def listing(request: HttpRequest) -> HttpResponse:
    """The facts the key may know, newest first, or in the order of their changes with `updated_since`."""
    key, actor = _reader(request)
    params, known = request.GET, epoch()
    query_only(params, LIST)
    status = query_choice(params, "status", "in-force", STATUSES)
    if status != "in-force":
        # Words that are held or over are told to nobody who only reads.
        require(actor, "facts.history", project_id=key.project_id)
    by_said = query_choice(params, "order", "added", ORDERS) == "said"
    if by_said and status == "all":
        raise Invalid("unknown_choice", "In the order of what was said nothing closed is listed.", parameter="order")
    answer = list_facts(
        reading.reader_of(params, actor, key, ""),
        Wanted(
            filter=_filter(request, actor, key),
            agent=reading.single(params, "agent_id"),
            status=status,
            updated_since=reading.moment(params, "updated_since"),
            max_age_days=query_int(params, "max_age_days", None, 1, reading.MOST_DAYS),
            label=query_text(params, "label", "", max_length=255),
            everybody=everybody(params),
            keyed=reading.flag(params, "keyed") if "keyed" in params else None,
            by_said=by_said,
            writer=actor.name if "facts:write" in actor.scopes else "",
        ),
        cursor=reading.single(params, "cursor"),
        limit=query_int(params, "limit", 50, 1, 200),
        count=reading.flag(params, "count"),
    )
    body: dict[str, Any] = {
        "facts": [told(row) for row in answer.page.rows],
        "next": answer.page.older,
        "previous": answer.page.newer,
    }
    if reading.flag(params, "waiting") and not params.get("cursor"):
        body["waiting"] = _waiting(params, actor, key)
    if answer.total is not None:
        body |= {"total": answer.total, "total_is_capped": answer.more}
    return _json(body, known)


def withdrawn(request: HttpRequest) -> HttpResponse:
    """Ids of facts that the key may have been told and that hold no more, since a moment or an epoch; no text."""
    key, actor = _reader(request)
    params, known = request.GET, epoch()
    query_only(params, REVOCATIONS)
    since = reading.moment(params, "since")
    if since is None:
        raise Invalid("required", "Is required.", parameter="since")
    answer = revocations(
        # Ids without a word are for every purpose: a key that is kept to some has to hear of what it was told.
        reader_for(key, "", None, None),
        since,
        users_too="facts:read:user" in actor.scopes,
        cursor=reading.single(params, "cursor"),
        limit=query_int(params, "limit", 1_000, 1, 5_000),
    )
    rows = [{"id": fact_id, "reason": reason, "at": at} for fact_id, reason, at in answer.rows]
    return _json({"revocations": rows, "next": answer.next, "epoch": answer.epoch}, known)


def _reader(request: HttpRequest) -> tuple[ApiKey, Actor]:
    key = key_of(request)
    actor = actor_for_key(key)
    require(actor, "facts.read", project_id=key.project_id)
    return key, actor


def _filter(request: HttpRequest, actor: Actor, key: ApiKey) -> FactFilter:
    params = request.GET
    scope = query_choice(params, "scope", "", SCOPES)
    scope_id = query_text(params, "scope_id", "", max_length=255)
    if everybody(params):
        # All of a scope at once is an act of its own, which nobody does by leaving something out.
        require(actor, "facts.read_everybody", project_id=key.project_id)
        if not scope or "user_id" in params:
            raise Invalid("required", "'*' stands for all of one scope: name it.", parameter="scope")
        scope_id = ""
    elif scope and scope not in OPEN_SCOPES:
        # What was said in a session is as much its user's.
        require(actor, "facts.read_user", project_id=key.project_id)
        named = params.get("user_id") if scope == "user" else scope_id
        if not named:
            parameter = "user_id" if scope == "user" else "scope_id"
            raise Invalid("subject_required", f"Facts of scope {scope} are listed for one id.", parameter=parameter)
    return FactFilter(
        query=query_text(params, "q", "", max_length=500),
        scope=scope,
        scope_id=scope_id.strip(),
        source=query_choice(params, "source", "", SOURCES),
        sensitivity=query_choice(params, "sensitivity", "", SENSITIVITIES),
        attribute=query_text(params, "attribute", "", max_length=60),
    )


def _waiting(params: QueryDict, actor: Actor, key: ApiKey) -> list[dict[str, Any]]:
    """What the key itself wrote that waits for a person, of the list's scope."""
    with bind(key.project_id):
        scope, name = params.get("scope", ""), params.get("scope_id", "").strip()
        if user := params.get("user_id", "").strip():
            subject = find_subject(project_id=key.project_id, external_id=user)
            scope, name = "user", subject.external_id if subject else user
        return own_statements(
            actor, key.project_id, scope=scope, scope_id="" if name == "*" else name, label=params.get("label", "")
        )


def everybody(params: QueryDict) -> bool:
    """Whether all users, sessions or other things of a scope are asked for."""
    return params.get("scope_id", "").strip() == "*"


def told(row: dict[str, Any]) -> dict[str, Any]:
    """A row as JSON: ids named as ids, and what is in dispute said as such."""
    fact = {name: value for name, value in row.items() if name not in {"contested_at", "restricted_at"}}
    fact["contested_since"], fact["held_since"] = row["contested_at"], row["restricted_at"]
    return fact


def _json(body: dict[str, Any], known: str) -> HttpResponse:
    written = orjson.dumps(body, option=orjson.OPT_UTC_Z)
    return HttpResponse(written, content_type="application/json", headers={"X-Facts-Epoch": known})
