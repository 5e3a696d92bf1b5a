"""What an API key may be allowed to do, one word each, and the routes a word opens."""

# `agent:write` is spelled as the SDK checks it.
SCOPES: dict[str, str] = {
    "agent:write": "register agents",
    "traces:write": "push traces",
    "facts:read": "read an agent's and the project's facts",
    "facts:read:user": "read the facts of the user a read names",
    "facts:read:all": "list the facts of every user, session and other scope at once",
    "facts:explain": "see why a fact was served or left out",
    "facts:history": "read superseded versions",
    "facts:write": "add and supersede facts, directly or as proposals",
    "facts:clear": "delete all facts of a scope",
    "proposals:write": "propose changes for review",
    "dreams:write": "start dream runs and read what they would change",
    "privacy:open": "open privacy requests",
}

# What `up` and the console offer for an ordinary agent.
AGENT_SCOPES = ["agent:write", "traces:write", "facts:read"]
