"""How to point the SDK at this plane, to copy and paste."""

import json

from django.conf import settings

SNIPPET = """\
import fastaiagent as fa

fa.connect(api_key="mp_…", target={target})

agent = fa.Agent(
    name={name},
    llm=fa.LLMClient(provider="openai", model="gpt-4o-mini"),
    memory=fa.Memory(plane_agent_id={name}),
)
agent.run("…", metadata={{"user_id": "the id of whoever is asking"}})
"""


def snippet(agent_name: str) -> str:
    """Python that connects an agent of this name. Names come from strangers, so they are written as literals."""
    # A JSON string is a Python one too, and keeps letters of every script readable.
    return SNIPPET.format(
        target=json.dumps(settings.PUBLIC_URL, ensure_ascii=False), name=json.dumps(agent_name, ensure_ascii=False)
    )
