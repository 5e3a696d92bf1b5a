"""A scripted chat model that answers from its prompt alone: the best fitting line of its block of facts, or none.

It stands in for a real one over real HTTP; it knows no case and no fact.
"""

import re

from tests.model_server import Reply, Request, ok

# What says nothing about which line is asked for.
EMPTY = {
    *(
        "a",
        "am",
        "an",
        "and",
        "are",
        "at",
        "be",
        "by",
        "can",
        "did",
        "do",
        "does",
        "for",
        "from",
        "given",
        "has",
        "have",
    ),
    *(
        "how",
        "i",
        "in",
        "is",
        "it",
        "its",
        "many",
        "may",
        "me",
        "my",
        "of",
        "on",
        "or",
        "our",
        "than",
        "that",
        "the",
        "there",
    ),
    *("this", "to", "until", "was", "we", "what", "when", "where", "which", "who", "whom", "whose", "why", "will"),
    *("with", "you", "your", "about"),
}


def answers_from_its_prompt(request: Request) -> Reply:
    """A script for ``ModelServer``: ``{"kind", "text"}`` as the usefulness evaluation asks for."""
    messages = request.body["messages"]
    system = "\n".join(message["content"] for message in messages if message["role"] == "system")
    facts = re.split(r"^Curated facts \(agent:.*\):$", system, maxsplit=1, flags=re.MULTILINE)[1:]
    lines = [line[2:] for line in "".join(facts).splitlines() if line.startswith("- ")]
    asked = stems(messages[-1]["content"])
    fitting = [line for line in lines if asked and len(asked & stems(line)) / len(asked) > 0.7]
    if not fitting:
        return ok({"kind": "unknown", "text": "I don't know; nothing I was told says so."})
    best = max(fitting, key=lambda line: len(asked & stems(line)))
    rivals = [line for line in fitting if same_but_for_its_value(line, best)]
    if len(rivals) > 1:
        return ok({"kind": "ask", "text": f"I was told two things: {' and: '.join(rivals)} Which one holds?"})
    return ok({"kind": "answer", "text": best})


def stems(text: str) -> set[str]:
    """The words that matter, by their first four letters; numbers and codes whole."""
    return {
        word if any(map(str.isdigit, word)) else word[:4]
        for word in re.findall(r"[\w-]+", text.lower())
        if word not in EMPTY
    }


def same_but_for_its_value(one: str, other: str) -> bool:
    """Two sentences that begin alike and differ in their last word."""
    return one.split()[:-1] == other.split()[:-1]
