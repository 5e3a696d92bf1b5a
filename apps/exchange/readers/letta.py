"""A Letta agent file (.af): the memory blocks of its agents, a statement for each line of a block.

An agent file is one agent's settings and last messages: it is read whole, up to 32 MB.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

from apps.core.errors import DomainError
from apps.core.strict_json import lenient_loads
from apps.exchange.incoming import Incoming, Unfit, said_at, text
from apps.exchange.readers.base import Line
from apps.exchange.readers.lines import checked, unknown
from apps.facts.statement import Statement

MOST = 32 * 1024 * 1024
INSTRUCTIONS = frozenset(["persona", "system", "custom_instructions"])
"""Blocks that say how an agent is to behave, and nothing that it remembers."""


class Letta:
    shape, label = "letta", "Letta agent file (.af)"

    def read(self, file: BinaryIO) -> Iterator[Line]:
        try:
            document = lenient_loads(file.read(MOST + 1), max_bytes=MOST, max_depth=64)
        except DomainError:
            raise unknown() from None
        if not is_agent_file(document):
            raise unknown()
        blocks = {block.get("id"): block for block in document["blocks"] if isinstance(block, dict)}
        number = 0
        for agent in document["agents"]:
            if not isinstance(agent, dict):
                continue
            for block_id in agent.get("block_ids") or []:
                block = blocks.get(block_id) if isinstance(block_id, str) else None
                for said in str((block or {}).get("value") or "").splitlines():
                    if said.strip():
                        number += 1
                        record = {
                            "agent": agent.get("name"),
                            "label": (block or {}).get("label"),
                            "said": said,
                            "at": document.get("created_at"),
                        }
                        yield checked(number, record)

    def said(self, record: dict[str, Any], columns: dict[str, Any]) -> Incoming:
        label = text(record, "label").strip()
        if label.lower() in INSTRUCTIONS:
            raise Unfit("instructions")
        agent = text(record, "agent").strip()
        return Incoming(
            statement=Statement(
                content=text(record, "said").strip().removeprefix("- "),
                scope="agent",
                scope_id=agent,
                agent_name=agent,
                category=label[:60] or "general",
            ),
            observed_at=said_at(record.get("at")),
        )


def is_agent_file(document: Any) -> bool:
    """Whether a document has what the published schema asks of every agent file."""
    return isinstance(document, dict) and all(
        isinstance(document.get(name), list) for name in ("agents", "blocks", "tools", "sources")
    )
