"""A project's first page."""

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.access.policies import allowed
from apps.console.context import NAVIGATION
from apps.console.hx import ConsoleRequest, done, project_page
from apps.console.jobs import reading
from apps.console.shaping.connect import snippet
from apps.console.shaping.overview import overview
from apps.insight.actions.mark_seen import mark_seen
from apps.insight.queries import PERIODS

USUAL = 30


@require_safe
@project_page("project.open")
def page(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>?days=7|30|90`: the overview; for somebody whose roles don't open it, the first page that they do."""
    slug = request.project.slug
    if request.actor.closed:
        wipe_url = reverse("settings-wipe", args=[slug]) if allowed(request.actor, "project.read_wipe") else ""
        return render(request, "console/closed.html", {"wipe_url": wipe_url})
    if not allowed(request.actor, "overview.read"):
        pages = [name for _, items in NAVIGATION for name, _, _, _, verb in items if allowed(request.actor, verb)]
        return redirect(pages[0], slug=slug)
    asked = request.GET.get("days", "")
    days = int(asked) if asked in {str(choice) for choice in PERIODS} else USUAL
    shown = overview(request.project, request.actor, days)
    job = reading(request.project) if allowed(request.actor, "traces.read") and not shown.empty else None
    context = {"shown": shown, "job": job, "slug": slug, "may_add": allowed(request.actor, "facts.add")}
    context["may_dream"] = allowed(request.actor, "dreams.start")
    if shown.empty:
        context |= {"snippet": snippet("support"), "may_issue": allowed(request.actor, "keys.issue")}
    return render(request, "console/overview/page.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page("project.open")
def seen(request: ConsoleRequest) -> HttpResponse:
    """POST: from now on, new is what comes after this moment. Anything else leads to the overview."""
    url = reverse("project", args=[request.project.slug])
    if request.method != "POST":
        return HttpResponseRedirect(url)
    mark_seen(actor=request.actor, project_id=request.project.id)
    return done(request, url, "Seen. Next time this page says what came since now.")
