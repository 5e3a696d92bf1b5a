"""What becomes of lines: read as statements, screened, and held against what is known, waiting or forgotten here. Reads only."""

import hashlib
import json
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q

from apps.access.models import SENSITIVITIES
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.sqlfiles import load
from apps.core.text import norm_hash, normalise, one_line
from apps.exchange.incoming import Incoming, Unfit
from apps.exchange.models import Import, ImportLine
from apps.exchange.queries import facts_of_lines
from apps.exchange.readers.shapes import READERS
from apps.facts.keyed import Slot, check_key, check_room, line_of
from apps.facts.statement import Statement
from apps.screening.findings import QUARANTINE, REJECT, RULESET, Screening
from apps.screening.screen import mask_json, screen
from apps.tenancy.models import AGENT_ID, Agent, Project, Subject
from apps.tenancy.queries import find_subjects
from apps.tenancy.tombstones import buried, fact_digest, subject_digest

AGES_AGO = datetime(1970, 1, 1, tzinfo=UTC)
"""When something was said that nobody knows the age of: no tombstone lets it pass."""

CLEAN = Screening((), "internal", 0.0)
"""Nothing was found."""

MOST_LABEL = 255
_LONGEST_NAME = 200


@dataclass
class Judged:
    """One line on its way. ``outcome`` is one of OUTCOMES, for ``refused`` with its ``reason``; ``held`` stands for new with
    the flags that hold it. ``scope_id`` is as it would be stored, ``given_id`` as the file has it; ``subject`` and ``agent`` are
    there as far as they are known here. ``parents`` are facts here that it is derived from, ``fact_id`` the one that says it."""

    line: ImportLine
    outcome: str = "new"
    reason: str = ""
    said: Incoming | None = None
    scope_id: str = ""
    given_id: str = ""
    subject: Subject | None = None
    agent: Agent | None = None
    flags: tuple[str, ...] = ()
    parents: list[int] = field(default_factory=list)
    fact_id: int | None = None
    digest: bytes = b""
    words: bytes = field(default=b"", repr=False)
    seal: bytes | None = field(default=None, repr=False)

    def refuse(self, reason: str) -> None:
        self.outcome, self.reason = "refused", reason

    @property
    def statement(self) -> Statement:
        assert self.said is not None
        return self.said.statement

    @property
    def place(self) -> tuple[str, str]:
        return self.statement.scope, self.scope_id

    @property
    def is_plain(self) -> bool:
        """Neither under a key, nor of a client's own label, nor told through one agent or for some purposes alone."""
        said = self.said
        if said is not None and (said.key is not None or said.label):
            return False
        if self.statement.purposes is not None or self.statement.task_types is not None:
            return False
        return self.agent is None or self.statement.scope == "agent"

    @property
    def agent_name(self) -> str:
        """As the file names the agent through which it is told; empty for none."""
        statement = self.statement
        name = statement.agent_name or (statement.scope_id if statement.scope == "agent" else "")
        return "" if statement.scope == "project" else name.strip()

    @property
    def observed_at(self) -> datetime:
        """As far as tombstones are concerned."""
        assert self.said is not None
        return self.said.observed_at or AGES_AGO


def read_lines(upload: Import, lines: list[ImportLine]) -> list[Judged]:
    """Each line as a statement that could stand here, or refused. The project is bound. Nothing is looked for yet."""
    judged = [_read(upload, line) for line in lines]
    _name_agents(upload, judged)
    _name_subjects(upload.project_id, judged)
    for one in going(judged):
        one.digest = _digest(one)
    return judged


def weigh(upload: Import, judged: list[Judged]) -> None:
    """Set the outcome of what `read_lines` left: forgotten, known, or new. Whoever goes on to write holds the places' locks."""
    # In this order: of what is forgotten in between, the words are found buried.
    _know(upload, judged)
    _bury(upload.project_id, judged)


def going(judged: list[Judged]) -> list[Judged]:
    """Those that nothing has stopped yet."""
    return [one for one in judged if one.outcome in {"new", "held"}]


def _read(upload: Import, line: ImportLine) -> Judged:
    one = Judged(line)
    if line.record is None:
        one.refuse(line.reason or "not_json")
        return one
    try:
        said = READERS[upload.shape].said(line.record, upload.columns)
        if said.closed and not (upload.direct and line.parent and said.key is None):
            raise Unfit("closed")
        statement = _placed(said)
        seen = _seen(one, one_line(statement.content))
        one.said = replace(said, statement=statement.cleaned(seen))
        _screen(one, upload, seen)
    except Unfit as fault:
        one.refuse(fault.code)
    except Invalid as error:
        one.refuse(next((fault.code for fault in error.errors), error.code))
    return one


def _placed(said: Incoming) -> Statement:
    """The statement with the words by which it would be told. Raises Invalid and Unfit."""
    statement, at = said.statement, now()
    if said.closed:
        statement = replace(statement, expires_at=None)
    elif any(end is not None and end <= at for end in (statement.expires_at, statement.valid_to)):
        raise Unfit("over")
    if said.key is not None:
        if said.key.startswith("_"):
            raise Unfit("operational")
        check_key(said.key)
        statement = replace(statement, content=line_of(said.key, said.value))
    if len(said.label) > MOST_LABEL:
        raise Unfit("too_long")
    check_room(statement.scope_id or statement.agent_name, Slot(label=said.label, key=said.key))
    return statement


def _seen(one: Judged, text: str) -> Screening:
    """What screening finds in the statement. It takes longer than all else, so that where the dry run found nothing, in
    this very text and by these very rules, it is not asked again."""
    seal = hashlib.blake2b(f"{RULESET}\n{text}".encode(), digest_size=16).digest()
    if one.line.seal is not None and bytes(one.line.seal) == seal:
        one.seal = seal
        return CLEAN
    seen = screen(text)
    one.seal = seal if seen == CLEAN else None
    return seen


def _screen(one: Judged, upload: Import, seen: Screening) -> None:
    said, statement = one.said, one.statement
    assert said is not None
    if said.key is not None:
        # A value may be longer than the line that is told of it.
        _, secrets, unseen = mask_json({said.key: said.value})
        if secrets or unseen:
            raise Unfit("secret")
        seen = screen(f"{said.key}: {_written(said.value)}")
    if seen.secrets:
        raise Unfit("secret")
    if seen.injection_score >= REJECT:
        raise Unfit("injection")
    if not said.labelled:
        statement = replace(statement, sensitivity=_sensitivity(statement, seen))
        one.said = said = replace(said, statement=statement)
    if seen.injection_score >= QUARANTINE:
        if said.closed:
            raise Unfit("closed")
        one.outcome, one.flags = "held", ("injection",)
    elif statement.sensitivity == "special" and not upload.direct:
        one.outcome = "held"


def _sensitivity(statement: Statement, seen: Screening) -> str:
    least = "personal" if statement.scope == "user" else "internal"
    return max(statement.sensitivity, seen.sensitivity, least, key=SENSITIVITIES.index)


def _name_agents(upload: Import, judged: list[Judged]) -> None:
    """The agents that are meant, where they are here; of the others only those that may be registered go on."""
    wanted = {name for one in going(judged) if (name := one.agent_name)}
    ids = {UUID(name) for name in wanted if _is_id(name)}
    rows = Agent.objects.filter(Q(name__in=wanted) | Q(id__in=ids), project_id=upload.project_id)
    by_name: dict[str, Agent] = {}
    for agent in rows:
        by_name |= {agent.name: agent, str(agent.id): agent, agent.id.hex: agent}
    slug = Project.objects.values_list("slug", flat=True).get(id=upload.project_id)
    for one in going(judged):
        name = one.agent_name
        one.agent = by_name.get(name) or by_name.get(name.lower() if _is_id(name) else "")
        if name and one.agent is None:
            if not upload.register_agents:
                one.refuse("unknown_agent")
            elif not normalise(name) or name == "*" or len(name) > _LONGEST_NAME or _is_id(name):
                one.refuse("invalid_name")
        scope = one.statement.scope
        if scope == "agent":
            one.scope_id = one.agent.name if one.agent else name
            if not one.scope_id and one.outcome != "refused":
                one.refuse("subject_required")
        else:
            one.scope_id = slug if scope == "project" else one.statement.scope_id


def _name_subjects(project_id: int, judged: list[Judged]) -> None:
    users = [one for one in going(judged) if one.statement.scope == "user"]
    found = find_subjects(project_id=project_id, external_ids={one.scope_id for one in users})
    for one in users:
        one.given_id, one.subject = one.scope_id, found.get(one.scope_id)
        if one.subject is not None:
            one.scope_id = one.subject.external_id


def _bury(project_id: int, judged: list[Judged]) -> None:
    """What was forgotten here stays so: by its words, by whom it is about, under whichever of his ids, or with everything."""
    digests: dict[int, list[bytes]] = {}
    for one in going(judged):
        scope = one.statement.scope
        ids = {one.scope_id, one.given_id or one.scope_id}
        found = [fact_digest(project_id, scope, scope_id, one.statement.content) for scope_id in sorted(ids)]
        if scope == "user":
            found += [subject_digest(project_id, "user", scope_id) for scope_id in sorted(ids)]
        digests[one.line.number] = found
    # Whether there is any tombstone at all, at once; then each of these few with its own time.
    asked = [(digest, AGES_AGO) for found in digests.values() for digest in found]
    any_of = {digest for digest, _ in buried(project_id, asked)}
    for one in going(judged):
        suppressed = one.subject is not None and one.subject.suppressed_at is not None
        mine = [(digest, one.observed_at) for digest in digests[one.line.number] if digest in any_of]
        if suppressed or (mine and buried(project_id, mine)):
            one.outcome = "suppressed"


def _know(upload: Import, judged: list[Judged]) -> None:
    """What a fact says or said here, or what was proposed in these words before."""
    rest = going(judged)
    for one in rest:
        one.words = norm_hash(one.statement.content)
    keyed = [one for one in rest if one.said and one.said.key is not None]
    given: dict[str, Any] = {
        "project": upload.project_id,
        "since": (upload.started_at if upload.state == "running" else None) or datetime.max.replace(tzinfo=UTC),
        "digests": list({one.words for one in rest}),
        "scopes": [one.place[0] for one in keyed],
        "ids": [one.place[1] for one in keyed],
        "agents": [one.agent.id if one.agent else None for one in keyed],
        "labels": [one.said.label for one in keyed if one.said],
        "keys": [one.said.key for one in keyed if one.said],
    }
    said: dict[tuple[Any, ...], list[int]] = {}
    values: dict[tuple[Any, ...], Any] = {}
    # What is told first, then what was closed.
    for fact_id, scope, scope_id, agent_id, label, key, digest, value in _rows("known_facts", given):
        where: tuple[Any, ...] = (scope, scope_id, agent_id, label)
        if key is None:
            said.setdefault((*where, bytes(digest)), []).append(fact_id)
        else:
            # JSON, as the driver gives it where no field of a model stands between.
            values[*where, key] = json.loads(value) if isinstance(value, str) else value
    here = facts_of_lines(upload, {given_id for one in rest if one.said for given_id in one.said.derived_from})
    proposed = set() if upload.direct else {
        (scope, scope_id, bytes(digest)) for scope, scope_id, digest in _rows("known_proposals", given)
    }  # fmt: skip
    seen: set[bytes] = set()
    for one in rest:
        assert one.said is not None
        where = (*one.place, one.agent.id if one.agent else None, one.said.label)
        if one.said.key is not None:
            slot = (*where, one.said.key)
            if slot in values and _written(values[slot]) == _written(one.said.value):
                one.outcome = "known"
            elif slot in values:
                one.refuse("key_taken")
        else:
            one.parents = [here[given_id] for given_id in one.said.derived_from if given_id in here]
            # What it was made of may have said the same.
            same = [fact_id for fact_id in said.get((*where, one.words), []) if fact_id not in one.parents]
            if same or (*one.place, one.words) in proposed:
                one.outcome, one.fact_id = "known", same[0] if same else None
                if one.fact_id and one.line.parent and one.line.given_id:
                    here[one.line.given_id] = one.fact_id
        if one.digest in seen and one.outcome != "refused":
            one.outcome = "known"
        seen.add(one.digest)


def _is_id(name: str) -> bool:
    return bool(re.fullmatch(AGENT_ID, name))


def _digest(one: Judged) -> bytes:
    """16 bytes that are the same for two lines that would be one fact."""
    said = one.said
    assert said is not None
    what = ["key", said.key] if said.key is not None else ["words", norm_hash(said.statement.content).hex()]
    parts: list[Any] = [*one.place, one.agent_name, said.label, *what]
    if said.closed:
        # Several versions may have said the same.
        parts.append(one.line.number)
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).digest()


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _rows(name: str, given: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(load("apps.exchange", name), given)
        return cursor.fetchall()
