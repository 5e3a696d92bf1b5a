"""What an API key may be allowed to do, one word each, and the routes a word opens."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scope:
    """``does`` says it in words; ``routes`` are those that a key with this scope alone may ask, as method and path below
    `/v1/`; ``also`` are questions of other scopes' routes that it opens beside them, named by the parameter."""

    does: str
    routes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


_WRITES = (
    "POST facts", "PATCH facts/<int:fact_id>", "DELETE facts/<int:fact_id>", "POST facts/<int:fact_id>/supersede",
    "PUT memories",
)  # fmt: skip
_MEMORIES = ("GET memories", "GET memories/value", "GET memories/keys", "GET memories/scopes")
_ENROLL = "POST governance/enroll"

# tests/access/test_scopes.py holds it beside the URL configuration. `agent:write` is spelled as the SDK checks it.
SCOPES: dict[str, Scope] = {
    "agent:write": Scope("register agents", ("POST sdk/agents", _ENROLL)),
    "traces:write": Scope(
        "push traces", ("POST traces/ingest", "POST traces", "POST sessions/<path:session_id>/messages", _ENROLL)
    ),
    "facts:read": Scope(
        "read an agent's and the project's facts",
        ("GET memory/facts", "GET memory/revocations", "GET facts", "GET facts/<int:fact_id>", _ENROLL),
    ),
    "facts:read:user": Scope(
        "read the facts of the user a read names", _MEMORIES, ("GET memory/facts?user_id=", "GET facts?user_id=")
    ),
    "facts:read:all": Scope(
        "list the facts of every user, session and other scope at once", also=("GET facts?scope_id=*",)
    ),
    "facts:explain": Scope("see why a fact was served or left out", also=("GET memory/facts?explain=true",)),
    "facts:history": Scope("read superseded versions", also=("GET memory/facts?at=", "GET facts?status=all")),
    "facts:write": Scope("add and supersede facts, directly or as proposals", _WRITES),
    "facts:clear": Scope("delete all facts of a scope", ("DELETE facts", "DELETE memories")),
    "proposals:write": Scope("propose changes for review", _WRITES),
    "dreams:write": Scope(
        "start dream runs and read what they would change",
        ("GET dreams", "POST dreams", "GET dreams/<int:run_id>", "POST sessions/<path:session_id>/messages"),
    ),
    "privacy:open": Scope("open privacy requests", ("POST privacy/requests", "GET privacy/opened")),
}

# Every key may ask these, one without any scope too; and any with one may end itself.
ANY_KEY = ("GET auth/check", "GET policy")
ANY_SCOPE = ("POST keys/revoke",)

# What `up` and the console offer for an ordinary agent.
AGENT_SCOPES = ["agent:write", "traces:write", "facts:read"]
