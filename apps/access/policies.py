"""Which verb is whose: one table, asked by every action before it does anything."""

from dataclasses import dataclass

from apps.access.actor import Actor
from apps.access.models import Role
from apps.access.scopes import SCOPES
from apps.core.errors import NotAllowed

VIEWER, CURATOR, OFFICER, ADMIN, AUDITOR = (
    Role.VIEWER,
    Role.CURATOR,
    Role.PRIVACY_OFFICER,
    Role.ADMIN,
    Role.AUDITOR,
)


@dataclass(frozen=True)
class Rule:
    """Roles and key scopes that open a verb; ``system`` names the parts of the product that may do it."""

    roles: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset()
    system: frozenset[str] = frozenset()


class Refused(NotAllowed):
    """A policy said no. Carries what the denial's audit event needs; a ``code`` of its own says which rule it was beside
    the roles and scopes."""

    def __init__(
        self, actor: Actor, verb: str, detail: str, project_id: int | None, *, code: str = "not_allowed"
    ) -> None:
        super().__init__(code, detail)
        self.actor = actor
        self.verb = verb
        self.project_id = project_id if project_id is not None else actor.project_id


def rule(*roles: str, scopes: tuple[str, ...] = (), system: tuple[str, ...] = ()) -> Rule:
    return Rule(frozenset(roles), frozenset(scopes), frozenset(system))


POLICIES: dict[str, Rule] = {
    # facts
    "facts.read": rule(VIEWER, CURATOR, OFFICER, ADMIN, scopes=("facts:read",)),
    "facts.read_user": rule(scopes=("facts:read:user",)),
    "facts.explain": rule(VIEWER, CURATOR, OFFICER, ADMIN, scopes=("facts:explain",)),
    "facts.history": rule(VIEWER, CURATOR, OFFICER, ADMIN, scopes=("facts:history",)),
    "facts.read_personal": rule(CURATOR, OFFICER),
    "facts.unmask": rule(CURATOR, OFFICER),
    "facts.export": rule(CURATOR, OFFICER, system=("exchange",)),
    "facts.add": rule(CURATOR, scopes=("facts:write",), system=("setup", "curation", "dreaming")),
    # What clients write: told at once with a key that writes directly, else put before a person.
    "facts.write": rule(scopes=("facts:write", "proposals:write")),
    "facts.clear": rule(scopes=("facts:clear",)),
    "facts.read_everybody": rule(scopes=("facts:read:all",)),
    "memories.read": rule(scopes=("facts:read:user",)),
    "facts.revise": rule(CURATOR),
    "facts.retire": rule(CURATOR),
    "facts.handle": rule(CURATOR),
    "facts.merge": rule(CURATOR),
    # What facts are sorted into.
    "categories.read": rule(CURATOR, OFFICER, ADMIN),
    "categories.change": rule(CURATOR, ADMIN),
    # Filters under a name: one's own, shared with all, and those of others that are in the way.
    "views.save": rule(VIEWER, CURATOR, OFFICER, ADMIN),
    "views.share": rule(CURATOR, OFFICER, ADMIN),
    "views.tidy": rule(ADMIN),
    "privacy.forget_fact": rule(CURATOR, OFFICER, scopes=("facts:write",)),
    "privacy.read": rule(OFFICER, AUDITOR),
    "privacy.open": rule(OFFICER, CURATOR, scopes=("privacy:open",)),
    "privacy.handle": rule(OFFICER),
    "privacy.approve": rule(OFFICER),
    "privacy.carry_out": rule(system=("privacy",)),
    "privacy.hold": rule(OFFICER),
    # An account of staff that bears the name of somebody who is erased.
    "privacy.close_account": rule(OFFICER),
    # Everything of the project: asked for by one of these, approved by an officer (`privacy.approve`) who is somebody else.
    "project.wipe": rule(OFFICER, ADMIN),
    "project.reopen": rule(ADMIN),
    "project.read_wipe": rule(OFFICER, ADMIN, AUDITOR),
    # the project as a whole
    "project.open": rule(VIEWER, CURATOR, OFFICER, ADMIN, AUDITOR),
    "overview.read": rule(VIEWER, CURATOR, OFFICER, ADMIN),
    # review
    "proposals.read": rule(CURATOR, OFFICER),
    "proposals.propose": rule(CURATOR, scopes=("proposals:write", "facts:write"), system=("extraction", "exchange")),
    "proposals.approve": rule(CURATOR),
    "proposals.reject": rule(CURATOR),
    "proposals.snooze": rule(CURATOR),
    "proposals.assign": rule(CURATOR),
    "changes.undo": rule(CURATOR),
    "conflicts.open": rule(CURATOR),
    "conflicts.settle": rule(CURATOR),
    "duplicates.merge": rule(CURATOR),
    "duplicates.part": rule(CURATOR),
    # dream runs
    "dreams.read": rule(CURATOR, OFFICER, scopes=("dreams:write",)),
    "dreams.start": rule(CURATOR, scopes=("dreams:write",), system=("dreaming",)),
    "dreams.run": rule(system=("dreaming",)),
    "dreams.cancel": rule(CURATOR),
    "dreams.decide": rule(CURATOR),
    "dreams.apply": rule(CURATOR, system=("dreaming",)),
    "dreams.undo": rule(CURATOR),
    "dreams.reset_gate": rule(CURATOR, ADMIN),
    "dreams.settings": rule(ADMIN),
    # imports: they propose; what is told at once, or registers agents, an administrator answers for
    "imports.read": rule(CURATOR, OFFICER, ADMIN),
    "imports.upload": rule(CURATOR, ADMIN, system=("exchange",)),
    "imports.read_elsewhere": rule(system=("exchange",)),
    "imports.run": rule(CURATOR, ADMIN, system=("exchange",)),
    "imports.direct": rule(ADMIN, system=("exchange",)),
    "imports.register_agents": rule(ADMIN, system=("exchange",)),
    "imports.carry_on": rule(system=("exchange",)),
    # webhooks
    "webhooks.read": rule(ADMIN),
    "webhooks.change": rule(ADMIN),
    "webhooks.deliver": rule(system=("exchange",)),
    # traces
    "traces.read": rule(CURATOR, OFFICER),
    "traces.ingest": rule(scopes=("traces:write",), system=("demo",)),
    "sessions.write": rule(scopes=("traces:write", "dreams:write"), system=("demo", "dreaming")),
    "traces.extract": rule(CURATOR, system=("extraction",)),
    "extraction.settings": rule(ADMIN),
    "recall.settings": rule(ADMIN),
    "health.read": rule(CURATOR, OFFICER, ADMIN),
    # subjects
    "subjects.read": rule(VIEWER, CURATOR, OFFICER, ADMIN),
    "subjects.alias": rule(CURATOR, OFFICER),
    # agents
    "agents.read": rule(VIEWER, CURATOR, OFFICER, ADMIN),
    "agents.register": rule(ADMIN, scopes=("agent:write",), system=("setup", "demo", "exchange")),
    "instances.enroll": rule(scopes=("agent:write", "traces:write", "facts:read")),
    # keys, members, audit
    "keys.read": rule(ADMIN, AUDITOR),
    "keys.issue": rule(ADMIN, system=("setup",)),
    "keys.roll": rule(ADMIN),
    "keys.limit": rule(ADMIN, system=("setup",)),
    # A refusal that no rule decides: the key is over, or may not be used from there.
    "keys.use": rule(scopes=tuple(SCOPES)),
    "keys.revoke": rule(ADMIN),
    "keys.revoke_own": rule(scopes=tuple(SCOPES)),
    "members.read": rule(ADMIN, AUDITOR),
    "members.change": rule(ADMIN, system=("setup",)),
    "settings.open": rule(CURATOR, OFFICER, ADMIN, AUDITOR),
    "retention.read": rule(OFFICER, ADMIN, AUDITOR),
    "retention.change": rule(ADMIN),
    "retention.purge": rule(system=("retention",)),
    # What one did oneself.
    "audit.read_own": rule(CURATOR, OFFICER, ADMIN, AUDITOR),
    "audit.read": rule(OFFICER, ADMIN, AUDITOR),
    "audit.verify": rule(OFFICER, ADMIN, AUDITOR, system=("operator",)),
    "audit.export": rule(OFFICER, ADMIN, AUDITOR, system=("operator",)),
    # the installation
    "projects.create": rule(system=("setup",)),
    "users.create": rule(system=("setup", "invitation")),
    "users.reset_second_step": rule(system=("setup",)),
}

WHEN_CLOSED = frozenset(
    {
        "project.open", "project.wipe", "project.reopen", "project.read_wipe", "privacy.read", "privacy.handle", "privacy.approve",
        "privacy.carry_out", "settings.open", "members.read", "members.change", "keys.read", "keys.revoke",
        "retention.read", "audit.read_own", "audit.read", "audit.verify", "audit.export",
    }
)  # fmt: skip
"""What a person can do in a project that is closed: see the wipe through, read what was recorded, say who belongs to it."""

FRESH = frozenset(
    {
        "privacy.approve", "privacy.close_account", "project.wipe", "project.reopen", "keys.issue", "keys.roll", "keys.limit", "keys.revoke", "members.change",
        "retention.change", "facts.export", "privacy.forget_fact", "webhooks.change", "imports.direct",
    }
)  # fmt: skip
"""Verbs that destroy, let out, grant, or let in what nobody looks at, for which a face asks a person for the password again
when it was not given within the last minutes: what a stranger at an unlocked screen could do most harm with."""


def allowed(actor: Actor, verb: str) -> bool:
    """Whether ``actor`` may do ``verb`` in his project. Raises KeyError for a verb the table does not know."""
    entry = POLICIES[verb]
    if actor.closed and verb not in WHEN_CLOSED:
        return False
    if actor.kind == "user":
        return bool(actor.roles & entry.roles)
    if actor.kind == "key":
        return bool(actor.scopes & entry.scopes)
    return actor.kind == "system" and actor.id in entry.system


def require(actor: Actor, verb: str, *, project_id: int | None = None) -> None:
    """Raises Refused unless ``actor`` may do ``verb``, in ``project_id`` when that is given."""
    if (project_id is not None and actor.project_id != project_id) or not allowed(actor, verb):
        entry = POLICIES[verb]
        if actor.closed and verb not in WHEN_CLOSED:
            detail = "This project was wiped and is closed. An administrator can open it again in its settings."
        elif actor.kind == "key":
            detail = f"This needs a key with the scope {' or '.join(sorted(entry.scopes)) or 'of nobody'}."
        else:
            names = sorted(Role(role).label for role in entry.roles)
            detail = f"This needs the role {' or '.join(names) or 'of nobody'} in this project."
        raise Refused(actor, verb, detail, project_id)
