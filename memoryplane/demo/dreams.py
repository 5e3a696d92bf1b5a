"""What the demo's agents learned over the months that could do with tidying up, and the run that says so."""

from datetime import datetime, timedelta

from apps.access.actor import Actor, system_actor
from apps.core.clock import now
from apps.dreaming.actions.run_phase import run_phase
from apps.dreaming.actions.start_dream import start_dream
from apps.dreaming.leases import claim_dream
from apps.facts.actions.add_fact import add_fact
from apps.facts.append import Origin
from apps.facts.statement import Statement
from apps.tenancy.models import Project

AGENT = "trail-shop"


def learned(at: datetime) -> list[tuple[int, str, str | None]]:
    """Days before ``at``, words, and the attribute they give a value of."""
    return [
        (150, "Parcels to the Azores take five to seven working days.", None),
        (90, "Parcels to the Azores take 5 to 7 working days!", None),
        (120, "The Porto shop has a workshop for poles and stoves.", None),
        (60, "the Porto shop has a workshop for poles and stoves", None),
        (130, "Heavy parcels go with Correos.", "heavy-parcel-courier"),
        (20, "Heavy parcels go with Seur.", "heavy-parcel-courier"),
        (9, "The boot fitting area reopens next Friday.", None),
        (6, "Stock of the two-person tents arrives in two weeks.", None),
        (100, f"The autumn sale ends on {at - timedelta(days=40):%-d %B %Y}.", None),
    ]


def dream(project: Project, curator: Actor) -> None:
    """Learn these, and have the rules propose what to do about them; the curator decides."""
    at = now()
    for days, words, attribute in learned(at):
        add_fact(
            actor=system_actor("setup", project.id),
            project_id=project.id,
            statement=Statement(content=words, scope="agent", agent_name=AGENT, attribute=attribute),
            origin=Origin(source="learned", speaker="user", trust=3, observed_at=at - timedelta(days=days)),
        )
    run = start_dream(actor=curator, project_id=project.id, scope="agent", scope_id=AGENT).run
    while run.is_open:
        claim = claim_dream(project_id=project.id, run_id=run.id, phase=run.phase)
        after = run_phase(claim=claim) if claim else None
        if after is None:
            # A worker has it.
            break
        run = after
