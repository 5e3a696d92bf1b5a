"""Every code that an engine or a verb may end with has words of its own on the page."""

import ast
import re
from pathlib import Path

import pytest

from apps.console.shaping import dream_words, extraction
from apps.dreaming.engine import FAULTS
from apps.dreaming.models import FLAGS, OPERATIONS, ORIGINS, STOPS
from apps.dreaming.states import CHANGE_STATES, PHASES, RUN_STATES
from apps.inference import errors
from tests.servers import ROOT

# What applying a change ends in.
VERBS = [
    "apps/dreaming/applying.py",
    "apps/curation/actions/merge_facts.py",
    "apps/curation/actions/open_conflict.py",
    "apps/curation/keeping.py",
    "apps/facts/actions/add_fact.py",
    "apps/facts/actions/retire_fact.py",
    "apps/facts/actions/revise_fact.py",
    "apps/facts/append.py",
    "apps/facts/statement.py",
]
# A run names none of these itself: a reason to retire that there is not.
NOT_FROM_A_RUN = {"unknown_choice"}


def raised(*files: str) -> set[str]:
    """First arguments of what is raised in these files."""
    found = set()
    for file in files:
        for node in ast.walk(ast.parse((ROOT / file).read_text())):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                first = node.exc.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.add(first.value)
    return found


def engine_codes() -> set[str]:
    """What the code of asking a model and of a run's phases fails with, by its own text."""
    found = set()
    for file in sorted(Path(ROOT / "apps/inference").rglob("*.py")):
        # An embedder is asked by no run.
        if file.name not in {"embeddings.py", "openai_embeddings.py"} and "embed" not in file.name:
            found |= raised(str(file.relative_to(ROOT)))
    text = (ROOT / "apps/dreaming/stages.py").read_text()
    found |= set(re.findall(r'\bfail\(actor, run, "([a-z_]+)"', text))
    faults = [
        errors.ModelTimeout(1.0),
        errors.ModelRateLimited(),
        errors.ModelUnavailable(),
        errors.CircuitOpen(1.0),
        errors.ModelNotConfigured("None."),
        *(errors.ModelAnswerInvalid(code) for code in ("empty", "not_json", "truncated", "too_large", "wrong_shape")),
    ]
    kinds = {type(fault) for fault in faults}
    assert kinds >= {kind for kind in _below(errors.ModelError)}, "a kind of error that this test does not know"
    return found | {fault.code for fault in faults}


def _below(kind: type) -> set[type]:
    return {kind for below in kind.__subclasses__() for kind in (below, *_below(below))}


def test_every_code_an_engine_can_fail_with_is_in_the_table_and_has_words() -> None:
    codes = {code for code in engine_codes() if re.fullmatch(r"[a-z_]+", code)}
    assert codes == FAULTS == set(dream_words.ERRORS)
    for code in FAULTS:
        words = dream_words.error_words(code)
        assert code not in words or code == "empty" or code == "truncated", (code, words)
        assert code == "attempts" or extraction.error_in_words(code).startswith(words[0].upper())
    assert "(strange_thing)" in dream_words.error_words("strange_thing")
    assert "strange_thing" in extraction.error_in_words("strange_thing")


def test_every_code_that_applying_a_change_can_end_with_has_words() -> None:
    codes = raised(*VERBS) - NOT_FROM_A_RUN
    assert codes == set(dream_words.WHY)


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        (PHASES, dream_words.PHASE_WORDS),
        (ORIGINS, dream_words.ORIGIN_LABELS),
        (RUN_STATES, dream_words.STATES),
        (set(CHANGE_STATES) - {"pending"}, dream_words.CHANGE_STATES),
        (FLAGS, dream_words.FLAGS),
        (set(STOPS) - {""}, dream_words.STOPS),
    ],
)
def test_every_other_code_has_words(codes: list[str], words: dict[str, object]) -> None:
    assert set(codes) == set(words) and OPERATIONS


def test_every_rule_of_the_engines_has_words() -> None:
    found = set()
    for file in sorted((ROOT / "apps/dreaming").rglob("*.py")):
        text = file.read_text()
        found |= set(re.findall(r'rule="([a-z-]+)"', text)) | set(re.findall(r'"([a-z]+(?:-[a-z]+)+)", "', text))
    known = set(dream_words.RULES)
    assert known >= {rule for rule in found if "-" in rule and rule in text_of_rules()}


def text_of_rules() -> set[str]:
    """Rules by the files of the rules engine."""
    found = set()
    for file in sorted((ROOT / "apps/dreaming").glob("rules*.py")):
        found |= set(re.findall(r'"([a-z]+(?:-[a-z]+)+)"', file.read_text()))
    return found
