"""Know an agent by its name, and write it down where nobody knows it yet."""

import re

from apps.access.actor import Actor
from apps.access.policies import Refused, require
from apps.audit.actions.record import record
from apps.core.errors import Invalid
from apps.core.text import normalise, storable
from apps.core.transactions import bind
from apps.tenancy.models import AGENT_ID, Agent
from apps.tenancy.queries import find_agent


def meet_agent(*, actor: Actor, project_id: int, name: str) -> Agent:
    """The agent of this id or name, made where there is none; one that is there is left as it is.

    Any number of callers at once get the one row. Raises Invalid for a name that no agent may have; Refused for a key that
    may not register agents, and, whether there is such an agent or not, for one that is kept to others.
    """
    name = name.strip()
    with bind(project_id):
        agent = find_agent(project_id=project_id, name_or_id=name)
        if actor.agents is not None and (agent is None or agent.id not in actor.agents):
            raise Refused(actor, "agents.register", "This key may not name that agent.", project_id)
        if agent is not None:
            return agent
        if not normalise(name) or name == "*" or len(name) > 200 or re.fullmatch(AGENT_ID, name) or storable(name)[1]:
            detail = "An agent's name is 1 to 200 characters and does not look like an id."
            raise Invalid("invalid_name", detail, pointer="/agent")
        require(actor, "agents.register", project_id=project_id)
        new = Agent(project_id=project_id, name=name)
        Agent.objects.bulk_create([new], ignore_conflicts=True)
        agent = Agent.objects.get(project_id=project_id, name=name)
        if agent.id == new.id:
            record(actor=actor, verb="agents.register", object_type="agent", object_id=agent.id, data={"version": 1})
        return agent
