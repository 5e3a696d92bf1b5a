"""Each view of a project asked for by somebody of another, and what shows that a wall is down.

A view is a route with a method. `views` names every one with its tries; a `Watch` asks them while some wall is down and says
what it sees, beside what the same try was answered with all walls up.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from django.http import HttpResponse

from tests.api.helpers import get
from tests.isolation.mutating import Done, undone
from tests.isolation.swapping import (
    HOSTED_BODIES,
    NAMING,
    NOBODY,
    Asked,
    Request,
    ask_console,
    ask_hosted,
    foreign_values,
    nobodys,
    parts_of,
    steady,
    swapped,
)
from tests.isolation.world import Tenant, api_reads
from tests.routes import API, CONSOLE, HOSTED, methods_of

CONSOLE_VIEWS = [
    (route, method)
    for route, methods in CONSOLE.items()
    if route.startswith(("p/<slug:slug>", "next/"))
    for method in methods
]
NAMED = ("fact_id", "proposal_id", "view_id", "group_id", "seen")
"""What a form names beside what its address does."""
BREAKS = "it broke: more was found than there is"
MOVES = "a row of the other project moved"
TELLS = "the other project's canary"
FINDS = "answered otherwise than what is not there"
DIFFERS = "answered otherwise than with its filters"
COUNTS = "left other rows of its own than with its filters"

# What a read says of the moment at which it is asked, and what a form is known by.
_MOMENTS = re.compile(r"\b\d+ (?:s|min|h)\b|\d{4}-\d\d-\d\dT[\d:.+Z]+|(?<=name=\"nonce\" value=\")[^\"]+")

# What is new by its words, said in the words that the other project has already: there it is known, here it is not.
SAME_WORDS: dict[str, list[Request]] = {
    "facts": [
        Request("POST", "facts", body='{"scope":"agent","scope_id":"{own_agent}","content":"The {canary} sleeps at noon."}'),
        Request("POST", "facts", body='{"scope":"project","content":"The office keeps a {canary}."}'),
        Request("POST", "facts", body='{"scope":"user","scope_id":"{user}","content":"Feeds a {canary} at home."}'),
    ],
    "memories": [
        Request("PUT", "memories", body='{"agent":"{own_agent}","scope":"user:{user}","key":"{key}","value":{"is":"else"}}'),
        Request("PUT", "memories", body='{"agent":"{agent}","scope":"user:{user}","key":"{key}","value":{"is":"else"}}'),
    ],
    "sdk/agents": [Request("POST", "sdk/agents", body='{"name":"{agent}"}')],
    "governance/enroll": [Request("POST", "governance/enroll", body='{"instance_id":"{instance}"}')],
    "privacy/requests": [Request("POST", "privacy/requests", body='{"kind":"access","user_id":"{user}"}')],
    "sessions/<path:session_id>/messages": [
        Request("POST", "sessions/{session}/messages", body='{"messages":[{"id":"1","role":"user","content":"Hello {canary}."}]}')
    ],
    "traces/ingest": [Request("POST", "traces/ingest", body='{"spans":{spans}}')],
    "traces": [Request("POST", "traces", body='{"resourceSpans":[{"scopeSpans":[{"spans":[{otlp_span}]}]}]}')],
    "keys/revoke": [Request("POST", "keys/revoke", body="{}")],
}  # fmt: skip


@dataclass(frozen=True)
class Try:
    """One request. ``nobody`` is the same with ids that nobody has; ``door``: it is asked in the other project's own address;
    ``echoes``: the other's word comes back because it was sent."""

    name: str
    act: Callable[[], HttpResponse]
    nobody: Callable[[], HttpResponse] | None = None
    door: bool = False
    echoes: bool = False


@dataclass(frozen=True)
class View:
    """A method and a route."""

    name: str
    tries: tuple[Try, ...]


Answer = tuple[int, str, dict[str, int]]
"""Status, what a read says of the project itself, and how many rows of it came or went, by table."""


@dataclass
class Watch:
    """``known`` is what each try was answered while only the row security was away."""

    mine: Tenant
    theirs: Tenant
    known: dict[tuple[str, str], Answer] = field(default_factory=dict)

    def learn(self, view: View) -> str:
        """The answers of this view from now on, and what already shows something; "" for nothing."""
        found = ""
        for one in view.tries:
            done = self._done(one.act)
            self.known[view.name, one.name] = _answer(view, done)
            if plain := self._plainly(one, done):
                found = found or f"{plain} ({one.name})"
        return found

    def seen(self, view: View, *, door: bool = False) -> str:
        """What the first try shows that shows something; "" for nothing."""
        for one in view.tries:
            if one.door is door:
                done = self._done(one.act)
                if found := self._plainly(one, done) or self._beside(
                    self.known[view.name, one.name], _answer(view, done)
                ):
                    return f"{found} ({one.name})"
        return ""

    def _plainly(self, one: Try, done: Done) -> str:
        if done.moved:
            return MOVES
        if done.status == 0 or done.status >= 500:
            return BREAKS
        if done.holds(self.theirs.canary) and not one.echoes:
            return TELLS
        if one.nobody is not None and self._done(one.nobody).status != done.status:
            return FINDS
        return ""

    def _beside(self, before: Answer, after: Answer) -> str:
        return "" if before == after else DIFFERS if before[:2] != after[:2] else COUNTS

    def _done(self, act: Callable[[], HttpResponse]) -> Done:
        return undone(act, self.mine.project.id, self.theirs.project.id)


def _answer(view: View, done: Done) -> Answer:
    # Of a page what stands in its frame is the same on all of them, and shows nothing of the view.
    body = done.body[max(done.body.find("<main"), 0) :] if view.name.startswith("GET") else ""
    return done.status, _MOMENTS.sub("#", steady(body)), done.grown


def views(mine: Tenant, theirs: Tenant, token: str) -> Iterator[View]:
    """Every view with its tries; ``token`` is of a person of the first project, for the hosted routes."""
    for route, method in CONSOLE_VIEWS:
        yield View(f"{method} /{route}", tuple(_of_console(mine, theirs, route, method)))
    reads: dict[str, list[Try]] = {}
    for number, one in enumerate((mine, theirs)):
        for path in api_reads(one):
            tries = reads.setdefault(_route_of(path), [])
            whose = "own" if number == 0 else "the other's names"
            tries.append(Try(f"{whose} {len(tries)}", partial(get, path, mine.keys["direct"], prefix="/v1/")))
    for route, row in API.items():
        for method in (one.method for one in methods_of(row)):
            tries = list(reads.get(route, [])) if method == "GET" else []
            for number, request in enumerate([*NAMING.get(route, []), *SAME_WORDS.get(route, [])]):
                if request.method == method:
                    tries.append(_swap(f"names {number}", request, mine, theirs))
            yield View(f"{method} /v1/{route}", tuple(tries))
    for route, (method, _) in HOSTED.items():
        if route in HOSTED_BODIES:
            ids = {name: nobodys(name) for name in ("domain_id", "agent_id", "fact_id")}
            ask = partial(ask_hosted, token, method, route)
            named = {
                "the other's": theirs.values,
                "own, but for the fact": mine.values | {"fact_id": theirs.values["fact_id"]},
            }
            yield View(
                f"{method} /api/v1/{route}",
                tuple(
                    Try(what, partial(ask, values), partial(ask, ids) if what == "the other's" else None)
                    for what, values in named.items()
                ),
            )


def _of_console(mine: Tenant, theirs: Tenant, route: str, method: str) -> Iterator[Try]:
    asked, slug = Asked(route, method), mine.project.slug
    ask = partial(ask_console, mine.browser, asked, slug)
    yield Try("own", partial(ask, mine.values | {"seen": "x"} if method == "GET" else mine.values))
    if parts_of(route):
        nobody = mine.values | {name: nobodys(name) for name in parts_of(route)} | {"seen": "x"}
        yield Try("the other's ids", partial(ask, swapped(route, mine, theirs.values)), partial(ask, nobody))
    if method == "POST":
        yield Try(
            "the other's ids in the form", partial(ask, mine.values | {name: theirs.values[name] for name in NAMED})
        )
    yield Try(
        "the other's address", partial(ask_console, mine.browser, asked, theirs.project.slug, theirs.values), door=True
    )


def _route_of(path: str) -> str:
    name = path.partition("?")[0]
    return re.sub(
        r"^(facts|dreams)/\d+$", lambda found: f"{found[1]}/<int:{'fact' if found[1] == 'facts' else 'run'}_id>", name
    )


def _swap(name: str, request: Request, mine: Tenant, theirs: Tenant) -> Try:
    said = {"session": f"chat-{theirs.canary}", "canary": theirs.canary}
    values = foreign_values(mine, theirs.values | said)
    ask = partial(request.ask, mine.keys["direct"])
    new = request in [one for requests in SAME_WORDS.values() for one in requests]
    return Try(name, partial(ask, values), None if new else partial(ask, foreign_values(mine, NOBODY)), echoes=new)
