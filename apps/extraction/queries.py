"""Reading what a project chose, and what was decided about candidates."""

from apps.extraction.models import CandidateDecision, ExtractionSettings

MAX_ATTEMPTS = 5
"""After so many a trace is dead until a person sends it round; the claim counts them too."""


def settings_of(project_id: int) -> ExtractionSettings:
    """What the project chose, or an unsaved row of the defaults."""
    return ExtractionSettings.objects.filter(project_id=project_id).first() or ExtractionSettings(project_id=project_id)


def decisions_of(project_id: int, trace_id: str) -> list[CandidateDecision]:
    """What became of each candidate of a trace, newest run first and in order, with message, run and proposal: its words
    are ``message.content[start:end]``, its reason is ``policy.explain(rule)``."""
    return list(
        CandidateDecision.objects.filter(project_id=project_id, run__trace_id=trace_id)
        .select_related("message", "run", "proposal")
        .order_by("-run_id", "id")
    )
