"""What an agent is told. A plain view: SQL built the JSON, and it goes out as it came."""

import re

from django.http import HttpRequest, HttpResponse, QueryDict

from apps.access.actor import Actor
from apps.access.models import ApiKey
from apps.access.policies import Refused, require
from apps.access.queries import actor_for_key
from apps.api.auth import key_of
from apps.core.errors import Invalid, NotFound
from apps.core.fields import query_int, query_text
from apps.core.text import normalise
from apps.recall.queries import reader_for, told_facts
from apps.recall.question import question_of

# Clients print small numbers as 1e-05.
_NUMBER = re.compile(r"[0-9]{1,18}(\.[0-9]{1,18})?(e[+-]?[0-9]{1,3})?", re.IGNORECASE)


def facts(request: HttpRequest) -> HttpResponse:
    """The facts for `agent_id`, by id or unique name; a user's own only when the read names him and the key may.

    Parameters that nobody here knows are ignored, so that newer clients can be answered; one that is known may stand
    once.
    """
    key = key_of(request)
    actor = actor_for_key(key)
    require(actor, "facts.read", project_id=key.project_id)
    params = request.GET
    agent = _required(params, "agent_id")
    user = _user(params, actor, key)
    purpose = _purpose(params, actor, key)
    threshold = _threshold(params)
    limit = query_int(params, "limit", 50, 1, 200)
    category = query_text(params, "category", None, max_length=60, allow_blank=False)
    answer = told_facts(
        reader_for(key, agent, user, category, purpose),
        question_of(key.project_id, _query(params)),
        limit=limit,
        threshold=threshold,
    )
    if answer is None:
        raise NotFound("not_found", "There is no such agent.")
    return HttpResponse(answer, content_type="application/json")


def _single(params: QueryDict, name: str) -> str | None:
    """The parameter as it was sent: what the user typed is matched or searched, never judged."""
    sent = params.getlist(name)
    if len(sent) > 1:
        raise Invalid("repeated_parameter", "May be given once only.", parameter=name)
    return sent[0] if sent else None


def _required(params: QueryDict, name: str) -> str:
    value = (_single(params, name) or "").strip()
    if not value:
        raise Invalid("required", "Is required.", parameter=name)
    return value


def _user(params: QueryDict, actor: Actor, key: ApiKey) -> str | None:
    user = _single(params, "user_id")
    if user is None:
        return None
    require(actor, "facts.read_user", project_id=key.project_id)
    if not normalise(user) or user.strip() == "*":
        # Blank would mean nobody or everybody, `*` everybody: neither is a user.
        raise Invalid("subject_required", "Has to name one user.", parameter="user_id")
    if len(user) > 255:
        raise Invalid("too_long", "May have at most 255 characters.", parameter="user_id")
    return user


def _query(params: QueryDict) -> str | None:
    query = _single(params, "query")
    return query if query and normalise(query) else None


def _purpose(params: QueryDict, actor: Actor, key: ApiKey) -> str:
    purpose: str = query_text(params, "purpose", "", max_length=60)
    if key.purposes is not None and purpose not in key.purposes:
        raise Refused(actor, "facts.read", "This key may not read for this purpose.", key.project_id)
    return purpose


def _threshold(params: QueryDict) -> float:
    sent = _single(params, "score_threshold")
    if sent is None:
        return 0.0
    if not (_NUMBER.fullmatch(sent) and 0 <= float(sent) <= 1):
        raise Invalid("out_of_range", "Has to be a number from 0 to 1.", parameter="score_threshold")
    return float(sent)
