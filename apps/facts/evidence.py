"""The words facts rest on, on their way to and from the rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from apps.facts.models import Fact, FactSource


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Words a fact rests on: the exact span ``start``..``end`` (code points) of a message."""

    trace_id: str
    message_id: int | None
    quote: str
    start: int
    end: int
    observed_at: datetime

    @property
    def span(self) -> tuple[str, int | None, int, int, str]:
        """Where it stands, and the words: a message may be gone. Of one span there is one row a fact or proposal."""
        return self.trace_id, self.message_id, self.start, self.end, self.quote


def evidence_of(project_id: int, fact_ids: list[int]) -> list[Evidence]:
    """The evidence of facts, as a new version of them takes it over; equal spans once."""
    rows = FactSource.objects.filter(project_id=project_id, fact_id__in=fact_ids).order_by("id")
    found = [
        Evidence(
            trace_id=row.trace_id,
            message_id=row.message_id,
            quote=row.quote,
            start=row.start,
            end=row.end,
            observed_at=row.observed_at,
        )
        for row in rows
    ]
    return list(dict.fromkeys(found))


def source_rows(fact: Fact, evidence: Iterable[Evidence]) -> list[FactSource]:
    """Rows of a fact's evidence, not saved yet."""
    return [
        FactSource(
            project_id=fact.project_id,
            fact_id=fact.id,
            subject_id=fact.subject_id,
            trace_id=item.trace_id,
            message_id=item.message_id,
            quote=item.quote,
            start=item.start,
            end=item.end,
            observed_at=item.observed_at,
        )
        for item in evidence
    ]
