"""Note that somebody had personal text shown that his screen hides."""

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.transactions import unit


def unmask_facts(*, actor: Actor, project_id: int, minutes: int) -> None:
    """Records that ``actor`` sees personal and special text on lists for so many minutes. Changes nothing else. Raises
    Refused for who may not see it at all."""
    require(actor, "facts.unmask", project_id=project_id)
    with unit():
        record(
            actor=actor,
            verb="facts.unmask",
            object_type="project",
            object_id=project_id,
            data={"minutes": minutes},
        )
