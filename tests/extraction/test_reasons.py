"""Every rule that can be stored with a decision, and every reason a run counts, has a sentence for people."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.console.shaping.extraction import reason_in_words, sentence
from apps.curation.wishes import HOLDING
from apps.extraction.policy import TABLE, explain
from apps.extraction.reasons import EXPLAINED
from apps.extraction.rulebook import RULES, SPOILERS
from tests.servers import ROOT

EXTRACTION, CURATION = ROOT / "apps/extraction", ROOT / "apps/curation"


def _strings(node: ast.AST) -> Iterator[str]:
    return (one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _calls(folder: Path, name: str, argument: int) -> Iterator[str]:
    """The strings that may be the n-th argument of each call of this name."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and len(node.args) > argument:
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if called == name:
                    yield from _strings(node.args[argument])


def _returned(path: Path, function: str) -> Iterator[str]:
    """The strings a function returns, alone or in a pair."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            for one in ast.walk(node):
                if isinstance(one, ast.Return) and isinstance(one.value, ast.Constant | ast.Tuple):
                    yield from (text for text in _strings(one.value) if text)


def stored_rules() -> set[str]:
    """What `CandidateDecision.rule` may hold: the policy's word, or the queue's where a candidate came that far."""
    queue = set(_calls(CURATION, "Outcome", 1))
    assert {"known", "waiting", "refused_before", "forgotten", "restricted"} <= queue
    return {rule.id for rule in TABLE} | {"cap", "no-durable", "held"} | set(HOLDING) | queue


def counted_reasons() -> set[str]:
    """What `ExtractionRun.dropped` may count beside them."""
    found = set(_calls(EXTRACTION, "leave_out", 0)) | set(_calls(EXTRACTION, "take_back", 0))
    found |= {rule.drop for rule in (*RULES, *SPOILERS) if rule.drop}
    found |= set(_calls(EXTRACTION, "Span", 2))
    for file, function in (("rules", "unfit"), ("voices", "own_words"), ("schema", "_draft")):
        found |= set(_returned(EXTRACTION / f"{file}.py", function))
    assert {"instruction", "corrected", "served", "code-or-quote", "too-long", "malformed", "hypothetical"} <= found
    return found | {"subject-erased"}


@pytest.mark.parametrize("rule", sorted(stored_rules() | counted_reasons()))
def test_has_a_sentence(rule: str) -> None:
    assert rule in EXPLAINED
    said = explain(rule)
    assert said == EXPLAINED[rule] and said.endswith(".") and "_" not in said
    assert sentence(rule)[0].isupper() and not sentence(rule).startswith(("Kept:", "Held:", "Left out:"))
    assert reason_in_words(rule)[0].islower() and not reason_in_words(rule).endswith(".")


def test_and_nothing_that_cannot_be_stored_has_one() -> None:
    assert set(EXPLAINED) == stored_rules() | counted_reasons()
