"""Batches of spans. A plain view: a batch is up to 32 MB, and nothing may refuse it that could be dropped instead."""

import orjson
from django.http import HttpRequest, HttpResponse

from apps.access.policies import require
from apps.access.queries import actor_for_key
from apps.api.auth import key_of
from apps.api.parsers import lenient_object
from apps.core.errors import Invalid
from apps.traces.actions.ingest_spans import ingest_spans

MAX_BYTES = 32 * 1024 * 1024


def ingest(request: HttpRequest) -> HttpResponse:
    """201 when spans were new, 200 when all were known. The key decides the project, whatever `project` says."""
    key = key_of(request)
    actor = actor_for_key(key)
    require(actor, "traces.ingest", project_id=key.project_id)
    spans = lenient_object(request, MAX_BYTES, cut=True).get("spans")
    if spans is None:
        raise Invalid("required", "Is required.", pointer="/spans")
    if not isinstance(spans, list):
        raise Invalid("wrong_type", "Has to be a list.", pointer="/spans")
    done = ingest_spans(actor=actor, project_id=key.project_id, spans=spans)
    answer = {
        "ingested": done.ingested,
        "dropped": done.dropped,
        "replaced_characters": done.replaced_characters,
        "differing": done.differing,
        "masked_secrets": done.masked_secrets,
    }
    return HttpResponse(orjson.dumps(answer), status=201 if done.ingested else 200, content_type="application/json")
