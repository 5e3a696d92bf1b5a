"""What a curator of the demo did besides deciding: proposals put off and taken on, facts pinned, disabled, and to expire."""

from datetime import datetime, timedelta

from apps.access.actor import Actor
from apps.core.transactions import bind
from apps.curation.actions.assign_proposal import assign_proposal
from apps.curation.actions.snooze_proposal import snooze_proposal
from apps.curation.models import Proposal
from apps.facts.actions.handle_fact import handle_fact
from apps.facts.handling import Handling
from apps.facts.models import Fact
from apps.tenancy.models import Project

PUT_OFF, TAKEN = 2, 3
"""Proposals, of the longest waiting: later and mine."""
SOON, LATER = timedelta(days=3), timedelta(days=25)


def handle(project: Project, curator: Actor, at: datetime) -> None:
    """Nothing here touches what is in dispute, told twice, or just being asked to be forgotten."""
    with bind(project.id):
        waiting = list(
            Proposal.objects.in_project(project.id)
            .waiting()
            .filter(state="pending", op="add", flags=[])
            .order_by("created_at", "id")[: PUT_OFF + TAKEN]
        )
        known = Fact.objects.in_project(project.id).active().filter(source="learned", contested_at=None)
        of_agents = list(known.filter(scope="agent").order_by("id")[:4])
        of_user = known.filter(scope="user").order_by("id").first()
    for number, proposal in enumerate(waiting):
        if number < PUT_OFF:
            until = at + timedelta(days=1 + 6 * number)
            snooze_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, until=until)
        else:
            assign_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, assignee=int(curator.id))
    pinned, soon, later, disabled = of_agents
    marks = [
        (pinned, Handling(kind="pin")),
        (soon, Handling(kind="expiry", expires_at=at + SOON)),
        (later, Handling(kind="expiry", expires_at=at + LATER)),
        (disabled, Handling(kind="disable")),
    ]
    if of_user:
        marks.append((of_user, Handling(kind="pin")))
    for fact, handling in marks:
        handle_fact(actor=curator, project_id=project.id, fact_id=fact.id, handling=handling)
