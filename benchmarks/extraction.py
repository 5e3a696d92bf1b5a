"""What gets into the review queue, how fast, and that nothing gets in twice.

(a) noise: a month of an always-on agent with a model that takes every sentence for a fact and gets a fifth of them
    wrong. Junk among proposals at most 2 %, facts found at least 90 %. A second proposal of one fact is junk.
(b) speed: a model of 200 ms and 16 slots over 2 database connections; there is a fact in every tenth trace. At least
    95 % of 80 traces a second, at most 5 ms of own CPU a trace (all threads of this process; the embedder is off, its
    work is a figure of its own); with a tenth of time-outs no trace stuck and none mined twice.
(c) with ``--data FILE`` (a LoCoMo file): what the offline rules propose from real talk, by rule and a hundred turns,
    and 100 of the proposals with their quotes, to be read.
(d) twice: one trace delivered five times at once to five workers gives one set of proposals.

``--control`` switches the write policy off and must then fail. ``--only ab`` runs some parts.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from servers import migrated  # type: ignore[import-not-found]

GOAL_JUNK, GOAL_FOUND = 0.02, 0.90
FACTS = 70
LATENCY, SLOTS, GOAL_SPEED, GOAL_CPU = 0.2, 16, 0.95, 0.005
TRACES, EVERY = 960, 10


class Board:
    """Figures beside goals; remembers whether one fell short."""

    def __init__(self) -> None:
        self.failed = False

    def show(self, name: str, figure: str, goal: str, ok: bool) -> None:
        self.failed |= not ok
        print(f"  {name:<46}{figure:>22}   goal {goal:<18}{'ok' if ok else 'short of the goal'}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--control", action="store_true", help="switch the write policy off; the run must then fail")
    parser.add_argument("--data", type=Path, help="a LoCoMo file for part (c)")
    parser.add_argument("--only", default="abcd", help="the parts to run, by letter")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    board = Board()
    with migrated():
        from django.conf import settings

        settings.SETTLE_SECONDS = 0
        if options.control:
            switch_policy_off()
        if "a" in options.only:
            noise(board, random.Random(options.seed))
        if "b" in options.only and not options.control:
            speed(board)
            time_outs(board)
        if "d" in options.only and not options.control:
            five_times(board)
        if options.data and "c" in options.only:
            real_talk(options.data, random.Random(options.seed))
    print("failed" if board.failed else "within the goals")
    return int(board.failed)


def switch_policy_off() -> None:
    from apps.extraction import stages
    from apps.extraction.policy import drop, judge, keep

    # What has no place in a message can't be stored at all; everything else gets in.
    table = (
        drop("unknown-message", lambda case: case.turn is None),
        drop("no_witness", lambda case: case.span is None),
        keep("anything", lambda case: True),
    )
    stages.judge = lambda *given, **named: judge(*given, **named | {"table": table, "cap": 100})


def project_with(model_url: str, timeout: float, slug: str, prompt: str = "", agent: str = "support") -> Any:
    """A project whose traces are mined by the model at that address."""
    from django.conf import settings

    from apps.extraction.actions.change_settings import Choice, change_settings
    from tests.factories import make_agent, make_project, user_actor

    settings.LLM_BASE_URL, settings.LLM_TIMEOUT = model_url, timeout
    settings.LLM_MODELS = [("bench", f"bench-{slug}", 0.5, 2.0)]
    project = make_project(slug)
    make_agent(project, agent, system_prompt=prompt)
    choice = Choice(extractor="llm", model="bench", max_per_trace=100, max_learned=None)
    change_settings(actor=user_actor(project, "admin"), project_id=project.id, choice=choice)
    return project


def push(project: Any, spans: list[Any]) -> None:
    from apps.access.actor import Actor
    from apps.traces.actions.ingest_spans import ingest_spans

    actor = Actor(kind="key", id="1", project_id=project.id, scopes=frozenset({"traces:write"}))
    for start in range(0, len(spans), 400):
        ingest_spans(actor=actor, project_id=project.id, spans=spans[start : start + 400])


def noise(board: Board, dice: random.Random) -> None:
    from apps.core.transactions import bind
    from apps.curation.models import Proposal, ProposalEvidence
    from apps.extraction.models import CandidateDecision
    from apps.extraction.pool import mine
    from benchmarks.noisy_agent import AGENT, PROMPT, BadModel, facts, month
    from tests.model_server import ModelServer, ok
    from tests.spans import run_of, trace_id

    wanted = facts(FACTS, dice)
    runs = month(dice, wanted)
    model = BadModel()
    print(f"(a) {len(runs)} runs of a noisy agent, {len(wanted)} facts in them")
    with ModelServer() as server:
        server.script(lambda request: ok({"facts": model.facts(request.body["messages"][-1]["content"])}))
        project = project_with(server.url, 20.0, "noisy", PROMPT, AGENT)
        for start in range(0, len(runs), 100):
            spans = [
                one
                for n, run in enumerate(runs[start : start + 100], start)
                for one in run_of(f"run-{n}", run.asked, run.answered, agent=AGENT, user=run.user)
            ]
            push(project, spans)
            time.sleep(0.1)
            while mine(slots=4).claimed:
                pass
    by_trace = {trace_id(f"run-{n}"): run for n, run in enumerate(runs)}
    found: set[str] = set()
    junk: list[tuple[str, str]] = []
    with bind(project.id):
        quotes = dict(ProposalEvidence.objects.order_by("-id").values_list("proposal_id", "quote"))
        proposals = list(Proposal.objects.order_by("created_at", "id"))
        rules = Counter(CandidateDecision.objects.exclude(outcome__in=["kept", "held"]).values_list("rule", flat=True))
    for proposal in proposals:
        fact = by_trace[proposal.source_trace_id].fact
        if fact and fact.text not in found and _overlap(quotes.get(proposal.id, ""), fact.text):
            found.add(fact.text)
        else:
            junk.append((proposal.policy_rule, f"{proposal.content}  <- {by_trace[proposal.source_trace_id].asked}"))
    share = len(junk) / len(proposals) if proposals else 0.0
    print(f"  {model.entries} candidates, {model.corrupted} of them corrupted, {len(proposals)} proposals")
    print(f"  left out: {', '.join(f'{rule} {count}' for rule, count in rules.most_common())}")
    board.show(
        "junk among proposals",
        f"{len(junk)} of {len(proposals)} = {share:.1%}",
        f"<= {GOAL_JUNK:.0%}",
        share <= GOAL_JUNK,
    )
    ratio = len(found) / len(wanted)
    board.show(
        "facts found", f"{len(found)} of {len(wanted)} = {ratio:.1%}", f">= {GOAL_FOUND:.0%}", ratio >= GOAL_FOUND
    )
    for rule, content in junk[:10]:
        print(f"    junk by {rule}: {content}")
    for fact in wanted:
        if fact.text not in found:
            print(f"    not found: {fact.text}")


def _overlap(quote: str, fact: str) -> bool:
    """Whether the quote is of the sentence that says the fact."""
    said, wanted = (" ".join(text.lower().split()).rstrip(".!") for text in (quote, fact))
    return wanted in said or (len(said) > 12 and said in wanted)


def speed(board: Board) -> None:
    from django.conf import settings

    from apps.extraction.pool import mine
    from benchmarks.stub_model import stub_model

    settings.EMBEDDER = "none"  # the embedder's work is its own figure
    print(
        f"(b) {TRACES} traces, a model of {LATENCY * 1000:.0f} ms, {SLOTS} slots, {settings.EXTRACT_CONNECTIONS} database connections"
    )
    with stub_model(LATENCY) as url:
        project = project_with(url, 20.0, "speed")
        _fill(project, "warm", 2 * SLOTS)
        mine(slots=SLOTS)
        _fill(project, "run", TRACES)
        began, cpu = time.perf_counter(), time.process_time()
        mined = mine(slots=SLOTS, seconds=120)
        took, used = time.perf_counter() - began, time.process_time() - cpu
    ideal = SLOTS / LATENCY
    # The last wave of a finite queue runs out: it is not what a slot does while there is work.
    rate = mined.done / took
    board.show(
        "traces a second",
        f"{rate:.1f} = {rate / ideal:.1%}",
        f">= {GOAL_SPEED:.0%} of {ideal:.0f}",
        rate >= GOAL_SPEED * ideal,
    )
    each = used / max(mined.done, 1)
    board.show("own CPU a trace", f"{each * 1000:.2f} ms", f"<= {GOAL_CPU * 1000:.0f} ms", each <= GOAL_CPU)
    wanted = TRACES // EVERY
    board.show(
        "proposals",
        f"{mined.proposed} of {mined.done}",
        f"{wanted} of {TRACES}",
        mined.proposed == wanted and mined.done == TRACES,
    )


def time_outs(board: Board) -> None:
    from apps.core.transactions import bind
    from apps.curation.models import Proposal
    from apps.extraction.models import ExtractionRun
    from apps.extraction.pool import mine
    from apps.inference.calls import chat_breaker
    from apps.traces.models import Trace
    from benchmarks.stub_model import stub_model

    traces = 120
    with stub_model(0.05, time_outs=10, pause=2.0) as url:
        project = project_with(url, 1.0, "late")
        _fill(project, "late", traces, every=1)
        for _ in range(20):
            mine(slots=SLOTS)
            with bind(project.id):
                if not Trace.objects.filter(extracted_at=None).exists():
                    break
                # As if the waits were over: the one before the next try, and that of a circuit that opened.
                Trace.objects.filter(extracted_at=None).update(not_before=None)
            chat_breaker(url, "bench-late").succeeded()
    with bind(project.id):
        stuck = Trace.objects.filter(extracted_at=None).count()
        done = Counter(ExtractionRun.objects.filter(outcome="done").values_list("trace_id", flat=True))
        proposals = Proposal.objects.count()
    twice = sum(count > 1 for count in done.values())
    board.show("with a tenth of time-outs, traces stuck", str(stuck), "0", stuck == 0)
    board.show("… mined twice", str(twice), "0", twice == 0 and proposals == traces)


def five_times(board: Board) -> None:
    from django.db import connections

    from apps.core.transactions import bind
    from apps.curation.models import Proposal
    from apps.extraction.models import ExtractionRun
    from apps.extraction.pool import mine
    from benchmarks.stub_model import stub_model
    from tests.spans import run_of

    print("(d) each of 20 traces delivered five times at once, to five workers")

    def deliver(project: Any, n: int) -> None:
        push(project, run_of(f"five-{n}", f"I live in house {n} by the river.", user=f"user-{n}"))
        connections.close_all()

    def work(_: int) -> int:
        try:
            return mine(slots=4).done
        finally:
            connections.close_all()

    with stub_model(0.1) as url, ThreadPoolExecutor(5) as workers:
        project = project_with(url, 5.0, "five")
        for n in range(20):
            list(workers.map(lambda _, n=n: deliver(project, n), range(5)))
        time.sleep(0.1)
        list(workers.map(work, range(5)))
    with bind(project.id):
        runs, proposals = ExtractionRun.objects.count(), Proposal.objects.count()
    board.show("runs and proposals", f"{runs} and {proposals}", "20 and 20", runs == proposals == 20)


def _fill(project: Any, name: str, count: int, every: int = EVERY) -> None:
    """``count`` traces that wait, a fact in every ``every``-th."""
    from tests.spans import run_of

    said, other = "I live by the river in Porto. Where is my parcel?", "Where is my parcel? It should be here by now."

    push(
        project,
        [
            one
            for n in range(count)
            for one in run_of(f"{name}-{n}", said if n % every == 0 else other, user=f"{name}-{n}")
        ],
    )
    time.sleep(0.1)


def real_talk(path: Path, dice: random.Random) -> None:
    """Each session twice, so that each speaker is once the one who is listened to."""
    from apps.core.clock import now
    from apps.extraction.candidates import Conversation, Turn
    from apps.extraction.policy import judge
    from apps.extraction.rules import RulesExtractor

    extractor = RulesExtractor()
    turns = 0
    kept: list[tuple[str, str, str, str]] = []
    left_out: Counter[str] = Counter()
    for talk in json.loads(path.read_text("utf-8")):
        for at, lines in _sessions(talk["conversation"]):
            for speaker in dict.fromkeys(who for who, _ in lines):
                said = tuple(
                    Turn(n, "user" if who == speaker else "assistant", text, at or now())
                    for n, (who, text) in enumerate(lines, 1)
                )
                turns += sum(turn.role == "user" for turn in said)
                conversation = Conversation("0" * 32, "friend", "talk", speaker, said)
                extraction = extractor.extract(conversation)
                left_out += Counter(extraction.dropped)
                for verdict in judge(extraction.candidates, conversation):
                    made = verdict.candidate
                    if verdict.outcome == "dropped":
                        left_out[verdict.rule] += 1
                    else:
                        kept.append((made.rule, verdict.rule, made.statement, made.quote))
    print(
        f"(c) {turns} turns of {path.name}: {len(kept)} proposals, {100 * len(kept) / max(turns, 1):.1f} a hundred turns"
    )
    for rule, count in Counter(rule for rule, *_ in kept).most_common():
        print(f"    {rule:<20}{100 * count / turns:6.2f} a hundred turns")
    print(f"  left out: {', '.join(f'{rule} {count}' for rule, count in left_out.most_common())}")
    for number, (rule, policy, statement, quote) in enumerate(dice.sample(kept, min(100, len(kept))), 1):
        print(f"  {number:>3} [{rule}, {policy}] {statement}\n        “{quote}”")


def _sessions(talk: dict[str, Any]) -> list[tuple[datetime | None, list[tuple[str, str]]]]:
    found = []
    for number in range(1, 100):
        lines = talk.get(f"session_{number}")
        if lines:
            when = talk.get(f"session_{number}_date_time", "")
            found.append((_moment(when), [(line["speaker"], line["text"]) for line in lines if line.get("text")]))
    return found


def _moment(text: str) -> datetime | None:
    from datetime import UTC

    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC) + timedelta(0)
    except ValueError:
        return None


if __name__ == "__main__":
    sys.exit(main())
