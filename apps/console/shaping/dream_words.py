"""Runs and their changes in words."""

from apps.console.shaping.model_words import MODEL_ERRORS, unforeseen
from apps.dreaming.models import DreamRun
from apps.dreaming.states import PHASES

GROUP_LABELS = {
    "conflicts": "Conflicts",
    "merged": "Merged",
    "rewritten": "Rewritten",
    "dated": "Dated",
    "retired": "Retired",
    "added": "Added",
}
PHASE_WORDS = {
    "orient": ("Orient", "Looks at what is there and lists visible problems"),
    "gather": ("Gather signal", "Looks for corrections, decisions and repeats in what was said"),
    "consolidate": ("Consolidate", "Proposes merges, rewordings and dates"),
    "prune": ("Prune", "Proposes what to retire, and checks that nothing is lost"),
}
ORIGIN_LABELS = {
    "button": "by a person",
    "schedule": "on schedule",
    "threshold": "after new facts",
    "session": "after a session",
    "api": "through the API",
}
# What a reader sees of a state: a word, a colour, an icon.
STATES = {
    "queued": ("Waits", "info", "clock"),
    "running": ("Running", "info", "history"),
    "proposed": ("To decide", "warn", "review"),
    "settled": ("Decided", "live", "check"),
    "failed": ("Failed", "bad", "alert"),
    "cancelled": ("Cancelled", "", "x"),
    "undone": ("Undone", "", "undo"),
}
CHANGE_STATES = {
    "accepted": ("Accepted", "info", "check"),
    "rejected": ("Rejected", "", "x"),
    "applied": ("Applied", "live", "check"),
    "conflicted": ("Can’t be applied", "bad", "conflict"),
    "undone": ("Undone", "", "undo"),
}
RULES = {
    "same-text": "The same words.",
    "same-words": "The same words in another order or grammar.",
    "says-the-same": "The same in other words.",
    "said-later": "Both can’t hold: one was said later, by a source of no less authority.",
    "undecided": "Both can’t hold, and nothing says which one does.",
    "relative-date": "The date was worked out from the day on which it was said.",
    "expired": "Its time is over by its marks.",
    "over-by-its-words": "It is over by its own words.",
    "never-confirmed": "It was learned long ago, and nobody confirmed it since.",
    "said-twice": "It says the same sentences twice.",
    "over-cap": "There are more facts here than the project’s cap; this one is needed least.",
    "model": "The model gave no reason.",
}
FLAGS = {
    "pinned": "a pinned fact",
    "policy": "a policy",
    "personal": "personal",
    "special": "special",
    "contested": "in a conflict",
    "mixed_trust": "sources of different authority",
    "over_limit": "over the limit of one run",
}
WHY = {
    "gone": "Something it rests on was forgotten or erased since.",
    "moved": "What it is about was changed since the run read it.",
    "forgotten": "These words were forgotten and may not be learned again.",
    "fact_exists": "A fact says this already.",
    "fact_moved": "Somebody is changing the same fact.",
    "not_found": "A fact that it is about is gone.",
    "restricted": "A fact that it is about is restricted.",
    "contested": "A fact that it is about stands in an open conflict. Settle that first.",
    "in_conflict": "These facts stand in an open conflict already.",
    "unchanged": "The fact says this already.",
    "other_scope": "These facts are told to different readers.",
    "no_audience": "No read may be told all of these: their purposes or tasks differ.",
    "not_a_statement": "A fact that it is about is a value under a key by now.",
    "two_sides": "There are too few sides left, or too many.",
    "too_few": "There are too few facts left to merge.",
    "too_many": "These are more facts than are merged at once.",
    "unknown_agent": "The agent that would be told is gone.",
    "subject_required": "The place that would be told is gone.",
    "invalid_fact": "The new words can’t be stored as a fact.",
}
STOPS = {
    "tokens": "It stopped at its limit of tokens, with what it had until then.",
    "time": "It stopped at its limit of time, with what it had until then.",
    "erased": "The person was erased or is being erased, so it ended and kept nothing.",
    "unchanged": "Nothing has changed here since the last run.",
}
ERRORS = MODEL_ERRORS | {"attempts": "its phases were begun too often without coming to an end"}


def error_words(code: str) -> str:
    """Why a run or phase failed."""
    return ERRORS.get(code) or unforeseen(code)


def why_words(code: str) -> str:
    """Why a change can't be applied, or was left."""
    return WHY.get(code) or f"Something stands against it ({code.replace('_', ' ')})."


def progress_words(run: DreamRun) -> tuple[str, int]:
    """What an open run does, and how far it is of 100."""
    place = PHASES.index(run.phase)
    if run.state == "queued":
        return f"Run {run.id} waits for a worker", 0
    return f"Run {run.id}: {PHASE_WORDS[run.phase][0].lower()}, phase {place + 1} of {len(PHASES)}", 25 * place
