"""What the audit's codes say in words."""

DONE: dict[str, str] = {
    "agents.register": "registered or changed",
    "audit.verify": "verified the audit chain",
    "changes.undo": "took back",
    "extraction.settings": "changed how traces are read",
    "facts.add": "added",
    "facts.corroborate": "heard again",
    "facts.disable": "switched off",
    "facts.enable": "switched on again",
    "facts.merge": "merged facts into",
    "facts.move": "moved to another scope:",
    "facts.pin": "pinned",
    "facts.retire": "retired",
    "facts.revise": "wrote a new version,",
    "facts.set_expiry": "changed when it ends:",
    "facts.set_sensitivity": "changed who may see",
    "facts.undo": "put back",
    "facts.unpin": "unpinned",
    "instances.enroll": "connected",
    "keys.issue": "made",
    "keys.revoke": "revoked",
    "keys.revoke_own": "ended itself,",
    "keys.roll": "rolled",
    "members.change": "changed the roles of",
    "members.invite": "made",
    "members.join": "accepted an invitation,",
    "members.remove": "removed",
    "members.withdraw": "withdrew",
    "privacy.forget_fact": "forgot",
    "projects.create": "made",
    "proposals.approve": "approved",
    "proposals.assign": "gave to somebody",
    "proposals.conflict": "found outdated",
    "proposals.reject": "rejected",
    "proposals.snooze": "put off",
    "recall.settings": "changed how facts are ranked",
    "subjects.add_alias": "gave another id to",
    "subjects.remove_alias": "took an id from",
    "traces.extract": "read",
    "traces.extract_again": "sent round again",
    "traces.ingest": "sent",
    "traces.learn": "read stored traces",
    "traces.queue_stored": "queued stored traces",
    "users.create": "made the account of",
    "users.login": "signed in,",
}
"""What was done, before the thing it was done to."""

TRIED: dict[str, str] = {
    "agents.read": "look at agents",
    "agents.register": "register an agent",
    "audit.read": "read the audit log",
    "audit.read_own": "read the audit log",
    "audit.verify": "verify the audit chain",
    "changes.undo": "take back a change",
    "extraction.settings": "change how traces are read",
    "facts.add": "add a fact",
    "facts.explain": "see why facts were told",
    "facts.handle": "mark a fact",
    "facts.history": "read old versions of facts",
    "facts.merge": "merge facts",
    "facts.move": "move a fact to another scope",
    "facts.read": "read facts",
    "facts.read_personal": "read personal facts",
    "facts.read_user": "read the facts of a user",
    "facts.retire": "retire a fact",
    "facts.revise": "write a new version of a fact",
    "health.read": "look at health",
    "instances.enroll": "connect an SDK",
    "keys.issue": "make a key",
    "keys.read": "look at keys",
    "keys.revoke": "revoke a key",
    "keys.revoke_own": "end its own life",
    "keys.roll": "roll a key",
    "members.change": "change members",
    "members.read": "look at members",
    "privacy.forget_fact": "forget a fact",
    "projects.create": "make a project",
    "proposals.approve": "approve a proposal",
    "proposals.assign": "assign a proposal",
    "proposals.propose": "propose a fact",
    "proposals.read": "read proposals",
    "proposals.reject": "reject a proposal",
    "proposals.snooze": "put off a proposal",
    "recall.settings": "change how facts are ranked",
    "settings.open": "open the settings",
    "subjects.alias": "change the ids of a subject",
    "subjects.read": "look at subjects",
    "traces.extract": "read a trace again",
    "traces.ingest": "send traces",
    "traces.read": "read traces",
    "users.create": "make an account",
    "users.login": "sign in",
}
"""What somebody wanted to do who was refused; every verb of the policies is one."""

LABELS: dict[str, str] = {
    "agents.register": "Agent registered",
    "audit.verify": "Chain verified",
    "changes.undo": "Change taken back",
    "extraction.settings": "Extraction settings",
    "facts.add": "Fact added",
    "facts.corroborate": "Fact heard again",
    "facts.disable": "Fact switched off",
    "facts.enable": "Fact switched on",
    "facts.merge": "Facts merged",
    "facts.move": "Fact moved",
    "facts.pin": "Fact pinned",
    "facts.retire": "Fact retired",
    "facts.revise": "New version of a fact",
    "facts.set_expiry": "Expiry changed",
    "facts.set_sensitivity": "Sensitivity changed",
    "facts.undo": "Fact put back",
    "facts.unpin": "Fact unpinned",
    "instances.enroll": "SDK connected",
    "keys.issue": "Key made",
    "keys.revoke": "Key revoked",
    "keys.revoke_own": "Key ended itself",
    "keys.roll": "Key rolled",
    "members.change": "Roles changed",
    "members.invite": "Invitation made",
    "members.join": "Invitation accepted",
    "members.remove": "Member removed",
    "members.withdraw": "Invitation withdrawn",
    "privacy.forget_fact": "Fact forgotten",
    "projects.create": "Project made",
    "proposals.approve": "Proposal approved",
    "proposals.assign": "Proposal assigned",
    "proposals.conflict": "Proposal outdated",
    "proposals.reject": "Proposal rejected",
    "proposals.snooze": "Proposal put off",
    "recall.settings": "Recall settings",
    "subjects.add_alias": "Subject id added",
    "subjects.remove_alias": "Subject id removed",
    "traces.extract": "Trace read",
    "traces.extract_again": "Trace sent round again",
    "traces.ingest": "Traces sent",
    "traces.learn": "Stored traces read",
    "traces.queue_stored": "Stored traces queued",
    "users.create": "Account made",
    "users.login": "Sign-in",
}
"""What the filter calls them."""

THINGS: dict[str, str] = {
    "agent": "agent",
    "batch": "a batch of spans",
    "chain": "check",
    "change": "change",
    "extraction_settings": "",
    "fact": "fact",
    "instance": "SDK instance",
    "invitation": "invitation",
    "key": "key",
    "policy": "",
    "project": "project",
    "proposal": "proposal",
    "recall_settings": "",
    "subject": "subject",
    "trace": "trace",
    "traces": "",
    "user": "member",
}
"""What an object's kind is called; "" where the sentence has said it."""

PARTS = {
    "extraction": "The extractor",
    "curation": "Review itself",
    "setup": "The set-up",
    "demo": "The demo data",
    "invitation": "An invitation",
    "retention": "Retention",
}
"""The parts of the product that act."""


def done(verb: str) -> str:
    """Readable for a verb that has no words of its own yet, too."""
    return DONE.get(verb) or _plain(verb)


def tried(verb: str) -> str:
    return TRIED.get(verb) or _plain(verb)


def label(verb: str) -> str:
    return LABELS.get(verb) or _plain(verb).capitalize()


def thing(kind: str) -> str:
    return THINGS.get(kind, kind.replace("_", " "))


def _plain(verb: str) -> str:
    area, _, act = verb.partition(".")
    return f"{act.replace('_', ' ')} ({area})"
