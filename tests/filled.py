"""A project with one of everything that the console shows, for the tests that walk all its pages.

`fill` returns what the addresses of tests/pages.py name: the ids of a fact, a proposal, a trace and so on.
"""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

from django.test import override_settings

from apps.access.actions.add_alias import add_alias
from apps.access.actions.invite_member import invite_member
from apps.access.actions.register_agent import register_agent
from apps.access.actor import system_actor
from apps.access.models import User
from apps.core.clock import now
from apps.core.ids import uuid7
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.curation.actions.cap_learned import cap_learned
from apps.curation.actions.compare_facts import compare_facts
from apps.curation.actions.open_conflict import open_conflict
from apps.curation.actions.settle_conflict import Verdict, settle_conflict
from apps.curation.models import DuplicateMember, Proposal, ProposalTarget
from apps.dreaming.actions.apply_changes import apply_changes
from apps.dreaming.actions.start_dream import start_dream
from apps.dreaming.models import DreamGate, DreamRun
from apps.exchange.actions.add_webhook import add_webhook
from apps.exchange.hooks import EVENTS
from apps.exchange.models import Webhook, WebhookDelivery
from apps.extraction.models import CandidateDecision, ExtractionRun
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.models import Fact
from apps.facts.statement import statement_of
from apps.insight.actions.count_figures import count_figures
from apps.insight.actions.save_view import save_view
from apps.privacy.actions.change_retention import change_retention
from apps.privacy.actions.fulfil_request import fulfil_request
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.place_hold import place_hold
from apps.privacy.actions.preview_request import preview_request
from apps.privacy.mentions import Identifier
from apps.recall.actions.roll_up_reads import roll_up_reads
from apps.tenancy.models import Agent, Project
from apps.traces.actions.add_session_messages import NewMessage, add_session_messages
from apps.traces.keeping import NAMED
from apps.traces.models import Message, Session, SessionMessage, Trace
from tests.console.stage import learn, push
from tests.curation import stage as gate
from tests.dreaming import stage as dreams
from tests.exchange import stage as files
from tests.factories import make_agent, make_fact, make_key, make_subject, make_user, setup_actor, user_actor
from tests.privacy.stage import approved, work
from tests.recall.test_servings import read
from tests.spans import run_of, span, span_id, trace_id

LONG = "Our rule is " + "unbreakable" * 12 + "."


def fill(project: Project, reader: User | None = None) -> dict[str, str]:
    """Something to show, something long, something held and something decided on every page; values by name. ``reader`` is
    whose own things there are."""
    support = make_agent(project, "support")
    register_agent(actor=setup_actor(project), project_id=project.id, name="support", system_prompt=f"Be kind.\n{LONG}")
    make_fact(project, "Our refund window is 14 days.", agent=support)
    make_fact(project, "Has a nut allergy.", user="ada.k", sensitivity="special")
    make_agent(project, "x" * 120, system_prompt="Be kind.", definition={"tools": ["y" * 200]})
    key, _ = make_key(
        project,
        agents=[support],
        categories=["policy", "x" * 60],
        purposes=["support", "billing", "audit", "y" * 60],
        rate_per_minute=100_000,
        ip_allow=["2001:db8:aaaa:bbbb:cccc:dddd:eeee:0/112", "10.1.0.0/16", "192.0.2.7", "198.51.100.0/24"],
    )
    make_key(project, expired=True)
    make_key(project, revoked=True)
    first, *_ = learn(project, "t", f"Our refund window is 30 days. I prefer email. {LONG}", user="ada.k")
    (held,) = learn(project, "u", "I prefer trains.")
    push(project, run_of("waits", "Hello " + "there" * 60, user="u" * 200, agent="x" * 120))
    push(project, [span("t", "tool.lookup", parent="agent.support", status="ERROR", attributes={"a": "z" * 900})])
    approve_proposal(actor=user_actor(project, "curator"), project_id=project.id, proposal_id=first.id)
    with bind(project.id):
        waiting = Proposal.objects.waiting().exclude(id=held.id).latest("id")
    again, against, retiring = to_choose(project)
    with bind(project.id):
        fact, agent = Fact.objects.latest("id"), Agent.objects.get(name="support")
    for name in ("ada.k", "u" * 200, None):
        read(project, [fact], agent=agent, key=key, subject=make_subject(project, name) if name else None)
    roll_up_reads()
    count_figures(project.id)
    member = make_user(project, "viewer", "auditor", email=f"{'long' * 20}@example.test")
    invitation, token = invite_member(
        actor=user_actor(project, "admin"), project_id=project.id, email="new@example.test", roles=["viewer"]
    )
    ada = make_subject(project, "ada.k")
    alias = add_alias(
        actor=user_actor(project, "curator"), project_id=project.id, subject_id=ada.id, external_id="a" * 200
    )
    gate.learn(project, gate.wish(project, "Prefers trains.", user="ada.k", trace="u"))
    make_fact(project, "Was in Porto.", user="ada.k", retired="stale")
    talk(project)
    rule = change_retention(
        actor=user_actor(project, "admin"),
        project_id=project.id,
        store="facts",
        scope="user",
        category="x" * 60,
        sensitivity="special",
        keep_days=365,
        purge_days=30,
        review_days=90,
    )
    view = save_view(
        actor=user_actor(project, "admin", user=reader),
        project_id=project.id,
        name="x" * 60,
        query={"q": "y" * 300},
        shared=True,
    )
    return (
        disputes(project)
        | requests(project)
        | dreamt(project)
        | imported(project, reader)
        | hooked(project)
        | {
            "slug": project.slug,
            "fact_id": str(fact.id),
            "proposal_id": str(waiting.id),
            "held": str(held.id),
            "decided": str(first.id),
            "again": str(again.id),
            "against": str(against.id),
            "retiring": str(retiring.id),
            "trace_id": trace_id("t"),
            "span_id": span_id("t/tool.lookup"),
            "talk_id": trace_id("talk"),
            "spoken": str(spoken(project)),
            "subject_id": str(ada.id),
            "alias_id": str(alias.pk),
            "nobody": str(make_subject(project, "nobody").id),
            "agent_id": str(agent.id),
            "agent": agent.name,
            "key_id": str(key.id),
            "user_id": str(member.id),
            "invitation_id": str(invitation.id),
            "token": token,
            "view_id": str(view.id),
            "rule_id": str(rule.id),
            "change_id": str(uuid7()),
            "now": f"{now():%Y-%m-%dT%H:%M:%S}",
        }
    )


def hooked(project: Project) -> dict[str, str]:
    """A webhook that sent one message of each state, and one with a long address that was switched off."""
    who, long = user_actor(project, "admin"), f"https://8.8.4.4/{'hook' * 200}"
    first, _ = add_webhook(actor=who, project_id=project.id, url="https://8.8.8.8/hook", events=list(EVENTS))
    second, _ = add_webhook(actor=who, project_id=project.id, url=long, events=["fact.forgotten"])
    at = now()
    with bind(project.id):
        for n, (event, state, error) in enumerate(
            [
                ("fact.approved", "delivered", ""),
                ("proposal.waiting", "waiting", "tls"),
                ("fact.forgotten", "given_up", "status"),
            ]
        ):
            WebhookDelivery.objects.create(
                project_id=project.id,
                webhook=first,
                event=event,
                object_type=event.partition(".")[0],
                object_id=str(n) * 36,
                seq=n,
                at=at,
                state=state,
                attempts=n + 1,
                last_at=at,
                last_status={"": 204, "status": 500}.get(error),
                last_error=error,
                not_before=at + timedelta(hours=1) if state == "waiting" else None,
                finished_at=None if state == "waiting" else at,
            )
        Webhook.objects.filter(id=first.id).update(failures=3, failing_since=at, last_at=at, last_error="tls")
        Webhook.objects.filter(id=second.id).update(
            enabled=False,
            disabled_for="failing",
            disabled_at=at,
            failures=20,
            failing_since=at,
            last_at=at,
            last_status=500,
        )
    return {"webhook_id": str(first.id), "stopped": str(second.id)}


def dreamt(project: Project) -> dict[str, str]:
    """A run with something in each group, a dry one, one that waits, one that failed, and one that was applied in part,
    of which something can't be applied any more."""
    night, who = make_agent(project, "night-shift"), user_actor(project, "curator")
    words = [
        "The warehouse opens at 7:00.",
        "the warehouse opens at 7:00",
        f"Parcels to Porto are {'very' * 40} slow.",
        f"parcels to Porto are {'very' * 40} slow",
        "The returns address changes next Friday.",
        "The spring campaign ends on 12 March 2025.",
    ]
    for place, content in enumerate(words):
        dreams.said(project, content, agent=night, days=place)
    for place, content in enumerate(["Ships with Correos.", "Ships with Seur.", "Ships with DHL."]):
        dreams.said(project, content, agent=night, attribute="carrier", days=40 * place, trust=3 - place)
    shown = dreams.dream(project, "agent", "night-shift")
    dry = dreams.dream(project, "agent", "night-shift", dry_run=True)
    for name in ("bea.m", "u" * 200):
        make_subject(project, name)
        for place, content in enumerate(
            ["Prefers trains to planes.", "prefers trains to planes", "Is back next Monday."]
        ):
            dreams.said(project, content, user=name, days=place, sensitivity="personal")
    applied = dreams.dream(project, "user", "bea.m")
    moved, *rest = dreams.changes(applied)
    with bind(project.id):
        revised = moved.targets.latest("id").fact
        statement = replace(statement_of(revised), content="Takes the bus.")
    revise_fact(actor=who, project_id=project.id, fact_id=revised.id, statement=statement)
    apply_changes(actor=who, project_id=project.id, run_id=applied.id, change_ids=[one.id for one in (moved, *rest)])
    failed = dreams.start(project, "user", "u" * 200)
    with bind(project.id):
        DreamRun.objects.filter(id=failed.id).update(state="failed", error_code="model_timeout", finished_at=now())
        gate = DreamGate.objects.create(
            project_id=project.id,
            scope="user",
            scope_id="u" * 200,
            subject_id=failed.subject_id,
            failures=3,
            closed_at=now(),
            last_error="model_timeout",
        )
    waiting = start_dream(actor=who, project_id=project.id, scope="project").run
    return {
        "gate_id": str(gate.id),
        "session_id": str(working_memory(project)),
        "run_id": str(shown.id),
        "dry_run": str(dry.id),
        "applied_run": str(applied.id),
        "failed_run": str(failed.id),
        "waiting_run": str(waiting.id),
        "long_user": "u" * 200,
    }


def imported(project: Project, reader: User | None) -> dict[str, str]:
    """One that was checked, with every reason a line is refused for, a table that waits for a word, and one that is done."""
    bad = [{"scope": "user", "scope_id": ""}, {"scope": "team"}, {"confidence": 2}, {"retired_at": "2026-01-01"}]
    lines = [files.line("Is new.", "user", "w" * 200), *(files.line("Is not.", "user", "ada.k") | one for one in bad)]
    waiting = files.checked(project, files.as_file(*lines * 30), name=f"{'long' * 40}.jsonl")
    table = files.uploaded(
        project,
        f"what;{'w' * 150};unused\nPrefers email.;ada.k;{'x' * 300}\n".encode(),
        name="people.csv",
        actor=user_actor(project, "curator", "admin", user=reader),
    )
    done = files.brought_in(project, files.as_file(files.line("Came in.", "user", "ada.k")))
    return {"import_id": str(waiting.id), "table_import": str(table.id), "done_import": str(done.id)}


def working_memory(project: Project) -> int:
    """A session with each role, a long tool result, and a summary of its beginning."""
    output = json.dumps({"call_id": "c", "name": "lookup", "output": "o" * 300})
    said = [
        ("1", "user", "Where is my parcel? " * 20),
        ("2", "tool_call", json.dumps({"calls": [{"id": "c", "name": "lookup", "arguments": {}}]})),
        ("3", "tool_result", output),
        ("4", "reasoning", "It is in Porto."),
        ("5", "assistant", "x" * 2000),
        ("6", "user", "Thanks. " * 10),
        ("7", "tool_result", output),
        ("8", "assistant", "You are welcome."),
        ("9", "user", "And when?"),
        ("10", "assistant", "Tomorrow."),
    ]
    messages = [NewMessage(external_id=name, role=role, content=words) for name, role, words in said]
    messages.insert(6, NewMessage(external_id="s", role="summary", content="A parcel.", stands_for=("1", "2")))
    actor = system_actor("demo", project.id)
    return add_session_messages(
        actor=actor, project_id=project.id, session="n" * 200, messages=messages, user_id="ada.k"
    ).session.id


def spoken(project: Project) -> int:
    """A session that traces alone tell of, with a summary of how it began."""
    with bind(project.id):
        session = Session.objects.get(external_id="s" * 200)
        first = Message.objects.filter(trace_id=trace_id("talk")).order_by("at", "id").values_list("id", flat=True)[:4]
        SessionMessage.objects.create(
            project_id=project.id,
            session=session,
            external_id=f"{NAMED}{trace_id('talk')}/0",
            role="summary",
            content="How it began. " * 60,
            stands_for_said=list(first),
            at=now(),
        )
    return session.id


def requests(project: Project) -> dict[str, str]:
    """A request that just came in, one with something to decide, one that has ended, one that was packed; and a hold."""
    who = user_actor(project, "privacy_officer")
    asked: dict[str, Any] = {"actor": who, "project_id": project.id}
    shared, *_ = learn(project, "shared", "Our warranty is two years.", user="cy")
    approve_proposal(actor=user_actor(project, "curator"), project_id=project.id, proposal_id=shared.id)
    known: dict[str, Any] = {
        "identity_method": "document",
        "identities": [Identifier("email", f"{'cy' * 50}@example.test")],
    }
    received = open_request(**asked, kind="correction", external_id="ada.k", fact_id=make_fact(project, "Is 40.").id)
    previewed = open_request(**asked, **known, kind="erasure", external_id="cy", wish="Forget me. " * 20)
    held = place_hold(
        **asked,
        object_type="fact",
        object_id=str(make_fact(project, "Owes an invoice.", user="cy2").id),
        ground="an invoice in dispute " * 5,
        review_on=(now() + timedelta(days=9)).date(),
    )
    # Names of whom nobody registered: held back of a package, and looked for by no request.
    make_fact(project, f"Her brother Tomasz {'very ' * 60}likes tea, and so does Hana Novák.", user="ada.k")
    make_fact(project, "Call me Quetzalina.", user="cy")
    make_fact(project, "Quetzalina has the spare key.")
    preview_request(actor=who, project_id=project.id, request_id=previewed.id)
    packed = open_request(**asked, kind="access", external_id="ada.k", identity_method="document")
    fulfil_request(**asked, request_id=packed.id)
    with override_settings(PURGE_WAITS=False):
        finished = approved(project, "who-was-never-here")
        work(project)
    return {
        "request_id": str(received.id),
        "previewed": str(previewed.id),
        "finished": str(finished.id),
        "packed": str(packed.id),
        "hold_id": str(held.id),
    }


def to_choose(project: Project) -> list[Proposal]:
    """What repeats a fact, what contradicts one, and what would retire one; and a trace that was given up."""
    known = gate.learn(project, gate.wish(project, f"Lives in {'Porto' * 30}.", user="bea", attribute="home-city"))
    against = gate.propose_one(
        project, gate.wish(project, "Lives in Lisbon.", user="bea", attribute="home-city", trace="u", trust=2)
    )
    again = gate.propose_one(project, gate.wish(project, "Has the home in Porto.", user="bea", trace="u"))
    retired = cap_learned(
        actor=system_actor("extraction", project.id),
        project_id=project.id,
        subject_id=cast(int, known.subject_id),
        max_learned=0,
    )
    push(project, run_of("dead", "Hello."))
    with bind(project.id):
        Proposal.objects.filter(id=again.id).update(flags=["duplicate"])
        ProposalTarget.objects.create(project_id=project.id, proposal=again, fact=known)
        run = ExtractionRun.objects.get(trace_id=trace_id("t"))
        CandidateDecision.objects.create(project_id=project.id, run=run, outcome="dropped", rule="no_witness")
        ExtractionRun.objects.filter(id=run.id).update(model="x" * 80, raw_answer="y" * 900)
        Trace.objects.filter(trace_id=trace_id("dead")).update(attempts=5, dead_reason="model_timeout")
    return [again, against, *retired]


def talk(project: Project) -> None:
    """A trace of five hundred turns in a session with another, and memory spans of the one that is looked at."""
    named = {"agent.name": "support", "fastaiagent.meta.session_id": "s" * 200, "fastaiagent.meta.user_id": "ada.k"}
    spans = [span("talk", "root", seconds=1000, attributes=named)]
    for n in range(500):
        said = named | {"agent.input": f"Ask {n}.", "agent.output": f"Say {n}."}
        spans.append(span("talk", f"turn {n}", parent="root", start=2 * n, attributes=said))
    for first in range(0, len(spans), 400):
        push(project, spans[first : first + 400])
    push(project, run_of("after", "And then?", **{"fastaiagent.meta.session_id": "s" * 200}))
    snippets = {"memory.rendered_count": 1, "memory.deduped_count": 2, "memory.snippets": f'["{"w" * 200}"]'}
    push(
        project,
        [
            span("t", "memory.read.plane_facts", parent="agent.support", attributes=snippets),
            span("t", "memory.write.facts", parent="agent.support", attributes={"memory.action": "stored"}),
        ],
    )


def disputes(project: Project) -> dict[str, str]:
    """Facts put against each other, one conflict that is settled, and facts that say the same."""
    actor = user_actor(project, "curator")
    pairs = [
        [make_fact(project, f"{what} at {hour}.", attribute="opening-hours") for hour in ("nine", "ten")]
        for what in ("The shop opens", f"The {'warehouse' * 20} opens")
    ]
    found = []
    for pair in pairs:
        conflict, _ = open_conflict(actor=actor, project_id=project.id, fact_ids=[fact.id for fact in pair])
        if not found:
            settle_conflict(
                actor=actor,
                project_id=project.id,
                conflict_id=conflict.id,
                seen=" ".join(f"f{fact.id}" for fact in pair),
                verdict=Verdict(kind="keep", keep=f"f{pair[1].id}"),
                note="The sign at the door says so.",
            )
        found.append(conflict)
    make_fact(project, "Ships on Tuesdays.")
    copy = make_fact(project, "Ships on Tuesdays", agent=make_agent(project, "support"))
    make_fact(project, f"Wants {'invoices ' * 20} by email.", user="ada.k")
    make_fact(project, f"Wants the {'invoices ' * 20} by email.", user="ada.k")
    compare_facts()
    with bind(project.id):
        group = DuplicateMember.objects.get(fact_id=copy.id).group_id
        others = (
            DuplicateMember.objects.filter(group_id=group).exclude(fact_id=copy.id).values_list("fact_id", flat=True)
        )
        merge = "+".join(map(str, [*others, copy.id]))
    return {
        "settled": str(found[0].id),
        "conflict_id": str(found[1].id),
        "disputed": str(pairs[1][0].id),
        "group_id": str(group),
        "copy": str(copy.id),
        "merge": merge,
    }
