"""What an agent's prompt holds of the facts it was told: the text the SDK makes of them."""

import re
from collections.abc import Sequence
from math import ceil

# Scripts whose every letter is about a token of its own; of the others a token has about four letters.
_DENSE = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff]")
LETTERS_A_TOKEN = 4


def block_text(agent_name: str, contents: Sequence[str]) -> str:
    """The literal system message for these facts, in their order; "" for none, since then there is no message.

    As fastaiagent's ``PlaneFactBlock`` writes it: equal facts once, whatever their case and white space, and nothing
    escaped.
    """
    kept: dict[str, str] = {}
    for content in filter(None, contents):
        kept.setdefault(" ".join(content.lower().split()), content)
    if not kept:
        return ""
    return f"Curated facts (agent:{agent_name}):\n" + "\n".join(f"- {content}" for content in kept.values())


def token_estimate(text: str) -> int:
    """About how many tokens of a language model ``text`` is; no model's own count, which differ by a fifth."""
    dense = len(_DENSE.findall(text))
    return dense + ceil((len(text) - dense) / LETTERS_A_TOKEN)


def within_budget(agent_name: str, contents: Sequence[str], budget: int) -> list[str]:
    """The first facts whose block is at most ``budget`` tokens by estimate; what comes after one that is too long is
    left out too, since it answers less."""
    taken: list[str] = []
    for content in contents:
        if token_estimate(block_text(agent_name, [*taken, content])) > budget:
            break
        taken.append(content)
    return taken
