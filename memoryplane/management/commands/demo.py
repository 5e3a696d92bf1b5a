"""A project full of conversations, for looking around in."""

import hashlib
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.access.actions.create_project import create_project
from apps.access.actions.grant_role import grant_role
from apps.access.actions.issue_key import issue_key
from apps.access.actions.register_agent import register_agent
from apps.access.actor import Actor, system_actor
from apps.access.models import Role, User
from apps.access.scopes import AGENT_SCOPES
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.curation.actions.compare_facts import compare_facts
from apps.curation.actions.open_conflict import open_conflict
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.models import Proposal
from apps.extraction.actions.claim_trace import claim_trace
from apps.extraction.actions.extract_trace import extract_trace
from apps.facts.actions.add_fact import add_fact
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.insight.actions.count_figures import count_figures
from apps.recall.queries import reader_for, told_facts
from apps.recall.question import question_of
from apps.tenancy.models import Project
from apps.traces.actions.ingest_spans import MAX_SPANS, ingest_spans
from memoryplane.demo.conversations import SYSTEM_PROMPTS, DemoConversation, load
from memoryplane.demo.dreams import dream
from memoryplane.demo.handling import handle
from memoryplane.demo.requests import ask, second_officer
from memoryplane.demo.spans import spans_of

SLUG = "demo"
# The curator of the demo has been away for three weeks, so that Review has something to show.
UNREVIEWED_DAYS = 22
# What the curator wrote down by hand, though agents had learned it: scope, its id, words.
BY_HAND = [
    ("project", "", "We deploy on Tuesdays and Thursdays only"),
    ("project", "", "No appointments on 24 December!"),
    ("user", "bea.moura", "Never picks up unknown numbers"),
]
CLINIC_OPENS = "The clinic opens at 7:30 and closes at 19:00 on weekdays."


class Command(BaseCommand):
    help = "Load the demo project: conversations run through ingest, extraction and review."

    def handle(self, *args: Any, **options: Any) -> None:
        if Project.objects.filter(slug=SLUG).exists():
            self.stdout.write("The demo project is there already; open it in the console.")
            return
        user = User.objects.filter(is_active=True).order_by("id").first()
        if user is None:
            raise CommandError("There is nobody who could log in yet; run `make up` first.")
        colleague = second_officer()
        project = create_project(actor=system_actor("setup"), slug=SLUG, name="Demo")
        setup = system_actor("setup", project.id)
        for role in (Role.ADMIN, Role.CURATOR, Role.PRIVACY_OFFICER):
            grant_role(actor=setup, project_id=project.id, user=user, role=role)
        for name, prompt in SYSTEM_PROMPTS.items():
            register_agent(
                actor=setup, project_id=project.id, name=name, system_prompt=prompt, definition={"memory_enabled": True}
            )
        key, _ = issue_key(actor=setup, project_id=project.id, name="demo agents", scopes=AGENT_SCOPES)
        curator = Actor(kind="user", id=str(user.id), project_id=project.id, roles=frozenset({Role.CURATOR.value}))
        at = now()
        talks = load()
        for talk in talks:
            self.run(project, talk)
            # By the day: what the demo holds doesn't depend on the hour at which it is loaded.
            if talk.days_ago >= UNREVIEWED_DAYS:
                self.review(project, curator)
        self.write_down(project, curator)
        handle(project, curator, at)
        dream(project, curator)
        for name in SYSTEM_PROMPTS:
            for question in (None, "What should I know before I answer?"):
                told_facts(reader_for(key, name, None, None), question_of(project.id, question), limit=50)
        ask(project, user, colleague, at)
        count_figures(project.id)
        with bind(project.id):
            facts = Fact.objects.in_project(project.id)
            self.stdout.write(
                f"Demo project loaded: {len(talks)} conversations, {facts.current().count()} facts,"
                f" {facts.exclude(superseded_at=None).count()} superseded,"
                f" {Proposal.objects.in_project(project.id).waiting().count()} proposals wait for review."
            )

    def write_down(self, project: Project, curator: Actor) -> None:
        """Add what says the same as a learned fact, and one that contradicts another; the worker finds the former."""
        for scope, scope_id, words in BY_HAND:
            statement = Statement(content=words, scope=scope, scope_id=scope_id)
            add_fact(actor=curator, project_id=project.id, statement=statement)
        with bind(project.id):
            learned = (
                Fact.objects.in_project(project.id).current().filter(content__startswith="The clinic opens").first()
            )
        if learned:
            statement = Statement(
                content=CLINIC_OPENS, scope="agent", agent_name="clinic-desk", attribute=learned.attribute
            )
            written = add_fact(actor=curator, project_id=project.id, statement=statement).fact
            open_conflict(actor=curator, project_id=project.id, fact_ids=[learned.id, written.id])
        compare_facts(seconds=60)

    def run(self, project: Project, talk: DemoConversation) -> None:
        """Push one conversation and mine it at once."""
        spans = spans_of(talk, now())
        for first in range(0, len(spans), MAX_SPANS):
            ingest_spans(
                actor=system_actor("demo", project.id), project_id=project.id, spans=spans[first : first + MAX_SPANS]
            )
        for trace_id in dict.fromkeys(span["trace_id"] for span in spans):
            claim = claim_trace(project_id=project.id, trace_id=trace_id)
            if claim:
                extract_trace(claim=claim)

    def review(self, project: Project, curator: Actor) -> None:
        """Decide what waits, as a curator would who is strict with about one in six."""
        with bind(project.id):
            waiting = list(
                Proposal.objects.in_project(project.id).filter(state="pending").order_by("observed_at", "id")
            )
        for proposal in waiting:
            if hashlib.sha256(proposal.content.encode()).digest()[0] % 6 == 0:
                reject_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, reason="vague")
            else:
                approve_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id)
