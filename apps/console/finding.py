"""Finding anything of a project by what somebody types: a page, a user, a fact, an agent, a trace.

A few rows of each kind, of what the reader may open.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.urls import reverse

from apps.access.actor import Actor
from apps.access.policies import allowed
from apps.console.context import NAVIGATION
from apps.console.hx import visible_sensitivities
from apps.console.masking import MASKED, hides
from apps.core.sqlfiles import load
from apps.facts.listing import saying_ids
from apps.facts.models import Fact
from apps.tenancy.models import Project

MOST = 6
"""Rows of each kind."""
LEAST_LETTERS, LOOKED_AT = 3, 200
"""Letters from which on facts are searched, and how many of the newest where the words are in many."""
LEAST_HEX = 4
"""Digits from which on something may be the beginning of a trace's id."""
BIGGEST = 2**63
ICONS = {"subject": "user", "agent": "agent", "trace": "traces"}


@dataclass(frozen=True)
class Hit:
    """Where something is; no label where it is masked. ``exact``: what was typed is its name and no other's."""

    href: str
    label: str
    icon: str
    detail: str = ""
    exact: bool = False


@dataclass(frozen=True)
class Found:
    """Groups of hits with their titles; ``goal`` is where Enter leads, empty where it is not clear."""

    groups: list[tuple[str, list[Hit]]] = field(default_factory=list)

    @property
    def hits(self) -> list[Hit]:
        return [hit for _, hits in self.groups for hit in hits]

    @property
    def goal(self) -> str:
        exact = [hit.href for hit in self.hits if hit.exact]
        if exact:
            return exact[0]
        return self.hits[0].href if len(self.hits) == 1 else ""


def find(project: Project, actor: Actor, words: str) -> Found:
    """What ``words`` may mean, in at most three statements; only the pages for no words."""
    groups = [("Pages", _pages(project, actor, words))]
    if words:
        named = _named(project, actor, words)
        facts = _facts(project, actor, words) if allowed(actor, "facts.read") else []
        groups += [
            ("Subjects", named["subject"]),
            ("Facts", facts),
            ("Agents", named["agent"]),
            ("Traces", named["trace"]),
        ]
    return Found([(title, hits) for title, hits in groups if hits])


def _pages(project: Project, actor: Actor, words: str) -> list[Hit]:
    return [
        Hit(reverse(name, args=[project.slug]), label, icon, key, exact=label.casefold() == words.casefold())
        for _, items in NAVIGATION
        for name, label, icon, key, verb in items
        if allowed(actor, verb) and words.casefold() in label.casefold()
    ]


def _named(project: Project, actor: Actor, words: str) -> dict[str, list[Hit]]:
    """Subjects, agents and traces, by kind."""
    typed = words.lower()
    is_hex = allowed(actor, "traces.read") and re.fullmatch(rf"[0-9a-f]{{{LEAST_HEX},32}}", typed)
    asked: dict[str, Any] = {
        "project": project.id,
        "words": words,
        "hex": typed if is_hex else "",
        "most": MOST,
        "subjects": allowed(actor, "subjects.read"),
        "agents": allowed(actor, "agents.read"),
    }
    found: dict[str, list[Hit]] = {"subject": [], "agent": [], "trace": []}
    with connection.cursor() as cursor:
        cursor.execute(load("apps.console", "find_names"), asked)
        for kind, its_id, name, beside, exact in cursor.fetchall():
            found[kind].append(Hit(reverse(kind, args=[project.slug, its_id]), name, ICONS[kind], beside, exact))
    return found


def _facts(project: Project, actor: Actor, words: str) -> list[Hit]:
    facts = Fact.objects.in_project(project.id).filter(sensitivity__in=visible_sensitivities(actor))
    number = re.fullmatch(r"#?([0-9]{1,19})", words)
    if number and int(number[1]) < BIGGEST:
        facts = facts.filter(id=int(number[1]))
    elif number or len(words) < LEAST_LETTERS:
        return []
    else:
        said = saying_ids(words)
        # Words of many facts are among the newest; of the other facts with them the list's own search tells.
        newest = facts.order_by("-id").values_list("id", flat=True)[:LOOKED_AT]
        facts = facts.current().filter(id__in=said) if said is not None else facts.filter(id__in=newest).saying(words)
    return [
        Hit(
            reverse("fact", args=[project.slug, fact_id]),
            MASKED if hides(sensitivity) else content,
            "facts",
            f"#{fact_id}",
            exact=number is not None,
        )
        for fact_id, content, sensitivity in facts.order_by("-id").values_list("id", "content", "sensitivity")[:MOST]
    ]
