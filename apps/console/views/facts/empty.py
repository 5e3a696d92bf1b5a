"""What an empty list says: why it is empty, and the ways on."""

import re
from typing import Any

from django.conf import settings
from django.urls import reverse

from apps.access.policies import allowed
from apps.console.hx import ConsoleRequest
from apps.console.views.facts.state import ListState
from apps.facts.models import Fact

MOST = 100
"""So many superseded ones are counted."""
SNIPPET = """\
import fastaiagent as fa

fa.connect(api_key="mp_…", target="{url}")
agent = fa.Agent(
    name="support",
    llm=fa.LLMClient(provider="openai", model="gpt-4o-mini"),
    memory=fa.Memory(plane_agent_id="support"),
)
agent.run("Remember that our refund window is 30 days.")
"""


def empty_state(request: ConsoleRequest, state: ListState, visible: tuple[str, ...], closed: int) -> dict[str, Any]:
    """``title``, ``text`` and ``actions`` of the partial _empty.html; ``snippet`` where there is no fact at all. ``closed``
    superseded and retired facts would be found, as far as a page looks."""
    slug = request.project.slug
    actions = []
    if state.order == "served":
        actions.append(_action("Show newest first", state.but(sort="").url(slug), primary=True))
        if not state.is_filtered:
            text = "Once agents read, what they are told stands here, the most often told first."
            return {"icon": "facts", "title": "No fact was told yet", "text": text, "actions": actions}
    if not state.is_filtered and not closed:
        return _nothing_yet(request, slug)
    if closed:
        actions.append(_action(_show(closed), state.but(superseded="1").url(slug), primary=True))
    if not state.is_filtered:
        text = "What this project knew was replaced or retired."
        return {"icon": "history", "title": "No current facts", "text": text, "actions": actions}
    actions += _by_number(request, state, visible)
    narrowed_otherwise = state.but(q="").is_filtered
    if state.q:
        actions.append(_action("Clear search", state.but(q="").url(slug)))
    if narrowed_otherwise and state.q:
        actions.append(_action("Search everywhere", state.cleared(q=state.q).url(slug)))
    elif narrowed_otherwise:
        actions.append(_action("Clear filters", state.cleared().url(slug)))
    return {"icon": "search", "title": "No fact matches", "text": f"Asked for: {in_words(state)}.", "actions": actions}


def in_words(state: ListState) -> str:
    """The filter as a phrase: ``current facts of the user alice that say “refund”``."""
    phrase = (
        f"{state.status} facts"
        if state.status
        else "facts, superseded ones too,"
        if state.superseded
        else "current facts"
    )
    if state.scope_id:
        phrase += f" of {state.scope or 'the id'} {state.scope_id}"
    elif state.scope:
        phrase += f" of scope {state.scope}"
    several = {
        " with source ": state.source,
        " in category ": state.category,
        " of type ": state.type,
        " marked ": state.sensitivity,
    }
    phrase += "".join(f"{words}{' or '.join(values)}" for words, values in several.items() if values)
    if state.conf_min or state.conf_max:
        phrase += f" with a confidence of {state.conf_min or '0'} to {state.conf_max or '1'}"
    if state.expiring:
        phrase += f" that expire within {state.expiring} days"
    if state.served:
        told = "no read has told" if state.served == "never" else f"were told in {state.served} days"
        phrase += f" that {told}" + (" and" if state.q else "")
    say = "are near in meaning to" if state.by_meaning else "say"
    return f"{phrase} that {say} “{state.q}”" if state.q else phrase.rstrip(",")


def _nothing_yet(request: ConsoleRequest, slug: str) -> dict[str, Any]:
    actor = request.actor
    actions = []
    if allowed(actor, "facts.add"):
        actions.append(_action("Add one by hand", reverse("fact-new", args=[slug]), primary=True))
    if allowed(actor, "keys.issue"):
        actions.append(_action("Make an API key", reverse("key-new", args=[slug])))
    text = "What your agents hear waits in Review; what you approve there is here."
    if not allowed(actor, "facts.read_personal"):
        text = "None that your role may see. Personal facts are for the roles curator and privacy officer."
    return {
        "icon": "facts",
        "title": "No facts yet",
        "text": text,
        "actions": actions,
        "snippet": SNIPPET.format(url=settings.PUBLIC_URL),
    }


def _by_number(request: ConsoleRequest, state: ListState, visible: tuple[str, ...]) -> list[dict[str, Any]]:
    # People name facts by number, which is in no text.
    number = re.fullmatch(r"#?([0-9]{1,18})", state.q)
    if number is None:
        return []
    fact = Fact.objects.in_project(request.project.id).filter(id=int(number[1]), sensitivity__in=visible).first()
    if fact is None:
        return []
    return [_action(f"Open fact #{fact.id}", reverse("fact", args=[request.project.slug, fact.id]), primary=True)]


def _show(closed: int) -> str:
    if closed == 1:
        return "1 superseded fact matches. Show it"
    return f"{min(closed, MOST):,}{'+' if closed >= MOST else ''} superseded facts match. Show them"


def _action(label: str, href: str, *, primary: bool = False) -> dict[str, Any]:
    return {"label": label, "href": href, "primary": primary}
