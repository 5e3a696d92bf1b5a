"""Mining stored traces again: what is taken, what is not taken twice, and what a dry run leaves alone."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from pytest_django import Settings

from apps.access.actor import system_actor
from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.models import Proposal
from apps.extraction.actions.learn_traces import Learned, learn_traces
from apps.extraction.actions.queue_stored import queue_stored
from apps.extraction.forecast import Forecast
from apps.extraction.ledger import signature_of, stored_count
from apps.extraction.models import ExtractionRun, ExtractionSettings
from apps.extraction.prompt import instructions
from apps.extraction.queries import settings_of
from apps.extraction.rules import RulesExtractor
from apps.extraction.tasks import sweep
from apps.tenancy.models import Project, Subject
from apps.traces.models import Message, Trace
from tests.console.stage import mine, push, state
from tests.factories import make_agent, make_project, user_actor
from tests.spans import NOON, run_of, span, trace_id

RULES = f"rules {RulesExtractor.version}"
LONG_AGO = NOON - timedelta(days=1)
SAID = {"a": "I prefer email.", "b": "I live in Porto.", "c": "I am allergic to nuts."}


@pytest.fixture
def project(fresh_db: str) -> Project:
    """Three traces, mined by another extractor, which found nothing it keeps of the last two."""
    project = make_project("acme")
    make_agent(project, "support")
    for name, said in SAID.items():
        push(project, run_of(name, said, user="ada"))
    mine(project)
    return project


def learn(project: Project, **options: object) -> Learned:
    actor = system_actor("extraction", project.id)
    return learn_traces(actor=actor, project_id=project.id, **{"since": LONG_AGO} | options)  # type: ignore[arg-type]


def contents(project: Project) -> list[str]:
    with bind(project.id):
        return sorted(Proposal.objects.values_list("content", flat=True))


def runs(project: Project, extractor: str = "rules") -> list[str]:
    with bind(project.id):
        return sorted(ExtractionRun.objects.filter(extractor=extractor).values_list("trace_id", flat=True))


def test_run_twice_nothing_twice(project: Project) -> None:
    assert contents(project) == ["Prefers email."]
    heard: list[tuple[int, int]] = []
    first = learn(project, progress=lambda *so_far: heard.append(so_far))
    assert (first.extractor, first.found, first.known, first.mined) == (RULES, 3, 0, 3)
    assert (first.failed, first.put_off, first.taken, first.errors) == (0, 0, 0, {})
    # What waited already was not proposed again.
    assert first.proposed == 2 and len(contents(project)) == len(set(contents(project))) == 3
    assert runs(project) == sorted(trace_id(name) for name in SAID)
    assert heard[-1] == (3, 3)
    with bind(project.id):
        assert AuditEvent.objects.get(verb="traces.learn").data == {"found": 3, "mined": 3, "failed": 0}
    before = state(project)
    assert learn(project) == Learned(RULES, 0, 3)
    assert state(project) == before


def test_what_the_extractor_gives_no_confidence_is_certain(project: Project) -> None:
    learn(project)
    with bind(project.id):
        assert set(Proposal.objects.exclude(content="Prefers email.").values_list("confidence", flat=True)) == {1.0}


def test_a_dry_run_changes_nothing(project: Project) -> None:
    before = state(project)
    # "Prefers email." waits already.
    assert learn(project, dry_run=True) == Learned(RULES, 3, 0, forecast=Forecast(messages=6, proposals=2))
    assert state(project) == before
    assert learn(project).proposed == 2
    before = state(project)
    assert learn(project, dry_run=True) == Learned(RULES, 0, 3, forecast=Forecast(proposals=0))
    assert state(project) == before


def test_a_dry_run_counts_what_two_traces_say_once(project: Project) -> None:
    push(project, run_of("again", "I live in Porto.", user="ada"))
    with bind(project.id):
        Trace.objects.update(last_arrival_at=now() - timedelta(hours=1))
    expected = learn(project, dry_run=True).forecast
    assert expected == Forecast(messages=8, proposals=2) and learn(project).proposed == 2


def test_a_dry_run_with_a_model_asks_nobody_and_estimates(project: Project, settings: Settings) -> None:
    settings.LLM_BASE_URL, settings.LLM_MODELS = "http://127.0.0.1:9", [("small", "scripted", None, None)]
    with bind(project.id):
        ExtractionSettings.objects.create(project_id=project.id, extractor="llm", model="small")
    before = state(project)
    expected = learn(project, dry_run=True).forecast
    assert expected is not None and (expected.messages, expected.proposals, expected.calls) == (6, None, 3)
    letters = 3 * len(instructions(categories=[], addition=""))
    assert letters / 4 < expected.tokens < letters / 4 + 600
    assert state(project) == before
    hours = f"--last-hours={(now() - LONG_AGO).total_seconds() / 3600:.0f}"
    assert f": 3 calls of the model, with about {expected.tokens:,} tokens of input in all." in command(
        "--dry-run", hours
    )


def test_the_newest_first_and_no_more_than_asked(project: Project) -> None:
    with bind(project.id):
        Trace.objects.filter(trace_id=trace_id("b")).update(started_at=NOON + timedelta(hours=1))
    assert learn(project, limit=1).mined == 1
    assert runs(project) == [trace_id("b")]
    again = learn(project, limit=1)
    assert (again.found, again.known, again.mined) == (1, 1, 1)
    assert learn(project, since=NOON + timedelta(days=1)) == Learned(RULES, 0, 0)


def test_one_agent_alone_also_where_it_was_registered_later(project: Project) -> None:
    push(project, run_of("d", "I prefer trains.", user="ada", agent="orders"))
    mine(project)
    orders = make_agent(project, "orders")
    assert learn(project, agent_id=orders.id).mined == 1
    assert runs(project) == [trace_id("d")]


def test_what_is_not_to_be_mined_is_left_alone(project: Project) -> None:
    push(project, run_of("judged", "I prefer tea.", user="ada", **{"fastaiagent.source": "eval"}))
    push(project, run_of("arriving", "I prefer milk.", user="ada"))
    push(project, run_of("held", "I prefer water.", user="ada"))
    push(project, run_of("unwanted", "I prefer soup.", user="bea"))
    with bind(project.id):
        Trace.objects.exclude(trace_id=trace_id("arriving")).update(last_arrival_at=now() - timedelta(hours=1))
        Trace.objects.filter(trace_id=trace_id("held")).update(lease_until=now() + timedelta(minutes=1))
        Subject.objects.filter(external_id="bea").update(suppressed_at=now())
    assert learn(project).found == 3
    assert runs(project) == sorted(trace_id(name) for name in SAID)


def test_what_was_rejected_does_not_come_back(project: Project) -> None:
    with bind(project.id):
        proposal = Proposal.objects.get()
    actor = user_actor(project, "curator")
    reject_proposal(actor=actor, project_id=project.id, proposal_id=proposal.id, reason="vague")
    learn(project)
    with bind(project.id):
        assert Proposal.objects.filter(content="Prefers email.").values_list("state", flat=True).get() == "rejected"


def test_three_at_once_mine_each_trace_once(project: Project) -> None:
    def go(_: int) -> Learned:
        try:
            return learn(project)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(go, range(3)))
    assert sum(one.mined for one in done) == 3
    assert runs(project) == sorted(trace_id(name) for name in SAID)


def test_refused_without_the_role_or_with_a_wrong_limit(project: Project) -> None:
    before = state(project)
    for limit in (0, 10_001):
        with pytest.raises(Invalid):
            learn(project, limit=limit)
    with pytest.raises(Refused):
        learn_traces(actor=user_actor(project, "admin"), project_id=project.id, since=LONG_AGO)
    assert {name for name, digest in state(project).items() if before[name] != digest} <= {
        "access_user",
        "access_membership",
        "audit_auditevent",
        "audit_audithead",
    }
    assert runs(project) == []


# --- queued for the workers -------------------------------------------------------------------------------------------


def test_queued_traces_wait_for_a_worker_and_are_queued_once(project: Project) -> None:
    curator = user_actor(project, "curator")
    assert _count(project) == 3
    assert queue_stored(actor=curator, project_id=project.id, since=LONG_AGO, limit=2) == 2
    with bind(project.id):
        assert Trace.objects.filter(extracted_at=None).count() == 2
        assert Message.objects.filter(mined_at=None).count() == 4
        assert AuditEvent.objects.get(verb="traces.queue_stored").data == {"queued": 2}
    assert queue_stored(actor=curator, project_id=project.id, since=LONG_AGO) == 1
    before = state(project)
    assert queue_stored(actor=curator, project_id=project.id, since=LONG_AGO) == 0
    assert state(project) == before
    # Whoever comes first mines them; then the ledger knows them.
    assert learn(project).mined == 3
    assert queue_stored(actor=curator, project_id=project.id, since=LONG_AGO) == 0
    assert _count(project) == 0


def test_what_the_button_queued_is_as_certain_as_what_the_command_mined(project: Project) -> None:
    push(project, run_of("arriving", "I prefer trains.", user="ada"))
    queue_stored(actor=user_actor(project, "curator"), project_id=project.id, since=LONG_AGO)
    with bind(project.id):
        assert set(Trace.objects.filter(by_hand=True).values_list("trace_id", flat=True)) == set(map(trace_id, SAID))
        Trace.objects.update(last_arrival_at=now() - timedelta(hours=1))
    sweep()
    with bind(project.id):
        found = dict(Proposal.objects.exclude(content="Prefers email.").values_list("content", "confidence"))
        assert (len(found), found.pop("Prefers trains."), set(found.values())) == (3, 0.6, {1.0})
        assert Trace.objects.filter(by_hand=True).count() == 0


# --- a trace of which one extractor had a part ------------------------------------------------------------------------


def _later(project: Project, name: str, said: str) -> None:
    push(project, [span(name, "chain.more", start=5, attributes={"chain.input": said, "chain.output": "Fine."})])
    with bind(project.id):
        Trace.objects.update(last_arrival_at=now() - timedelta(hours=1))


def test_what_another_extractor_had_read_is_owed_though_the_rest_was_mined(project: Project) -> None:
    # The sweep reads what came later with the present extractor, and only that.
    _later(project, "b", "I prefer trains.")
    sweep()
    assert runs(project) == [trace_id("b")]
    first = learn(project)
    assert (first.found, first.known, first.mined) == (3, 0, 3)
    with bind(project.id):
        by_run = list(
            ExtractionRun.objects.filter(extractor="rules", trace_id=trace_id("b"))
            .order_by("id")
            .values_list("messages", "mined")
        )
        ids = list(Message.objects.filter(trace_id=trace_id("b")).order_by("id").values_list("id", flat=True))
        assert Message.objects.filter(mined_at=None).count() == 0
    # Each message once: the two later ones by the sweep, the two earlier ones by learn.
    assert [(count, sorted(mined)) for count, mined in by_run] == [(2, ids[2:]), (2, ids[:2])]
    assert {"Prefers trains.", "Lives in Porto."} <= set(contents(project))
    assert learn(project) == Learned(RULES, 0, 3)


def test_what_came_since_is_mined_once_by_whoever_comes_first(project: Project) -> None:
    learn(project)
    _later(project, "b", "I prefer trains.")
    assert (learn(project).found, learn(project).found) == (1, 0)
    sweep()
    with bind(project.id):
        counts = ExtractionRun.objects.filter(extractor="rules", trace_id=trace_id("b")).order_by("id")
        assert list(counts.values_list("messages", flat=True)) == [2, 2]


def test_a_run_from_before_the_ids_were_kept_counts_for_the_whole_trace(project: Project) -> None:
    learn(project)
    with bind(project.id):
        ExtractionRun.objects.filter(extractor="rules").update(mined=None)
    assert learn(project) == Learned(RULES, 0, 3)


def _count(project: Project) -> int:
    with bind(project.id):
        return stored_count(project.id, signature_of(settings_of(project.id)), since=LONG_AGO)


# --- the command ------------------------------------------------------------------------------------------------------


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("learn", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_says_what_it_does(project: Project) -> None:
    hours = f"--last-hours={(now() - LONG_AGO).total_seconds() / 3600:.0f}"
    assert command("--dry-run", hours) == (
        f"Would mine 3 traces by {RULES}; it mined 0 others before. They hold 6 messages to read and would give 2"
        " proposals. Nothing was changed.\n"
    )
    said = command(hours, "--agent=support", "--max-traces=2", "--project=acme").splitlines()
    assert said[-1] == f"Mined 2 of 2 traces by {RULES}: {len(contents(project)) - 1} proposals." + (
        " It had mined 0 others before."
    )
    assert said[-2] == "2 of 2 traces taken up"
    assert command(hours).splitlines()[-1].startswith("Mined 1 of 1 traces") and len(runs(project)) == 3
    assert command(hours) == f"Mined 0 of 0 traces by {RULES}: 0 proposals. It had mined 3 others before.\n"


def test_the_command_refuses_what_it_does_not_know(project: Project) -> None:
    for arguments, text in {
        ("--agent=nobody",): "no agent of this name",
        ("--project=other",): "Name one project with --project: acme.",
        ("--last-hours=0",): "--last-hours lies above 0",
        ("--max-traces=0",): "Between 1 and 10,000 traces.",
    }.items():
        with pytest.raises(CommandError, match=text):
            command(*arguments)
    assert runs(project) == []
