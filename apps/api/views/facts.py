"""What an agent is told. A plain view: SQL built the JSON, and it goes out as it came."""

from django.http import HttpRequest, HttpResponse

from apps.access.policies import require
from apps.access.queries import actor_for_key
from apps.api.auth import key_of
from apps.api.views import reading
from apps.core.errors import NotFound
from apps.core.fields import query_int
from apps.recall.listing import epoch
from apps.recall.queries import for_purposes, told_facts
from apps.recall.question import question_of


def facts(request: HttpRequest) -> HttpResponse:
    """The facts for `agent_id`, by id or unique name; a user's own only when the read names him and the key may.

    Parameters that nobody here knows are ignored, so that newer clients can be answered; one that is known may stand
    once.
    """
    key = key_of(request)
    actor = actor_for_key(key)
    require(actor, "facts.read", project_id=key.project_id)
    params, known = request.GET, epoch()
    reader = reading.reader_of(params, actor, key, reading.required(params, "agent_id"))
    threshold = reading.threshold(params)
    limit = query_int(params, "limit", 50, 1, 200)
    explained = reading.flag(params, "explain")
    if explained:
        require(actor, "facts.explain", project_id=key.project_id)
    answer = told_facts(
        reader,
        question_of(key.project_id, reading.query(params)),
        limit=limit,
        threshold=threshold,
        explained_to=key.allowed_sensitivities if explained else None,
    )
    if answer is None:
        raise NotFound("not_found", "There is no such agent.")
    if explained and key.purposes is not None:
        answer = for_purposes(key.project_id, answer, key.purposes)
    return HttpResponse(answer, content_type="application/json", headers={"X-Facts-Epoch": known})
