"""The facts of the current filter as a file."""

from django.http import HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_POST

from apps.console.hx import ConsoleRequest, project_page, visible_sensitivities
from apps.console.views.facts.asked import shown_state
from apps.core.clock import now
from apps.core.errors import Malformed
from apps.exchange.export import FORMS, rows_of
from apps.facts.actions.export_facts import export_facts


@require_POST
@project_page("facts.export")
def export(request: ConsoleRequest) -> HttpResponse:
    """`/p/<slug>/facts/export`: ``as`` is csv or jsonl, ``list`` the list's query string. Facts above the reader's
    sensitivity are not in the file; what his screen masks is."""
    form = request.POST.get("as", "")
    if form not in FORMS:
        raise Malformed("unknown_choice", "There is no such format.", parameter="as")
    state = shown_state(request)
    wanted = state.wanted(request.project.id, visible_sensitivities(request.actor))
    ids = export_facts(actor=request.actor, project_id=request.project.id, wanted=wanted, form=form)
    mime, write = FORMS[form]
    if form == "jsonl":
        ids.reverse()
    name = f"{request.project.slug}-facts-{now():%Y%m%d-%H%M}.{form}"
    # The rows are read when the view is over.
    return StreamingHttpResponse(
        write(rows_of(request.project.id, ids, wanted.sensitivities)),
        content_type=mime,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )  # type: ignore[return-value]
