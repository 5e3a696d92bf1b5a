"""What memory is worth: the product's own read, a model that answers from its prompt, and counts of what went wrong."""

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django import Settings

from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.inference.chat import chat_model, model_choice
from apps.recall.cases import Case, Memory, dump_case, parse_cases
from apps.recall.models import ReadLedger
from apps.recall.rendering import block_text
from memoryplane.evaluation import usefulness
from memoryplane.evaluation.throwaway import MARK
from memoryplane.evaluation.usefulness import Answer, Judged, judge, others, says, told_wrongly
from memoryplane.management.commands.evaluate import CASES
from tests import model_server as script
from tests.answering import answers_from_its_prompt
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db

MIRA = Memory(content="The release owner is Mira.", kind="stale", betrayed_by=("Mira",))
CHEN = Memory(content="The release owner is Chen.")
OWNER = Case(name="owner", question="Who is the release owner?", memories=(MIRA, CHEN), expected=(("Chen",),))


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    with ModelServer() as server:
        settings.LLM_BASE_URL, settings.LLM_API_KEY = server.url, "test"
        settings.LLM_MODELS = [("scripted", "scripted-1", None, None)]
        server.script(answers_from_its_prompt)
        yield server


def case_of(memories: list[dict[str, Any]], **rest: Any) -> Case:
    held = tuple(Memory(**memory) for memory in memories)
    return Case(**({"name": "one", "question": "Which city?", "expected": (("x",),)} | rest), memories=held)


def told(case: Case) -> list[str]:
    (stored,) = usefulness.store([case])
    return usefulness.served(stored)


def test_the_products_cases_are_all_right_with_the_facts_and_few_without(server: ModelServer) -> None:
    cases = parse_cases(CASES.read_bytes())
    stored = usefulness.store(cases)
    contents = [usefulness.served(one) for one in stored]
    blocks = [block_text(case.agent, one) for case, one in zip(cases, contents, strict=True)]
    model = chat_model(model_choice())

    def right(given: list[str]) -> set[str]:
        judged = [judge(case, usefulness.ask(model, case, block, 10), block)
                  for case, block in zip(cases, given, strict=True)]  # fmt: skip
        assert not any(one.faults & {"stale", "other_subject", "secret", "unreadable"} for one in judged)
        return {one.case.name for one in judged if one.success}

    names, unknown = {case.name for case in cases}, {case.name for case in cases if case.outcome == "unknown"}
    assert names - right(blocks) == set()
    assert right([""] * len(cases)) == unknown
    assert [told_wrongly(case, one) for case, one in zip(cases, contents, strict=True)] == [set()] * len(cases)
    assert sum(one.refused for one in stored) == 1
    # The control: what another case is told answers nothing.
    mixed = [block_text(case.agent, one) for case, one in zip(cases, others(contents), strict=True)]
    assert right(mixed) <= unknown


def test_what_is_asked_goes_through_the_read_and_its_ledger() -> None:
    (stored,) = usefulness.store([OWNER])
    assert sorted(usefulness.served(stored)) == ["The release owner is Chen.", "The release owner is Mira."]
    with bind(stored.key.project_id):
        (read,) = ReadLedger.objects.filter(project_id=stored.key.project_id)
        assert (read.key_id, len(read.fact_ids)) == (stored.key.id, 2)


@pytest.mark.parametrize(
    ("memory", "served"),
    [
        ({}, True),
        ({"scope": "project"}, True),
        ({"user": "ada", "scope": "user"}, True),
        ({"user": "ada", "scope": "user", "agent": "assistant"}, True),
        ({"user": "ada", "scope": "user", "agent": "other"}, False),
        ({"user": "ben", "scope": "user"}, False),
        ({"agent": "other"}, False),
        ({"elsewhere": True}, False),
        ({"elsewhere": True, "scope": "project"}, False),
        ({"sensitivity": "special"}, False),
        ({"state": "retired"}, False),
        ({"state": "restricted"}, False),
        ({"state": "contested"}, True),
        ({"expires_at": datetime(2026, 2, 1, tzinfo=UTC)}, False),
        ({"expires_at": datetime(2026, 4, 1, tzinfo=UTC)}, True),
        ({"valid_to": datetime(2026, 2, 1, tzinfo=UTC)}, False),
        ({"valid_from": datetime(2026, 4, 1, tzinfo=UTC)}, False),
        ({"valid_from": datetime(2026, 2, 1, tzinfo=UTC), "valid_to": datetime(2026, 4, 1, tzinfo=UTC)}, True),
    ],
)
def test_a_memory_is_told_as_its_fields_say_at_the_cases_now(memory: dict[str, Any], served: bool) -> None:
    fact = {"content": "The city is Ghent."} | memory
    case = case_of([fact], user="ada", now=datetime(2026, 3, 1, tzinfo=UTC))
    assert told(case) == (["The city is Ghent."] if served else [])


def test_what_was_superseded_is_kept_and_not_told() -> None:
    case = case_of([{"content": "The city is Ghent.", "superseded_by": 2}, {"content": "The city is Porto."}])
    (stored,) = usefulness.store([case])
    assert usefulness.served(stored) == ["The city is Porto."]
    with bind(stored.key.project_id):
        old, new = Fact.objects.in_project(stored.key.project_id).order_by("id")
        assert (old.superseded_by_id, new.superseded_by_id) == (new.id, None)


def test_moments_move_so_that_the_cases_now_is_ours() -> None:
    case = case_of(
        [{"content": "The city is Ghent.", "said_at": datetime(2020, 3, 1, tzinfo=UTC)}],
        now=datetime(2020, 3, 31, tzinfo=UTC),
        question="Which city was it on 1 March 2020?",
    )
    (stored,) = usefulness.store([case])
    with bind(stored.key.project_id):
        said = Fact.objects.in_project(stored.key.project_id).get().observed_at
    assert abs(now() - said - timedelta(days=30)) < timedelta(minutes=1)
    ((begin, end),) = usefulness.question_at(stored).dates
    assert begin <= said < end


def test_a_budget_and_a_limit_cut_the_block() -> None:
    facts = [{"content": f"The city number {n} is pleasant in spring."} for n in range(8)]
    three, short = usefulness.store([case_of(facts, limit=3), case_of(facts, name="two", budget=40)])
    assert len(usefulness.served(three)) == 3
    assert 0 < len(usefulness.served(short)) < 8


def test_a_memory_that_the_product_refuses_is_named_unless_it_is_said_to_be_a_secret() -> None:
    secret = {"content": "The password of the account is vK9!tallow-Quarry27."}
    with pytest.raises(Invalid) as caught:
        usefulness.store([case_of([{"content": "Fine."}, secret])])
    assert caught.value.detail.startswith("Case one, memory 2: This holds a password")


def answer(text: str, kind: str = "answer") -> Answer:
    return Answer(kind, text)


ASK = Case(
    name="ask",
    question="Who?",
    memories=(
        Memory(content="It is Mira.", kind="conflicting", betrayed_by=("Mira",)),
        Memory(content="It is Chen.", kind="conflicting", betrayed_by=("Chen",)),
    ),
    expected=(("Mira",), ("Chen",)),
    outcome="ask",
)
UNKNOWN = Case(
    name="unknown",
    question="Who?",
    memories=(Memory(content="Ben pays.", user="ben", scope="user", kind="other_subject", betrayed_by=("Ben",)),),
    outcome="unknown",
)
BLOCK = "Curated facts (agent:a):\n- It is Chen.\n- It is Mira."


@pytest.mark.parametrize(
    ("case", "said", "success", "faults"),
    [
        (OWNER, answer("Chen is."), True, set()),
        (OWNER, answer("CHEN"), True, set()),
        (OWNER, answer("Mira is."), False, {"stale"}),
        (OWNER, answer("Chen, who follows Mira."), False, {"stale"}),
        (OWNER, answer("Ruth is."), False, {"unsupported"}),
        (OWNER, answer("Chen is.", "ask"), False, set()),
        (OWNER, answer("I don't know.", "unknown"), False, set()),
        (OWNER, answer("", ""), False, {"unreadable"}),
        (ASK, answer("Mira or Chen?", "ask"), True, set()),
        (ASK, answer("Mira?", "ask"), False, set()),
        (ASK, answer("Chen."), False, {"conflicting"}),
        (ASK, answer("Ruth."), False, {"unsupported"}),
        (UNKNOWN, answer("I don't know.", "unknown"), True, set()),
        (UNKNOWN, answer("I don't know, but Ben might.", "unknown"), False, {"other_subject"}),
        (UNKNOWN, answer("Ruth pays."), False, {"unsupported"}),
    ],
)
def test_an_answer_is_judged(case: Case, said: Answer, success: bool, faults: set[str]) -> None:
    assert judge(case, said, BLOCK) == Judged(case, said, success, frozenset(faults))


def test_a_right_answer_that_the_prompt_does_not_hold_is_a_guess() -> None:
    assert judge(OWNER, answer("Chen."), "").faults == {"unsupported"}
    assert judge(OWNER, answer("Chen."), "").success


def test_what_must_not_be_said_is_no_success() -> None:
    case = Case(name="one", question="Who?", expected=(("Chen",),), must_not=("I guess",))
    assert not judge(case, answer("I guess Chen."), BLOCK).success
    assert judge(case, answer("Chen."), BLOCK).success


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("In 140 days.", "14", False),
        ("In 14 days.", "14", True),
        ("Miranda does.", "Mira", False),
        ("ｍｉｒａ does", "Mira", True),
        ("five\n days", "Five days", True),
        ("緑茶が好き", "茶", True),
        ("20%", "20%", True),
        ("120%", "20%", False),
        ("Straße", "strasse", True),
        ("a.b", "axb", False),
    ],
)
def test_words_are_found_as_words(text: str, words: str, found: bool) -> None:
    assert says(text, words) is found


def test_the_block_of_a_case_never_goes_to_itself() -> None:
    for count in range(2, 12):
        blocks = [[str(n)] for n in range(count)]
        mixed = others(blocks)
        assert sorted(mixed) == sorted(blocks)
        assert all(one != other for one, other in zip(mixed, blocks, strict=True))
    assert others([["only"]]) == [[]]


def test_a_model_that_is_away_ends_the_measurement(server: ModelServer) -> None:
    server.script([script.http(400)])
    with pytest.raises(Exception, match="model_unavailable"):
        usefulness.ask(chat_model(model_choice()), OWNER, "", 5)


def test_an_answer_that_can_not_be_read_is_no_answer(server: ModelServer) -> None:
    server.script([script.prose()])
    assert usefulness.ask(chat_model(model_choice()), OWNER, "", 5) == Answer("", "")
    server.script([script.ok({"kind": "perhaps", "text": "Chen."})])
    assert usefulness.ask(chat_model(model_choice()), OWNER, "", 5) == Answer("", "Chen.")


def test_the_model_sees_the_question_the_day_and_the_block(server: ModelServer) -> None:
    case = Case(
        name="one", question="Who?", agent="planner", now=datetime(2026, 6, 1, 9, tzinfo=UTC), outcome="unknown"
    )
    usefulness.ask(chat_model(model_choice()), case, "Curated facts (agent:planner):\n- It is Chen.", 5)
    system, asked = server.requests[-1].body["messages"]
    assert asked == {"role": "user", "content": "Who?"}
    assert system["role"] == "system"
    assert system["content"].startswith("You are planner, an assistant. Today is Monday, 1 June 2026.")
    assert system["content"].endswith("\n\nCurated facts (agent:planner):\n- It is Chen.")


def run(path: Path, *arguments: str) -> tuple[list[str], int]:
    """What the command prints and its exit code, inside servers that it need not start."""
    out = io.StringIO()
    try:
        call_command("evaluate", "usefulness", "--cases", str(path), *arguments, stdout=out)
    except SystemExit as ended:
        return out.getvalue().splitlines(), int(str(ended.code))
    return out.getvalue().splitlines(), 0


@pytest.mark.parametrize(
    ("arguments", "last", "code"),
    [
        ([], "difference  +0.500", 0),
        (["--goal", "0.5"], "difference  +0.500   goal >= 0.5   ok", 0),
        (["--goal", "0.6"], "difference  +0.500   goal >= 0.6   short of the goal", 1),
        (["--control"], "difference  +0.000   goal >= 0.001   short of the goal", 1),
        (["--control", "--goal", "0.5"], "difference  +0.000   goal >= 0.5   short of the goal", 1),
    ],
)
def test_the_command_ends_with_whether_the_goal_is_reached(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], last: str, code: int
) -> None:
    monkeypatch.setenv(MARK, "1")
    never = Case(name="never", question="What is the height of the tower?", memories=(MIRA,), outcome="unknown")
    path = tmp_path / "cases.jsonl"
    path.write_text(dump_case(case_of([{"content": "The release owner is Chen."}],
                                      question=OWNER.question, expected=OWNER.expected)) + dump_case(never))  # fmt: skip
    lines, ended = run(path, *arguments)
    assert (lines[-1], ended) == (last, code)
    assert lines[2].split()[:4] == ["with", "the", "facts", "0.500" if "--control" in arguments else "1.000"]
    assert ("failed: one (unsupported) answer: The release owner is Mira." in lines) is ("--control" in arguments)
