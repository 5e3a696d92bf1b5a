"""Every stored column that can hold text, JSON, a vector or bytes, and what becomes of it when somebody is forgotten.

An explicit list, no signals and no guessing: a test walks all models and fails on a column that is missing here. A line
says how the column's content goes (`Erase`) or why it may stay (`Keep`).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Erase:
    """The row goes, by this rule."""

    how: str


@dataclass(frozen=True)
class Keep:
    """The content stays, for this reason."""

    why: str


Line = Erase | Keep

CODE = Keep("one of a fixed list of codes, or a name the product gives")
STAFF = Keep("about a member of staff, not a subject; goes with the account")
DIGEST = Keep("a keyed or one-way digest; says nothing without the text")
NAMES = Keep("a name the operator gives to a thing of his own")
FACT = Erase("the fact's row is deleted by a forget or an erasure")
SOURCE = Erase("deleted with its fact, by the foreign key")
PROPOSAL = Erase("deleted with the facts it made or targets, or says again")
EVIDENCE = Erase("deleted with its proposal, by the foreign key")
TRACE = Erase("the trace is deleted, and its spans and messages with it, by the foreign key")
SESSION = Erase("deleted with its session, or as the person's own words or words that name her")
LINE = Erase(
    "deleted where it names the person, and with its import, a day after it ended or a week after nobody carried it on"
)
FILE = Erase("emptied where it names the person; the names of columns go with the lines")
DREAM = Erase("deleted with its run, with a fact it is about, or because it names an erased person")
REQUEST = Erase("emptied when the request ends")
SUBJECT = Erase("the subject's row is deleted or its epoch moved")

REGISTRY: dict[str, dict[str, Line]] = {
    "audit.AuditEvent": {
        "actor_kind": CODE,
        "actor_id": Keep("a bare row id of a user or key"),
        "verb": CODE,
        "object_type": CODE,
        "object_id": Keep("a bare row id"),
        "reason": CODE,
        "request_id": Keep("a random id"),
        "result": CODE,
        "data": Keep("ids, codes, counts and digests by rule; editing it would break the chain"),
        "prev_hash": DIGEST,
        "hash": DIGEST,
    },
    "audit.AuditHead": {"hash": DIGEST},
    "audit.ChainCheck": {"asked_by": Keep("a bare row id of a user"), "hash": DIGEST},
    "tenancy.Project": {"slug": NAMES, "name": NAMES},
    "tenancy.Agent": {
        "name": NAMES,
        "agent_type": NAMES,
        "system_prompt": Keep("the operator's own instructions to his agent"),
        "definition": Keep("the operator's own configuration of his agent"),
    },
    "tenancy.AgentVersion": {
        "agent_type": NAMES,
        "system_prompt": Keep("the operator's own instructions to his agent"),
        "definition": Keep("the operator's own configuration of his agent"),
    },
    "tenancy.ClientInstance": {
        "instance_id": Keep("a random id of a machine"),
        "hostname": NAMES,
        "sdk_version": CODE,
        "fail_mode": CODE,
        "governed_agent_ids": Keep("ids of agents"),
    },
    "tenancy.Subject": {"kind": CODE, "external_id": SUBJECT, "name_key": SUBJECT, "seen_at": SUBJECT},
    "tenancy.SubjectAlias": {
        "external_id": Erase("deleted with its subject, by the foreign key"),
        "name_key": Erase("deleted with its subject, by the foreign key"),
    },
    "tenancy.Tombstone": {"kind": CODE, "digest": DIGEST},
    "access.User": {
        "email": STAFF,
        "name": STAFF,
        "password": STAFF,
        "theme": CODE,
        "density": CODE,
        "time_zone": CODE,
    },
    "access.Invitation": {"email": STAFF, "roles": CODE, "token_hash": DIGEST},
    "access.Membership": {"role": CODE},
    "access.SignInCount": {"digest": DIGEST},
    "access.ApiKey": {
        "name": NAMES,
        "environment": CODE,
        "public_id": Keep("a random id"),
        "secret_hash": DIGEST,
        "scopes": CODE,
        "agents": Keep("ids of agents"),
        "categories": NAMES,
        "purposes": NAMES,
        "sensitivity_ceiling": CODE,
        "write_mode": CODE,
        "ip_allow": NAMES,
        "last_ip_class": Keep("a network, not an address"),
        "revoke_reason": CODE,
        "idempotency_key": Keep("a random id"),
    },
    "traces.Session": {"external_id": Erase("deleted when its last trace is")},
    "traces.Trace": {
        "trace_id": Keep("a random id; goes with the trace"),
        "agent_name": Erase("deleted with the trace; emptied in others' where it names the person and no agent"),
        "origin": Erase("deleted with the trace; emptied in others' where it names the person"),
        "root_name": TRACE,
        "first_words": TRACE,
        "status": CODE,
        "claimed_by": Keep("host and process of a worker"),
        "dead_reason": CODE,
    },
    "traces.Span": {
        "trace_id": TRACE,
        "span_id": TRACE,
        "parent_span_id": TRACE,
        "name": TRACE,
        "status": CODE,
        "attributes": TRACE,
        "events": TRACE,
        "sealed": TRACE,
        "digest": TRACE,
    },
    "traces.Message": {"trace_id": TRACE, "span_id": TRACE, "role": CODE, "content": TRACE},
    "traces.SessionMessage": {
        "external_id": SESSION,
        "role": CODE,
        "content": SESSION,
        "stands_for": Keep("bare row ids of messages of the same session"),
        "stands_for_said": Keep("bare row ids of messages of the session's traces"),
    },
    "facts.Fact": {
        "scope": CODE,
        "scope_id": FACT,
        "attribute": FACT,
        "label": FACT,
        "content": FACT,
        "norm_hash": FACT,
        "key": FACT,
        "value": FACT,
        "category": FACT,
        "memory_type": CODE,
        "speaker": CODE,
        "sensitivity": CODE,
        "source": CODE,
        "source_trace_id": Erase("set to null when the trace is deleted"),
        "approved_by": Keep("a bare row id of a user or key"),
        "purposes": NAMES,
        "task_types": NAMES,
        "restricted_reason": CODE,
        "retired_reason": CODE,
        "words": Erase("generated from content by the database, so it goes with it"),
        "loose_hash": Erase("generated from content by the database, so it goes with it"),
    },
    "facts.HotFact": dict.fromkeys(
        [
            "scope",
            "scope_id",
            "norm_hash",
            "sensitivity",
            "category",
            "memory_type",
            "attribute",
            "brief",
        ],
        Erase("deleted with its fact, by a trigger"),
    ),
    "facts.Category": {"name": NAMES, "now_called": NAMES},
    "facts.Withdrawal": {"scope": CODE, "sensitivity": CODE, "reason": CODE},
    "facts.FactSource": {"trace_id": SOURCE, "quote": SOURCE},
    "facts.OperationalValue": {
        "scope": CODE,
        "scope_id": Erase("deleted with its subject or agent, by the foreign key"),
        "key": Erase("deleted with its subject or agent, by the foreign key"),
        "value": Erase("deleted with its subject or agent, by the foreign key"),
    },
    "facts.WrittenOnce": {"digest": DIGEST, "asked": DIGEST},
    "recall.ReadLedger": {
        "purpose": Erase("emptied where it names the person"),
        "query_hash": DIGEST,
        "fact_ids": Keep("bare ids, which lead nowhere once the facts are gone"),
        "ranks": Keep("numbers without text"),
        "scores": Keep("numbers without text"),
    },
    "recall.RecallSettings": {"language": CODE},
    "recall.EmbeddingModel": {
        "name": NAMES,
        "fault": Keep("an error of a model, which repeats no text, and a bare id"),
    },
    "recall.FactEmbedding": {
        "model": NAMES,
        "vector": Erase("deleted with its fact, by the foreign key"),
    },
    "insight.Figures": {
        "stamp": Keep("moments and a bare id: which rows were the newest"),
        "counted": Keep("numbers by day and code, and bare ids of facts, counted again every hour at the latest"),
    },
    "insight.SavedView": {
        "name": Erase("deleted when its name or its filter names an erased person"),
        "query": Erase("deleted when its name or its filter names an erased person"),
    },
    "curation.Proposal": {
        "op": CODE,
        "origin": CODE,
        "state": CODE,
        "scope": CODE,
        "scope_id": PROPOSAL,
        "attribute": PROPOSAL,
        "content": PROPOSAL,
        "norm_hash": PROPOSAL,
        "category": PROPOSAL,
        "memory_type": CODE,
        "speaker": CODE,
        "sensitivity": CODE,
        "flags": CODE,
        "policy_rule": CODE,
        "source_trace_id": Erase("set to null when the trace is deleted"),
        "reviewer": Keep("a bare row id of a user"),
        "reason": CODE,
        "purposes": NAMES,
        "task_types": NAMES,
    },
    "curation.ProposalEvidence": {"trace_id": EVIDENCE, "quote": EVIDENCE},
    "curation.WaitingWrite": {
        "writer": Keep("a bare row id of a key"),
        "label": EVIDENCE,
        "key": EVIDENCE,
        "value": EVIDENCE,
        "source": CODE,
    },
    "curation.Conflict": {
        "scope": CODE,
        "scope_id": Erase("deleted with its last side"),
        "attribute": Erase("deleted with its subject, by the foreign key, or with its last side"),
        "settled_by": Keep("a bare row id of a user"),
        "settlement": CODE,
        "opened_by": Keep("a bare row id of a user"),
        "note": Erase("deleted with its subject, by the foreign key, or with its last side"),
    },
    "curation.Change": {
        "made_by": Keep("a bare row id of a user"),
        "verb": CODE,
        "items": Keep("bare ids, states and handling marks by rule, which lead nowhere once the rows are gone"),
        "undone_by": Keep("a bare row id of a user"),
    },
    "curation.NotDuplicates": {"said_by": Keep("a bare row id of a user")},
    "extraction.ExtractionRun": {
        "trace_id": Erase("deleted with its trace, by the foreign key"),
        "extractor": CODE,
        "version": CODE,
        "dropped": Keep("reasons and counts"),
        "judge": Keep("a model's name, counts and a code"),
        "mined": Keep("bare row ids of messages"),
        "outcome": CODE,
        "error_code": CODE,
        "model": NAMES,
        "raw_answer": Erase("deleted with its trace, by the foreign key; emptied when its subject is erased"),
    },
    "extraction.ExtractionSettings": {
        "extractor": CODE,
        "model": NAMES,
        "prompt_addition": Keep("the operator's own instructions to his extractor"),
    },
    "extraction.Worker": {"name": Keep("host and process of a worker")},
    "extraction.CandidateDecision": {"outcome": CODE, "rule": CODE},
    "dreaming.DreamSettings": {"engine": CODE, "model": NAMES},
    "dreaming.DreamRun": {
        "claimed_by": Keep("host and process of a worker"),
        "dead_reason": CODE,
        "scope": CODE,
        "scope_id": DREAM,
        "origin": CODE,
        "requested_by": Keep("a bare row id of a user or key"),
        "idempotency": DIGEST,
        "asked": DIGEST,
        "engine": CODE,
        "model": NAMES,
        "version": CODE,
        "state": CODE,
        "phase": CODE,
        "stop_reason": CODE,
        "error_code": CODE,
    },
    "dreaming.DreamPhase": {
        "name": CODE,
        "state": CODE,
        "output": Keep("counts, codes and bare ids by rule, never a word of what was read or answered"),
        "error_code": CODE,
    },
    "dreaming.DreamChange": {
        "phase": CODE,
        "op": CODE,
        "state": CODE,
        "flags": CODE,
        "rule": CODE,
        "reason": DREAM,
        "content": DREAM,
        "attribute": DREAM,
        "category": DREAM,
        "memory_type": CODE,
        "sensitivity": CODE,
        "evidence": Keep("bare ids of facts and messages, which lead nowhere once these are gone"),
        "source_trace_id": Keep("a random id; the change goes with the trace"),
        "decided_by": Keep("a bare row id of a user"),
        "done": Keep("bare ids, states and handling marks by rule, which lead nowhere once the rows are gone"),
        "why": CODE,
    },
    "dreaming.DreamTarget": {"role": CODE, "seen": DIGEST},
    "dreaming.DreamGate": {"scope": CODE, "scope_id": DREAM, "last_error": CODE},
    "exchange.Import": {
        "claimed_by": Keep("host and process of a worker"),
        "dead_reason": CODE,
        "name": FILE,
        "shape": CODE,
        "state": CODE,
        "header": FILE,
        "columns": FILE,
        "forecast": Keep("counts by outcome"),
        "counts": Keep("counts by outcome"),
        "uploaded_by": Keep("a bare row id of a user"),
        "started_by": Keep("a bare row id of a user"),
        "error_code": CODE,
    },
    "exchange.Webhook": {
        "url": Keep("an address that the operator gives"),
        "events": CODE,
        "secret": Keep("random bytes, sealed"),
        "old_secret": Keep("random bytes, sealed"),
        "disabled_for": CODE,
        "last_error": CODE,
        "created_by": Keep("a bare row id of a user"),
    },
    "exchange.WebhookDelivery": {
        "claimed_by": Keep("host and process of a worker"),
        "dead_reason": CODE,
        "event": CODE,
        "object_type": CODE,
        "object_id": Keep("a bare row id, which leads nowhere once the row is gone; goes after 30 days"),
        "state": CODE,
        "last_error": CODE,
    },
    "exchange.ImportLine": {"record": LINE, "digest": DIGEST, "seal": DIGEST, "reason": CODE},
    "privacy.PrivacyRequest": {
        "kind": CODE,
        "state": CODE,
        "subject_digest": DIGEST,
        "wish": REQUEST,
        "correction": REQUEST,
        "opened_by": Keep("a bare row id of a user or key"),
        "extension_reason": Keep("what staff said about the delay, by rule without names"),
        "identity_method": CODE,
        "identity_checked_by": Keep("a bare row id of a user"),
        "preview": Keep("counts, ids of facts, codes, and when backups were taken"),
        "preview_digest": DIGEST,
        "exceptions": Keep("ids of facts and grounds in staff's words, by rule without names"),
        "accounts": Keep("row ids of users and grounds in staff's words, by rule without names"),
        "approved_by": Keep("a bare row id of a user"),
        "approved_digest": DIGEST,
        "progress": Keep("counts by store, and a bare row id, which leads nowhere once the subject is gone"),
        "verification": Keep("counts by check"),
        "stopped_in": CODE,
        "error_code": CODE,
        "rejected_for": CODE,
        "claimed_by": Keep("host and process of a worker"),
        "dead_reason": CODE,
    },
    "privacy.RequestIdentity": {"kind": CODE, "value": REQUEST},
    "privacy.Hold": {
        "object_type": CODE,
        "object_id": Keep("a bare row id"),
        "ground": Keep("the operator's duty to keep something, by rule without names"),
        "placed_by": Keep("a bare row id of a user"),
        "released_by": Keep("a bare row id of a user"),
    },
    "privacy.Receipt": {
        "body": Keep("counts, codes, times, ids of staff and digests: proof without the person"),
        "digest": DIGEST,
        "signature": DIGEST,
    },
    "privacy.AccessPackage": {
        "content": Erase("removed a week after it was made, or when its person is erased"),
        "held": Erase("removed with the content"),
        "sha256": DIGEST,
        "token_hash": DIGEST,
    },
    "privacy.RetentionRule": {
        "store": CODE,
        "scope": CODE,
        "category": NAMES,
        "sensitivity": CODE,
        "changed_by": Keep("a bare row id of a user"),
    },
    "privacy.Backup": {"place": NAMES, "sha256": DIGEST},
    "privacy.Restoration": {"report": Keep("counts of what was erased again")},
    "privacy.Purge": {"report": Keep("names of tables and what was done to them")},
}

# Tables of third-party apps: none holds anything an agent or a subject said.
THIRD_PARTY: dict[str, str] = {
    "auth": "Django's permission tables, unused: access has its own policies",
    "contenttypes": "names of models",
    "sessions": "signed login sessions of staff; they end after half an hour without a click, and after eight hours",
    "mfa": "sealed secrets of staff's two-step sign-in; they go with the account",
    "socialaccount": "issuer and subject of staff's identities elsewhere, and no claim about them; they go with the account",
    "account": "staff's e-mail addresses, as allauth keeps them",
}
