"""An agent makes itself known, or known again."""

import re
from typing import Any

from apps.access.actor import Actor
from apps.access.policies import Refused, require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.text import normalise, storable, storable_json
from apps.core.transactions import bind
from apps.tenancy.models import AGENT_ID, Agent, AgentVersion

KEPT = 50
"""Versions of one agent."""


def register_agent(
    *,
    actor: Actor,
    project_id: int,
    name: str,
    agent_type: str = "single",
    system_prompt: str = "",
    definition: dict[str, Any] | None = None,
) -> tuple[Agent, bool]:
    """Upsert by name and return the agent and whether it is new. Any number of callers at once get the one row.

    A changed definition raises ``version`` by one, and the last `KEPT` versions are kept; the same definition again changes
    nothing but the time. Raises
    Invalid for a name that is blank, over 200 characters, or has the form of an agent's id; Refused for a key that is
    limited to other agents.
    """
    require(actor, "agents.register", project_id=project_id)
    name = storable(name)[0].strip()
    if not normalise(name) or name == "*" or len(name) > 200 or re.fullmatch(AGENT_ID, name):
        raise Invalid(
            "invalid_name",
            "An agent's name is 1 to 200 characters and does not look like an id.",
            pointer="/name",
        )
    agent_type = storable(agent_type)[0][:60]
    system_prompt = storable(system_prompt)[0]
    definition = storable_json(definition or {})[0]
    with bind(project_id):
        if actor.agents is not None:
            known = Agent.objects.filter(project_id=project_id, name=name, id__in=actor.agents).exists()
            if not known:
                raise Refused(actor, "agents.register", "This key's scope is other agents.", project_id)
        # Concurrent makers wait on the unique name here; one of them inserts, all then lock the one row.
        new = Agent(project_id=project_id, name=name)
        Agent.objects.bulk_create([new], ignore_conflicts=True)
        agent = Agent.objects.select_for_update().get(project_id=project_id, name=name)
        created = agent.id == new.id
        changed = (agent.agent_type, agent.system_prompt, agent.definition) != (
            agent_type,
            system_prompt,
            definition,
        )
        if changed and not created:
            # One that was made with the project, and not registered before.
            _keep(agent)
        if changed:
            agent.agent_type, agent.system_prompt, agent.definition = agent_type, system_prompt, definition
            if not created:
                agent.version += 1
        agent.registered_at = now()
        agent.save(update_fields=["agent_type", "system_prompt", "definition", "version", "registered_at"])
        if created or changed:
            _keep(agent)
            record(
                actor=actor,
                verb="agents.register",
                object_type="agent",
                object_id=agent.id,
                data={"version": agent.version},
            )
    return agent, created


def _keep(agent: Agent) -> None:
    """The version that the agent's row says; those that are too many go. The row is locked."""
    said = AgentVersion(
        project_id=agent.project_id,
        agent=agent,
        version=agent.version,
        agent_type=agent.agent_type,
        system_prompt=agent.system_prompt,
        definition=agent.definition,
        registered_at=agent.registered_at,
    )
    AgentVersion.objects.bulk_create([said], ignore_conflicts=True)
    old = AgentVersion.objects.filter(project_id=agent.project_id, agent=agent, version__lte=agent.version - KEPT)
    old.delete()
