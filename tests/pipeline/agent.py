"""One process of a real agent: connects with the real SDK, runs what it is told, and says what its model saw.

Reads JSON from standard input: {"target", "key", "agent", "runs": [{"say", "user", "session"}], "block": bool, "summary"}.
With a ``summary`` its memory sums up every two messages, all but the last, in these words. Prints
JSON: {"agent_id", "trace_ids", "prompts": [[[role, content], …], …], "block": [line, …]}.
"""

import json
import os
import sys
import tempfile

FOLDER = tempfile.mkdtemp(prefix="agent_")
os.environ["FASTAIAGENT_LOCAL_DB"] = os.path.join(FOLDER, "local.db")
os.environ["HOME"] = FOLDER

import fastaiagent as fa  # noqa: E402  (its database is named first)
from fastaiagent.agent.memory import ComposableMemory  # noqa: E402
from fastaiagent.agent.memory_blocks import PlaneFactBlock, SummaryBlock  # noqa: E402
from fastaiagent.testing import FunctionModel  # noqa: E402

order = json.load(sys.stdin)
prompts: list[list[list[str]]] = []


def model(messages: list) -> str:
    prompts.append([[message.role.value, str(message.content)] for message in messages])
    return "Understood."


def summer(messages: list) -> str:
    return str(order["summary"])


memory = fa.Memory(plane_agent_id=order["agent"])
if order.get("summary"):
    memory = ComposableMemory(blocks=[SummaryBlock(llm=FunctionModel(summer), keep_last=1, summarize_every=2)])
agent = fa.Agent(name=order["agent"], system_prompt="You are a support agent.", llm=FunctionModel(model), memory=memory)
fa.connect(api_key=order["key"], target=order["target"])
traces = []
for run in order["runs"]:
    named = {"user_id": run.get("user"), "session_id": run.get("session")}
    metadata = {name: value for name, value in named.items() if value}
    traces.append(agent.run(run["say"], metadata=metadata or None).trace_id)
block = PlaneFactBlock(order["agent"]).render("anything") if order.get("block") else []
fa.disconnect()
print(
    "\n"
    + json.dumps(
        {
            "agent_id": agent.agent_id,
            "trace_ids": traces,
            "prompts": prompts,
            "block": [line for message in block for line in str(message.content).splitlines()],
        }
    )
)
