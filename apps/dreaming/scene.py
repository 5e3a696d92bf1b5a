"""What a phase may look at: the facts of one place as the run pinned them, and what it has staged so far."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection

from apps.core.sqlfiles import load
from apps.dreaming.models import DreamRun, DreamSettings
from apps.dreaming.operations import Evidence, Said
from apps.facts.models import Fact, FactSource
from apps.facts.querysets import FactQuerySet
from apps.tenancy.models import Subject, Tombstone
from apps.tenancy.tombstones import KEY_VERSION, fact_digest

LEAST_RETIRED = 3
"""So many may be retired in one run, however small the place."""
AT_ONCE = 1_000
"""Rows that are held at a time, so that a run needs no more memory in a large place."""
NOT_READ = ["words", "loose_hash"]
_NOT_READ = [*NOT_READ, "value", "agent__system_prompt", "agent__definition"]


@dataclass
class Scene:
    """``taken`` are the facts that this run closes already, ``retired`` how many of them without a successor, ``closed`` by how
    many facts the place gets smaller. ``said`` are the messages that evidence may name."""

    run: DreamRun
    chosen: DreamSettings
    subject: Subject | None = None
    taken: set[int] = field(default_factory=set)
    kept: set[int] = field(default_factory=set)
    retired: int = 0
    closed: int = 0
    said: dict[Evidence, Said] = field(default_factory=dict)

    @property
    def project_id(self) -> int:
        return self.run.project_id

    @property
    def may_retire(self) -> int:
        """How many facts the run may retire in all."""
        return max(LEAST_RETIRED, self.run.facts_before * self.chosen.retire_percent // 100)

    def facts(self) -> FactQuerySet:
        """The statements of the place that are current and not restricted, expired ones too; values under a key are their
        clients' own."""
        return (
            Fact.objects.in_project(self.project_id)
            .current()
            .of_scope(self.run.scope, self.run.scope_id)
            .filter(key=None, label="", restricted_at=None, id__lte=self.run.base_fact_id or 0)
        )

    def has(self, fact: Fact) -> bool:
        """Whether the fact is one that the run may name at all."""
        return (
            (fact.scope, fact.scope_id, fact.label, fact.key) == (self.run.scope, self.run.scope_id, "", None)
            and fact.id <= (self.run.base_fact_id or 0)
        )  # fmt: skip

    def load(self, ids: Collection[int]) -> dict[int, Fact]:
        """Those of the ids that are facts of the project, wherever they are told."""
        wanted = sorted(set(ids))
        found: dict[int, Fact] = {}
        for start in range(0, len(wanted), AT_ONCE):
            rows = Fact.objects.in_project(self.project_id).select_related("agent").defer(*_NOT_READ)
            found |= {fact.id: fact for fact in rows.filter(id__in=wanted[start : start + AT_ONCE])}
        return found

    def quotes(self, ids: Iterable[int]) -> dict[int, list[str]]:
        """The words that facts rest on."""
        found: dict[int, list[str]] = {}
        rows = FactSource.objects.filter(project_id=self.project_id, fact_id__in=list(ids)).order_by("id")
        for fact_id, quote in rows.values_list("fact_id", "quote"):
            found.setdefault(fact_id, []).append(quote)
        return found

    def forgotten(self, contents: Iterable[str]) -> dict[str, datetime]:
        """Those of these words that were forgotten here, with the moment until which what was observed may not be learned
        again."""
        digests = {fact_digest(self.project_id, self.run.scope, self.run.scope_id, text): text for text in contents}
        rows = Tombstone.objects.filter(project_id=self.project_id, key_version=KEY_VERSION, digest__in=list(digests))
        return {digests[bytes(row.digest)]: row.blocks_observed_before for row in rows} if digests else {}

    def ask(self, name: str, **given: Any) -> list[tuple[Any, ...]]:
        """The rows of a file of SQL about the place."""
        place: dict[str, Any] = {
            "project": self.project_id,
            "scope": self.run.scope,
            "scope_id": self.run.scope_id,
            "base": self.run.base_fact_id or 0,
        }
        with connection.cursor() as cursor:
            cursor.execute(load("apps.dreaming", name), place | given)
            return list(cursor.fetchall())

    def free(self, ids: Iterable[int]) -> list[int]:
        """Without those that the run closes already or has others give way to."""
        return [fact_id for fact_id in ids if fact_id not in self.taken and fact_id not in self.kept]

    def batches(self, ids: list[int]) -> Iterator[dict[int, Fact]]:
        """The facts of long lists, a part at a time."""
        for start in range(0, len(ids), AT_ONCE):
            yield self.load(ids[start : start + AT_ONCE])
