"""Learn from stored traces: queue them for the workers."""

from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.console.forms.extraction import LearnForm
from apps.console.hx import ConsoleRequest, done, project_page, wants_fragment
from apps.console.queries import agent_names
from apps.console.shaping.extraction import reader_in_words
from apps.core.clock import now
from apps.extraction.actions.queue_stored import MOST, queue_stored
from apps.extraction.ledger import signature_of, stored_count
from apps.extraction.queries import settings_of

DAY = timedelta(hours=24)
LOOKED_AT = 50
"""So many traces are looked at, the newest, for those that are still to be read."""


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("traces.extract")
def learn(request: ConsoleRequest) -> HttpResponse:
    """GET: which ones; how many there are is the part ``owed``, which loads by itself and is in the page with ``count``.
    POST: queue them; nothing is mined inside the request."""
    if wants_fragment(request, "owed"):
        return render(request, "console/traces/_owed.html", _owed(request))
    project, agents = request.project, agent_names(request.project.id)
    list_url = reverse("traces", args=[project.slug])
    form = LearnForm(agents, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        since = now() - timedelta(hours=form.cleaned_data["hours"])
        count = queue_stored(actor=request.actor, project_id=project.id, since=since, agent_id=form.agent_id())
        if not count:
            return done(request, list_url, "Nothing to do: the present extractor has read all of them, or is about to.")
        traces = "One trace is" if count == 1 else f"{count:,} traces are"
        more = " Do it again for the rest." if count == MOST else ""
        return done(request, list_url, f"{traces} queued and will be read in a moment.{more}")
    context = _owed(request) if request.GET.get("count") else {"present": signature_of(settings_of(project.id))}
    present = context["present"]
    context |= {
        "form": form,
        "list_url": list_url,
        "extractor": reader_in_words(present.extractor, present.version, present.model),
        "most": MOST,
    }
    return render(request, "console/traces/learn.html", context, status=422 if form.errors else 200)


def _owed(request: ConsoleRequest) -> dict[str, Any]:
    present = signature_of(settings_of(request.project.id))
    waiting = stored_count(request.project.id, present, since=now() - DAY, among=LOOKED_AT)
    return {"present": present, "counted": True, "waiting": waiting, "looked_at": LOOKED_AT}
