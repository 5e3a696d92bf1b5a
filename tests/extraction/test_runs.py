"""Runs on a real database and a real HTTP server: what is written, what is not, and who may say how."""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection, connections
from pytest_django import Settings

from apps.access.models import SENSITIVITIES
from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.console.health import Queue, health
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.curation.models import Proposal, ProposalEvidence
from apps.extraction.actions.change_settings import Choice, change_settings
from apps.extraction.actions.claim_traces import LEASE_SECONDS, claim_traces
from apps.extraction.actions.extract_again import extract_again
from apps.extraction.actions.extract_trace import extract_trace
from apps.extraction.candidates import Conversation, Extraction
from apps.extraction.models import CandidateDecision, ExtractionRun, ExtractionSettings
from apps.extraction.pool import mine
from apps.extraction.prompt import VERSION
from apps.extraction.queries import decisions_of, settings_of
from apps.facts.actions.rename_category import rename_category
from apps.facts.actions.retire_category import retire_category
from apps.facts.models import Fact
from apps.insight.actions.count_figures import count_figures
from apps.tenancy.models import Project, Subject
from apps.traces.models import Message, Trace
from tests.extraction.talk import answer, candidate, entry, extractor
from tests.extraction.traces import make_desk, push, settle
from tests.factories import make_agent, make_fact, make_subject, setup_actor, user_actor
from tests.model_server import ModelServer, Request, delayed
from tests.spans import run_of, span, trace_id

SAID = "I live in Porto. Our refund window is 30 days. Where is my parcel?"
ENTRIES = (
    entry("I live in Porto", "Lives in Porto.", attribute="home-city"),
    entry("Our refund window is 30 days", "Refund window is 30 days.", scope="agent", attribute="refund-window")
    | {"category": "policy"},
    entry("Where is my parcel?", "Waits for a parcel."),
    entry("I live in Lisbon", "Lives in Lisbon."),
)


@pytest.fixture(autouse=True)
def without_vectors(settings: Settings) -> None:
    settings.EMBEDDER = "none"


@pytest.fixture
def offered(settings: Settings, models: ModelServer) -> ModelServer:
    """The operator offers one model on the scripted server."""
    settings.LLM_BASE_URL = models.url
    settings.LLM_MODELS = [("small", "scripted", 0.5, 2.0)]
    settings.LLM_TIMEOUT = 5.0
    return models


def choose_llm(project: Project, **fields: Any) -> ExtractionSettings:
    choice = Choice(extractor="llm", model="small", **fields)
    return change_settings(actor=user_actor(project, "admin"), project_id=project.id, choice=choice)


def counts(project: Project) -> tuple[int, int, int, int]:
    with bind(project.id):
        models = (ExtractionRun, Proposal, ProposalEvidence, CandidateDecision)
        runs, proposals, evidence, decisions = (model.objects.filter(project_id=project.id).count() for model in models)
    return runs, proposals, evidence, decisions


@pytest.mark.django_db
def test_a_run_keeps_what_it_took_and_why_each_candidate_went_where(offered: ModelServer) -> None:
    project = make_desk()
    choose_llm(project, prompt_addition="Mind the parcels.")
    admin = user_actor(project, "admin")
    for name in ("preference", "contact", "procedure", "event", "commitment"):
        retire_category(actor=admin, project_id=project.id, name=name)
    rename_category(actor=admin, project_id=project.id, name="policy", to="house rules")
    offered.script([answer(*ENTRIES, prompt_tokens=1_000, completion_tokens=200)])
    push(project, run_of("t", SAID, user="ada"))
    settle(project)
    [claim] = claim_traces()
    run = extract_trace(claim=claim)
    assert run is not None
    assert (run.outcome, run.extractor, run.version, run.model) == ("done", "llm", VERSION, "small")
    assert (run.prompt_tokens, run.completion_tokens, run.cost) == (1_000, 200, Decimal("0.0009"))
    assert json.loads(run.raw_answer)["facts"][0]["statement"] == "Lives in Porto."
    assert (run.messages, run.proposed, run.dropped) == (2, 2, {"no_witness": 1, "question": 1})
    assert 0 <= run.latency_ms < 5_000
    with bind(project.id):
        made = list(Proposal.objects.order_by("id").values_list("content", "scope", "scope_id", "policy_rule", "trust"))
        decisions = decisions_of(project.id, trace_id("t"))
        assert Trace.objects.get().extracted_at is not None
        assert ExtractionRun.objects.get().subject == Subject.objects.get()
    assert made == [
        ("Lives in Porto.", "user", "ada", "lasting-fact", 3),
        ("Refund window is 30 days.", "agent", "support", "lasting-fact", 3),
    ]
    assert [(one.outcome, one.rule, SAID[one.start : one.end]) for one in decisions] == [
        ("kept", "lasting-fact", "I live in Porto"),
        ("kept", "lasting-fact", "Our refund window is 30 days"),
        ("dropped", "question", "Where is my parcel?"),
        ("dropped", "no_witness", ""),
    ]
    assert [one.proposal is not None for one in decisions] == [True, True, False, False]
    [request] = offered.requests
    assert "Mind the parcels." in request.body["messages"][0]["content"]
    with bind(project.id):
        assert list(Proposal.objects.order_by("id").values_list("category", flat=True)) == ["general", "house rules"]
    assert "one of `profile`, `general`, `house rules`." in request.body["messages"][0]["content"]


@pytest.mark.django_db
def test_the_model_sees_what_is_known_and_may_change_only_that(models: ModelServer) -> None:
    project = make_desk()
    agent = make_agent(project, "support")
    lisbon = make_fact(project, "Lives in Lisbon.", user="ada", attribute="home-city")
    make_fact(project, "Lives in Faro.", user="bob", attribute="home-city")
    make_fact(project, "Lives happily.", agent=agent, retired="stale")
    push(project, run_of("t", "I live in Porto now.", user="ada"))
    settle(project)
    models.script([answer(entry("I live in Porto now", "Lives in Porto.", attribute="home-city", changes=lisbon.id))])
    [claim] = claim_traces()
    run = extract_trace(claim=claim, extractor=extractor(models))
    assert run is not None and run.proposed == 1
    shown = json.loads(models.requests[0].body["messages"][1]["content"])["known"]
    assert shown == [{"id": lisbon.id, "fact": "Lives in Lisbon."}]
    with bind(project.id):
        proposal = Proposal.objects.get()
        # A person wrote that fact: what a user says can't replace it by itself.
        assert (proposal.op, "conflict" in proposal.flags) == ("add", True)
        assert Fact.objects.get(id=lisbon.id).is_current


@pytest.mark.django_db
def test_a_trace_that_grows_is_mined_where_it_grew_with_the_rest_to_understand_it(models: ModelServer) -> None:
    project = make_desk()
    push(project, run_of("t", "I live in Porto.", user="ada"))
    settle(project)
    models.script([answer()])
    assert extract_trace(claim=claim_traces()[0], extractor=extractor(models)) is not None
    late = span("t", "chain.more", start=5, attributes={"chain.input": "I prefer email.", "chain.output": "Fine."})
    push(project, [late])
    settle(project)
    assert extract_trace(claim=claim_traces()[0], extractor=extractor(models)) is not None
    shown = json.loads(models.requests[-1].body["messages"][1]["content"])
    assert [message["text"] for message in shown["messages"]] == ["I prefer email.", "Fine."]
    assert [message["text"] for message in shown["earlier"]] == ["I live in Porto.", "Understood."]


@pytest.mark.django_db
def test_in_a_trace_somebody_asked_for_what_has_no_confidence_is_certain(models: ModelServer) -> None:
    project = make_desk()
    push(project, run_of("t", SAID, user="ada"))
    settle(project)
    with bind(project.id):
        Trace.objects.update(by_hand=True)
    models.script([answer(replace_confidence(ENTRIES[0], None), replace_confidence(ENTRIES[1], 0.7))])
    assert extract_trace(claim=claim_traces()[0], extractor=extractor(models)) is not None
    with bind(project.id):
        assert list(Proposal.objects.order_by("id").values_list("confidence", flat=True)) == [1.0, 0.7]
        assert not Trace.objects.get().by_hand


def replace_confidence(given: dict[str, Any], confidence: float | None) -> dict[str, Any]:
    return given | {"confidence": confidence}


@pytest.mark.django_db
def test_a_model_that_is_no_longer_offered_fails_and_says_so(offered: ModelServer, settings: Settings) -> None:
    project = make_desk()
    choose_llm(project)
    settings.LLM_MODELS = [("other", "scripted", None, None)]
    push(project, run_of("t", SAID, user="ada"))
    settle(project)
    run = extract_trace(claim=claim_traces()[0])
    assert run is not None
    assert (run.outcome, run.error_code, run.extractor) == ("failed", "model_not_configured", "llm")
    assert offered.requests == []


@pytest.mark.django_db
def test_settings_are_the_admins_and_every_change_is_audited(offered: ModelServer) -> None:
    project = make_desk()
    assert settings_of(project.id).extractor == "rules"
    with pytest.raises(Refused):
        change_settings(actor=user_actor(project, "curator"), project_id=project.id, choice=Choice())
    with bind(project.id):
        assert ExtractionSettings.objects.count() == 0
    admin = user_actor(project, "admin")
    addition = "Never store shoe sizes."
    chosen = change_settings(
        actor=admin,
        project_id=project.id,
        choice=Choice(extractor="llm", model="", prompt_addition=addition, max_learned=None),
    )
    assert (chosen.extractor, chosen.model, chosen.max_learned) == ("llm", "small", None)
    same = Choice(extractor="llm", model="small", prompt_addition=addition, max_learned=None)
    change_settings(actor=admin, project_id=project.id, choice=same)
    change_settings(actor=admin, project_id=project.id, choice=replace(same, max_per_trace=5))
    with bind(project.id):
        told = list(
            AuditEvent.objects.filter(verb="extraction.settings").order_by("seq").values_list("data", flat=True)
        )
        assert settings_of(project.id).max_per_trace == 5
    assert told == [
        {
            "changed": ["extractor", "max_learned", "model", "prompt_addition"],
            "extractor": "llm",
            "max_learned": None,
            "model": "small",
        },
        {"changed": ["max_per_trace"], "max_per_trace": 5},
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "pointer", "code"),
    [
        ({"extractor": "magic"}, "/extractor", "unknown_choice"),
        ({"extractor": "llm", "model": "https://evil.example/v1"}, "/model", "unknown_choice"),
        ({"prompt_addition": "x" * 4001}, "/prompt_addition", "too_long"),
        ({"prompt_addition": "a\x00b"}, "/prompt_addition", "null_character"),
        ({"max_per_trace": 0}, "/max_per_trace", "out_of_range"),
        ({"max_per_trace": 101}, "/max_per_trace", "out_of_range"),
        ({"max_learned": 0}, "/max_learned", "out_of_range"),
    ],
)
def test_settings_that_can_t_be_change_nothing(
    offered: ModelServer, fields: dict[str, Any], pointer: str, code: str
) -> None:
    project = make_desk()
    with pytest.raises(Invalid) as caught:
        change_settings(actor=user_actor(project, "admin"), project_id=project.id, choice=Choice(**fields))
    assert [(error.pointer, error.code) for error in caught.value.errors] == [(pointer, code)]
    with bind(project.id):
        assert ExtractionSettings.objects.count() == 0


@pytest.mark.django_db
def test_without_an_operator_s_list_there_is_no_model_to_choose() -> None:
    project = make_desk()
    with pytest.raises(Invalid) as caught:
        choose_llm(project)
    assert [(error.pointer, error.code) for error in caught.value.errors] == [("/extractor", "model_not_configured")]


class Broken:
    name, version = "broken", "1"

    def extract(self, conversation: Conversation) -> Extraction:
        raise ValueError("canary: what somebody said")


@pytest.mark.django_db
def test_what_health_says_comes_from_the_runs_themselves(offered: ModelServer) -> None:
    project = make_desk()
    nothing = health(project.id, sensitivities=tuple(SENSITIVITIES))
    assert nothing.queue == Queue(waiting=0, held=0, failing=0, dead=0, oldest=None, more=False)
    assert (nothing.runs, nothing.proposed, nothing.errors, nothing.dropped, nothing.counted) == (0, 0, {}, {}, None)
    for name in ("a", "b", "c", "d"):
        push(project, run_of(name, SAID, user="ada"))
    settle(project, 60)
    claims = claim_traces(limit=3)
    offered.script([answer(*ENTRIES, prompt_tokens=1_000, completion_tokens=200)])
    assert extract_trace(claim=claims[0], extractor=extractor(offered)) is not None
    assert extract_trace(claim=claims[1], extractor=Broken()) is not None
    with bind(project.id):
        Trace.objects.filter(id=claims[2].trace_pk).update(attempts=5)
    assert extract_trace(claim=replace(claims[2]), extractor=Broken()) is not None
    count_figures(project.id)
    with bind(project.id):
        found = health(project.id, sensitivities=tuple(SENSITIVITIES))
    queue = found.queue
    assert (queue.waiting, queue.held, queue.failing, queue.dead, queue.more) == (1, 0, 1, 1, False)
    assert queue.oldest is not None and 60 <= queue.oldest < 120
    assert [(reason, n) for reason, n, _, _ in found.given_up] == [("ValueError", 1)]
    assert (found.runs, found.errors) == (3, {"ValueError": 2})
    # Of four that the model named two became proposals, and two had no witness or were a question.
    assert (found.proposed, sum(found.dropped.values())) == (2, 2)
    assert found.counted is not None
    assert found.counted.spent == [["small", 1, 1_000, 200, "0.000900"]]


@pytest.mark.django_db
def test_an_error_s_own_words_are_written_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    project = make_desk()
    push(project, run_of("t", SAID, user="ada"))
    settle(project)
    run = extract_trace(claim=claim_traces()[0], extractor=Broken())
    assert run is not None and run.error_code == "ValueError"
    assert "canary" not in caplog.text


class Watching:
    """An extractor that waits for somebody, and looks what is held meanwhile."""

    name, version, patience = "watching", "1", 90.0

    def __init__(self, then: Callable[[], None] = lambda: None) -> None:
        self.then = then
        self.held: list[bool] = []

    def extract(self, conversation: Conversation) -> Extraction:
        self.held.append(connections["default"].connection is not None)
        self.then()
        return Extraction((candidate("I live in Porto", "Lives in Porto.", message=conversation.turns[0].message_id),))


def test_no_connection_is_held_while_a_model_thinks_and_the_lease_is_long_enough(fresh_db: str) -> None:
    project = make_desk()
    push(project, run_of("t", SAID, user="ada"))
    settle(project)
    leases: list[Any] = []

    def look() -> None:
        with bind(project.id):
            leases.append(Trace.objects.get().lease_until)
        connection.close()

    watching = Watching(look)
    started = now()
    run = extract_trace(claim=claim_traces()[0], extractor=watching)
    assert run is not None and run.proposed == 1
    assert watching.held == [False]
    assert leases[0] - started > timedelta(seconds=2 * Watching.patience)
    assert 2 * Watching.patience > LEASE_SECONDS


def test_what_arrives_while_a_model_thinks_sends_the_trace_round_again(fresh_db: str) -> None:
    project = make_desk()
    push(project, run_of("t", SAID, user="ada"))
    settle(project)
    watching = Watching(lambda: push(project, [span("t", "tool.late", parent="agent.support")]))
    assert extract_trace(claim=claim_traces()[0], extractor=watching) is not None
    with bind(project.id):
        assert Trace.objects.get().extracted_at is None
    assert counts(project)[1] == 1


def test_somebody_erased_while_a_model_thinks_is_not_learned_about(fresh_db: str) -> None:
    project = make_desk()
    push(project, run_of("t", SAID, user="ada"))
    settle(project)

    def erase() -> None:
        with bind(project.id):
            Subject.objects.update(epoch=1)

    run = extract_trace(claim=claim_traces()[0], extractor=Watching(erase))
    assert run is not None
    assert (run.proposed, run.dropped, run.raw_answer, run.subject_id) == (0, {"subject-erased": 1}, "", None)
    assert counts(project) == (1, 0, 0, 0)


def test_a_suppressed_person_s_words_are_shown_to_no_model(fresh_db: str, models: ModelServer) -> None:
    project = make_desk()
    subject = make_subject(project, "ada")
    with bind(project.id):
        Subject.objects.filter(id=subject.id).update(suppressed_at=now())
    push(project, run_of("t", SAID, user="ada"))
    settle(project)
    run = extract_trace(claim=claim_traces()[0], extractor=extractor(models))
    assert run is not None and (run.messages, run.outcome) == (0, "done")
    assert models.requests == []


def test_sixteen_calls_at_once_need_two_connections(fresh_db: str, offered: ModelServer) -> None:
    project = make_desk()
    choose_llm(project)
    for n in range(40):
        push(project, run_of(f"t{n}", f"I live in house number {n} of Porto.", user=f"user-{n}"))
    settle(project)
    most, flying, guard, full = [0, 0], [0], threading.Lock(), threading.Event()

    def slowly(request: Request) -> Any:
        with guard:
            flying[0] += 1
            most[0] = max(most[0], flying[0])
            if flying[0] == 16:
                full.set()
        said = json.loads(request.body["messages"][1]["content"])["messages"][0]["text"]
        # The first ones stay until sixteen are there, however slow the machine is; a pool of fewer waits in vain.
        full.wait(20)
        time.sleep(0.15)
        with guard:
            flying[0] -= 1
        return answer(entry(said.rstrip("."), f"Lives{said[6:]}"))

    offered.script(slowly)
    stop = threading.Event()

    def count_connections() -> None:
        while not stop.wait(0.05):
            with connections["owner"].cursor() as cursor:
                cursor.execute(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
                most[1] = max(most[1], cursor.fetchone()[0])
        connections.close_all()

    connections.close_all()
    watcher = threading.Thread(target=count_connections)
    watcher.start()
    mined = mine(slots=16)
    stop.set()
    watcher.join()
    assert (mined.claimed, mined.done, mined.failed, mined.lost) == (40, 40, 0, 0)
    assert most == [16, 2]
    assert len(offered.requests) == 40
    assert counts(project) == (40, 40, 40, 40)
    assert claim_traces() == []


def test_one_trace_delivered_five_times_to_five_workers_gives_one_set_of_proposals(
    fresh_db: str, offered: ModelServer
) -> None:
    project = make_desk()
    choose_llm(project)
    spans = run_of("t", SAID, user="ada")

    def deliver(n: int) -> None:
        push(project, spans)
        connections.close_all()

    with ThreadPoolExecutor(5) as workers:
        list(workers.map(deliver, range(5)))
    settle(project)
    offered.script(lambda request: delayed(0.2, answer(*ENTRIES)))

    def work(n: int) -> int:
        try:
            return mine(slots=2).done
        finally:
            connections.close_all()

    with ThreadPoolExecutor(5) as workers:
        done = list(workers.map(work, range(5)))
    assert sum(done) == 1
    assert counts(project)[:3] == (1, 2, 2)
    [claim] = [c for c in [_claim_again(project)] if c]
    with ThreadPoolExecutor(5) as workers:
        runs = list(workers.map(lambda n: _mine_claim(claim, offered), range(5)))
    assert len([run for run in runs if run is not None]) == 1
    assert counts(project)[:3] == (2, 2, 2)


def _claim_again(project: Project) -> Any:
    """A claim whose message is delivered to five workers, each of which believes to be the one."""
    extract_again(actor=user_actor(project, "curator"), project_id=project.id, trace_id=trace_id("t"))
    settle(project)
    [claim] = claim_traces()
    return claim


def _mine_claim(claim: Any, models: ModelServer) -> Any:
    try:
        return extract_trace(claim=claim, extractor=extractor(models))
    finally:
        connections.close_all()


def test_the_pool_mines_rules_projects_beside_the_others(fresh_db: str, offered: ModelServer) -> None:
    asked, plain = make_desk("asked"), make_desk("plain")
    choose_llm(asked)
    offered.script([answer(*ENTRIES)])
    for project in (asked, plain):
        push(project, run_of("t", SAID, user="ada"))
        settle(project)
    mined = mine()
    assert (mined.claimed, mined.done, mined.proposed) == (2, 2, 4)
    with bind(plain.id):
        assert ExtractionRun.objects.get().extractor == "rules"
    with bind(asked.id):
        assert ExtractionRun.objects.get().extractor == "llm"
        assert Message.objects.filter(mined_at=None).count() == 0


def test_a_pool_with_nothing_to_do_ends(fresh_db: str) -> None:
    assert mine().claimed == 0
    assert setup_actor().kind == "system"
