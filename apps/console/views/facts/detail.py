"""Everything about one fact: what it says, who is told, where it came from, what became of it."""

from dataclasses import dataclass

from django.urls import reverse

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest, visible_sensitivities
from apps.console.masking import MASKED, hides
from apps.console.shaping.links import scope_url
from apps.console.views.facts.disputed import conflict_url
from apps.console.views.facts.evidence import Quote, quotes_of
from apps.console.views.facts.history import History, history
from apps.console.views.facts.shape import RESTRICTIONS, Tag, status
from apps.console.views.facts.shown import Related, shown_fact
from apps.console.views.facts.state import ListState
from apps.console.views.facts.tellings import Tellings, tellings_of
from apps.curation.queries import told_to
from apps.facts.models import Fact


@dataclass(frozen=True)
class Details:
    """What templates/console/facts/_details.html shows. ``quotes`` is None for a reader who may not read traces;
    ``successor`` is the version in whose favour the fact was closed, as far as the reader may see it;
    ``change_href`` takes what the menu does, with ``list`` as the way back."""

    fact: Fact
    key: str
    status: Tag
    restriction: str
    told_to: str
    approved_by: str
    told: Tellings
    quotes: list[Quote] | None
    more_quotes: int
    history: History
    made_of: list[Related]
    made_into: list[Related]
    successor: Fact | None
    successor_href: str
    conflict_href: str
    scope_href: str
    trace_href: str
    edit_href: str
    change_href: str
    list: str
    history_href: str
    forget_href: str


def visible_fact(request: ConsoleRequest, fact_id: int) -> Fact | None:
    """The fact, unless there is none, the reader may not see it, or it is being erased: all look the same."""
    return (
        Fact.objects.in_project(request.project.id)
        .filter(id=fact_id, sensitivity__in=visible_sensitivities(request.actor))
        .exclude(restricted_reason="erasure")
        .select_related("agent")
        .first()
    )


def details(request: ConsoleRequest, fact_id: int, state: ListState) -> Details | None:
    """The details of a fact, or None where `shown_fact` finds none. ``state`` is the list it was opened from."""
    shown = shown_fact(request, fact_id)
    if shown is None:
        return None
    fact, actor, slug = shown.fact, request.actor, request.project.slug
    visible = visible_sensitivities(actor)
    quotes, more = quotes_of(shown, slug) if allowed(actor, "traces.read") else (None, 0)
    successor = next((one for one in shown.versions if one.id == fact.superseded_by_id), None)
    if successor and successor.sensitivity not in visible:
        successor = None
    links = {name: reverse(name, args=[slug, fact.id]) for name in ("fact-edit", "fact-forget", "fact-history")}
    may_change = fact.is_current and allowed(actor, "facts.handle")
    return Details(
        fact=fact,
        # The key is the beginning of the words.
        key=MASKED if fact.key and hides(fact.sensitivity) else fact.key or "",
        status=status(fact),
        restriction=RESTRICTIONS.get(fact.restricted_reason, ""),
        told_to=told_to(fact.scope, fact.scope_id),
        approved_by=shown.names.get(fact.approved_by, ""),
        told=tellings_of(request, shown),
        quotes=quotes,
        more_quotes=more,
        history=history(request, shown),
        made_of=shown.made_of,
        made_into=shown.made_into,
        successor=successor,
        successor_href=reverse("fact", args=[slug, successor.id]) + state.but(cursor=state.cursor).query()
        if successor
        else "",
        conflict_href=conflict_url(request, fact),
        scope_href=scope_url(slug, fact.scope, fact.scope_id, fact.subject_id),
        trace_href=reverse("trace", args=[slug, fact.source_trace_id])
        if fact.source_trace_id and quotes is not None
        else "",
        edit_href=links["fact-edit"] if fact.is_current and allowed(actor, "facts.revise") else "",
        change_href=reverse("facts-bulk", args=[slug]) if may_change else "",
        list=state.but(cursor=state.cursor, open=str(fact.id)).query(),
        history_href=links["fact-history"] if shown.version_count > 1 else "",
        forget_href=links["fact-forget"] if allowed(actor, "privacy.forget_fact") else "",
    )
