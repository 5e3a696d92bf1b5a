"""What the SDK's memory summed up becomes a summary of the session, with the messages it stands for."""

import json
from typing import Any

import pytest

from apps.access.actor import system_actor
from apps.core.transactions import bind
from apps.tenancy.models import Project
from apps.traces.actions.ingest_spans import ingest_spans
from apps.traces.actions.screen_sealed import screen_sealed
from apps.traces.models import Message, SessionMessage
from tests.factories import make_agent, make_project
from tests.spans import run_of, span

pytestmark = pytest.mark.django_db
FIRST, SECOND = "She lives in Lisbon.", "She lives in Lisbon and likes tea."


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_agent(project, "support")
    return project


def push(project: Project, spans: list[dict[str, Any]]) -> None:
    ingest_spans(actor=system_actor("demo", project.id), project_id=project.id, spans=spans)


def summing(
    trace: str, lines: list[str], text: str, *, before: str = "", start: float = 0.7, **detail: Any
) -> list[dict[str, Any]]:
    """What a run's memory says when it sums up, beside another block that asks a model too."""
    asked = "You are maintaining a running conversation summary. Write a single concise paragraph."
    asked += f"\n\nPrevious summary:\n{before}" if before else ""
    asked += "\n\nTranscript:\n" + "\n".join(lines) + "\n\nSummary:"

    def call(name: str, prompt: str, answer: str) -> dict[str, Any]:
        attributes = {
            "gen_ai.request.messages": json.dumps([{"role": "user", "content": prompt}]),
            "gen_ai.response.content": answer,
        }
        return span(trace, name, parent="memory.write", start=start, seconds=0.01, attributes=attributes)

    told = {"summary_triggered": True, "summary_chars": len(text)} | detail
    return [
        call("llm.test.facts", "Facts as a JSON array:", '["Lives in Lisbon", "Drinks tea every day"]'),
        call("llm.test.model-2", asked, f"  {text} and this was cut"),
        span(
            trace,
            "memory.write.summary",
            parent="memory.write",
            start=start,
            seconds=0.02,
            attributes={"memory.action": "summarized", "memory.detail": json.dumps(told)},
        ),
        span(trace, "memory.write", parent="agent.support", start=start, seconds=0.1),
    ]


def said(trace: str, words: str, *, start: float = 0, **more: Any) -> list[dict[str, Any]]:
    spans = run_of(trace, words, user="ada.k", **{"fastaiagent.meta.session_id": "chat-1"})
    return [one | shifted(one, start) for one in spans]


def shifted(one: dict[str, Any], minutes: float) -> dict[str, Any]:
    return {name: one[name].replace("T12:00", f"T12:{int(minutes):02d}") for name in ("start_time", "end_time")}


def later(spans: list[dict[str, Any]], minutes: float) -> list[dict[str, Any]]:
    return [one | shifted(one, minutes) for one in spans]


def summaries(project: Project) -> list[tuple[str, list[str], list[str], str | None]]:
    """Text, the messages and the summaries it stands for, and whose it is."""
    with bind(project.id):
        words = dict(Message.objects.values_list("id", "content"))
        rows = list(SessionMessage.objects.order_by("id").select_related("subject", "session"))
        text = {row.id: row.content for row in rows}
        assert all((row.role, row.session.external_id) == ("summary", "chat-1") for row in rows)
        return [
            (
                row.content,
                [words[one] for one in row.stands_for_said],
                [text[one] for one in row.stands_for],
                row.subject and row.subject.external_id,
            )
            for row in rows
        ]


def test_summaries_stand_for_the_messages_and_the_summary_they_were_made_of(project: Project) -> None:
    push(project, said("a", "I live in Lisbon.\nReally."))
    push(project, later([*summing("b", ["user: I live in Lisbon.\nReally."], FIRST), *said("b", "I like tea.")], 1))
    expected = [(FIRST, ["I live in Lisbon.\nReally."], [], "ada.k")]
    assert summaries(project) == expected
    lines = ["user: I live in Lisbon.\nReally.", "assistant: Understood.", "user: I like tea."]
    push(project, later([*summing("c", lines, SECOND, before=FIRST), *said("c", "I like tea.")], 2))
    # "Understood." was said three times and summed up once, and so was the wish for tea.
    expected.append((SECOND, ["I live in Lisbon.\nReally.", "Understood.", "I like tea."], [FIRST], "ada.k"))
    assert summaries(project) == expected
    with bind(project.id):
        second = SessionMessage.objects.latest("id")
        first = [Message.objects.filter(content=text).earliest("at").id for text in ("Understood.", "I like tea.")]
        assert set(first) <= set(second.stands_for_said)
    push(project, later([*summing("c", lines, SECOND, before=FIRST), *said("c", "I like tea.")], 2))
    assert summaries(project) == expected


@pytest.mark.parametrize("order", ["bca", "cba", "acb", "cab"])
@pytest.mark.parametrize("at_once", [True, False])
def test_the_traces_of_a_session_arrive_in_any_order(project: Project, order: str, at_once: bool) -> None:
    lines = ["user: I live in Lisbon.", "assistant: Understood.", "user: I like tea."]
    traces = {
        "a": said("a", "I live in Lisbon."),
        "b": later([*summing("b", lines[:1], FIRST), *said("b", "I like tea.")], 1),
        "c": later([*summing("c", lines, SECOND, before=FIRST), *said("c", "Well.")], 2),
    }
    # Within a batch they are taken by their id: these sort as they are to arrive.
    named = {letter: f"{number}{letter}" for number, letter in enumerate(order)}
    spans = [[one | {"trace_id": named[letter].rjust(32, "0")} for one in traces[letter]] for letter in order]
    for batch in [[one for trace in spans for one in trace]] if at_once else spans:
        push(project, batch)
    found = summaries(project)
    assert sorted(found, key=lambda one: len(one[1])) == [
        (FIRST, ["I live in Lisbon."], [], "ada.k"),
        (SECOND, ["I live in Lisbon.", "Understood.", "I like tea."], [FIRST], "ada.k"),
    ]


def test_the_session_may_be_named_last(project: Project) -> None:
    spans = [*summing("a", ["user: I live in Lisbon."], FIRST), *said("a", "I live in Lisbon.")]
    for one in spans:
        push(project, [one])
    assert summaries(project) == [(FIRST, ["I live in Lisbon."], [], "ada.k")]


@pytest.mark.parametrize(
    "detail",
    [{"summary_chars": 0}, {"summary_chars": "25"}, {"summary_chars": 10_000}, {"summary_chars": True}],
)
def test_a_summary_without_its_text_is_none(project: Project, detail: dict[str, Any]) -> None:
    push(project, [*summing("a", ["user: Hi."], FIRST, **detail), *said("a", "Hi.")])
    assert summaries(project) == []


def test_clients_that_send_no_texts_or_nonsense_break_nothing(project: Project) -> None:
    spans = summing("a", ["user: Hi."], FIRST)
    for value in (None, "{", "[]", 7):
        spans[2]["attributes"]["memory.detail"] = value
        spans[1]["attributes"]["gen_ai.request.messages"] = value
        push(project, [one | {"span_id": f"{hash((value, n)) % 10**15:016d}"} for n, one in enumerate(spans)])
    stored = span("a", "memory.write.summary", parent="memory.write", attributes={"memory.action": "stored"})
    push(project, [stored, *said("a", "Hi.")])
    assert summaries(project) == []


def test_a_call_that_was_sealed_is_summed_up_when_it_is_opened(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    spans = [*summing("a", ["user: I live in Lisbon."], FIRST), *said("a", "I live in Lisbon.")]
    monkeypatch.setattr("apps.traces.spans.SPAN_BUDGET", -1.0)
    push(project, [spans[1]])
    monkeypatch.undo()
    push(project, [one for number, one in enumerate(spans) if number != 1])
    assert summaries(project) == []
    assert screen_sealed() == 1
    assert summaries(project) == [(FIRST, ["I live in Lisbon."], [], "ada.k")]
