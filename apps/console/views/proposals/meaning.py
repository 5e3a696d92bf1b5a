"""What is near a proposal in meaning: a part of its own, because an embedder may have to be asked."""

import re
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.console.hx import ConsoleRequest, project_page, visible_sensitivities, wants_fragment
from apps.console.shaping.degraded import why_degraded
from apps.console.views.proposals.answers import the_proposal
from apps.curation.nearest import near_in_meaning

SHOWN = 3
LEFT_OUT = 50


@require_safe
@project_page("proposals.read")
def meaning(request: ConsoleRequest, proposal_id: UUID) -> HttpResponse:
    """`/p/<slug>/review/<id>/meaning`: the facts of its place that say nearly what it says. ``without`` are numbers of facts
    that stand beside it already. The part ``meant`` of its page loads by itself; without scripts it is a page."""
    proposal = the_proposal(request, proposal_id)
    beside = re.findall(r"[0-9]{1,18}", request.GET.get("without", ""))[:LEFT_OUT]
    found = near_in_meaning(
        request.project.id,
        scope=proposal.scope,
        scope_id=proposal.scope_id,
        text=proposal.content,
        seen=visible_sensitivities(request.actor),
        without=[int(number) for number in beside],
        limit=SHOWN,
    )
    slug = request.project.slug
    context = {
        "slug": slug,
        "proposal": proposal,
        "near": found.facts,
        "newest": found.newest,
        "lacks": why_degraded(found.degraded),
        "back": reverse("proposal", args=[slug, proposal.id]),
    }
    name = "_meaning" if wants_fragment(request, "meant") else "meaning"
    return render(request, f"console/review/{name}.html", context)
