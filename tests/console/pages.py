"""Reading the console's pages in tests: what stands in them, without their markup."""

import re
from html import unescape
from typing import Any

from django.http import HttpResponse
from django.test import Client

from apps.access.actor import Actor
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.tenancy.models import Project
from tests.factories import user_actor


def fragment(client: Client, path: str, target: str = "results") -> HttpResponse:
    """What htmx gets for the part `target`."""
    return client.get(path, headers={"HX-Request": "true", "HX-Target": target})


def text(markup: str) -> str:
    """What a reader sees: no tags, white space run together."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", markup))).strip()


def rows(response: HttpResponse) -> list[tuple[int, str]]:
    """The facts of a list: number and text of each row."""
    found = re.findall(r'<tr data-row\s+id="f(\d+)"(.*?)</tr>', response.text, re.DOTALL)
    return [(int(number), text("<tr " + inner).removeprefix(f"Select fact {number} ")) for number, inner in found]


def numbers(response: HttpResponse) -> list[int]:
    return [number for number, _ in rows(response)]


def between(response: HttpResponse, start: str, end: str) -> str:
    """The text from the first `start` to the `end` after it."""
    return text(response.text.split(start, 1)[1].split(end, 1)[0])


def link(response: HttpResponse, label: str) -> str | None:
    """Where the link with this label leads."""
    found = re.search(rf'href="([^"]+)"[^>]*>{re.escape(label)}</a>', response.text)
    return unescape(found[1]) if found else None


def told(response: HttpResponse) -> str:
    """The messages of the page."""
    return between(response, 'id="toasts">', "</main>")


def revised(project: Project, fact: Fact, content: str, *, by: Actor | None = None, **fields: Any) -> Fact:
    """A new version by some curator, in the same scope."""
    statement = Statement(content=content, scope=fact.scope, scope_id=fact.scope_id, **fields)
    return revise_fact(
        actor=by or user_actor(project, "curator"), project_id=project.id, fact_id=fact.id, statement=statement
    )


def scopes(response: HttpResponse) -> str:
    return text(response.text.split('aria-label="Scope">')[1].split("</div>")[0])


def count(response: HttpResponse) -> str:
    return text(re.search(r'id="count"[^>]*>(.*?)</span>', response.text, re.DOTALL)[1])  # type: ignore[index]
