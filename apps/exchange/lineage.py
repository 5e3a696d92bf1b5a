"""What facts were derived from, as a file says it: only by what stands before them in it, so that no circle can be."""

from dataclasses import replace

from apps.exchange.judging import Judged
from apps.facts.append import Row
from apps.facts.models import Fact, FactDerivation

Belief = tuple[float, int]
"""Confidence and trust."""


class Lineage:
    """Of the lines of one batch, in their order. Parents that are not here, or stand further below, are left out."""

    def __init__(self, project_id: int, judged: list[Judged]) -> None:
        self._project_id = project_id
        ids = {fact_id for one in judged for fact_id in one.parents}
        rows = Fact.objects.in_project(project_id).filter(id__in=ids).values_list("id", "confidence", "trust")
        self._here: dict[int, Belief] = {fact_id: (sure, trust) for fact_id, sure, trust in rows} if ids else {}
        self._made: dict[int, tuple[Judged, Belief]] = {}

    def capped(self, one: Judged, row: Row) -> Row:
        """The row with no more confidence and trust than the weakest of its parents. To be asked line by line, for what is new."""
        beliefs = [self._here[fact_id] for fact_id in one.parents if fact_id in self._here]
        beliefs += [belief for _, belief in self._beside(one)]
        if beliefs:
            sure = min(row.statement.confidence, *(sure for sure, _ in beliefs))
            trust = min(row.origin.trust, *(trust for _, trust in beliefs))
            statement, origin = replace(row.statement, confidence=sure), replace(row.origin, trust=trust)
            row = replace(row, statement=statement, origin=origin)
        if one.line.parent and one.line.given_id:
            self._made.setdefault(one.line.given_id, (one, (row.statement.confidence, row.origin.trust)))
        return row

    def keep(self, made: list[Judged]) -> None:
        """Write down the parents of facts that are made by now."""
        pairs = {
            (one.fact_id, parent)
            for one in made
            for parent in (
                *(fact_id for fact_id in one.parents if fact_id in self._here),
                *(other.fact_id for other, _ in self._beside(one)),
            )
        }
        FactDerivation.objects.bulk_create(
            FactDerivation(project_id=self._project_id, child_id=child, parent_id=parent)
            for child, parent in sorted((child, parent) for child, parent in pairs if child and parent)
        )

    def _beside(self, one: Judged) -> list[tuple[Judged, Belief]]:
        assert one.said is not None
        found = [self._made[given_id] for given_id in one.said.derived_from if given_id in self._made]
        return [(other, belief) for other, belief in found if other.line.number < one.line.number]
