"""Test cases of memory as text: what is remembered, what is asked, and what a right answer says.

A file is JSON Lines, one case a line; docs/evaluation.md says what each field means. The console writes a case,
``manage.py evaluate usefulness`` reads it; no database is asked.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, fields
from datetime import UTC, datetime
from typing import Any, TypeVar

from apps.access.models import SENSITIVITIES
from apps.core.errors import DomainError, FieldError, Invalid
from apps.core.strict_json import loads
from apps.core.text import MAX_CONTENT, normalise
from apps.facts.models import MEMORY_TYPES

OUTCOMES = ["answer", "unknown", "ask"]
KINDS = ["stale", "conflicting", "other_subject", "secret"]
STATES = ["current", "retired", "restricted", "contested"]
SCOPES = ["agent", "project", "user"]
MAX_FAULTS = 20
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Memory:
    """One fact of a case. ``agent``, ``user``: whose it is where it is not the asked agent's, ``elsewhere``: of another
    project. ``superseded_by`` is the number, from 1, of a later memory of the case. ``kind`` (in the file: ``is``) says
    what is wrong with using it, and ``betrayed_by`` which words in an answer show that it was used."""

    content: str
    scope: str = "agent"
    agent: str = ""
    user: str = ""
    elsewhere: bool = False
    said_at: datetime | None = None
    attribute: str = ""
    category: str = "general"
    memory_type: str = "semantic"
    importance: float = 0.5
    confidence: float = 1.0
    sensitivity: str = "internal"
    expires_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    superseded_by: int | None = None
    state: str = "current"
    kind: str = ""
    betrayed_by: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Case:
    """``expected``: what a right answer says, each part in one of several wordings. ``outcome``: whether it answers,
    says that it doesn't know, or asks back. ``now`` is the moment of the question, null for that of the run;
    ``budget`` how many tokens (estimated) the block of facts may have, ``limit`` how many facts."""

    name: str
    question: str
    memories: tuple[Memory, ...] = ()
    expected: tuple[tuple[str, ...], ...] = ()
    must_not: tuple[str, ...] = ()
    outcome: str = "answer"
    agent: str = "assistant"
    user: str = ""
    now: datetime | None = None
    budget: int | None = None
    limit: int = 50


def parse_cases(text: bytes) -> list[Case]:
    """The cases of a file, at least one. Raises Invalid ``invalid_cases`` with up to 20 errors: each detail begins with
    "Line n: ", each pointer is the field in that line's object."""
    faults: list[FieldError] = []
    cases: list[Case] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        found: list[FieldError] = []
        try:
            case = _case(loads(line), found)
        except DomainError as error:
            found += error.errors or [FieldError(error.code, error.detail)]
        else:
            first = lines.setdefault(case.name, number)
            if case.name and first != number:
                found.append(FieldError("repeated", f"Line {first} has a case of this name.", "/name"))
            cases.append(case)
        faults += [FieldError(one.code, f"Line {number}: {one.detail}", one.pointer) for one in found]
    if not cases and not faults:
        faults.append(FieldError("blank", "Line 1: There is no case in this file."))
    if faults:
        raise Invalid("invalid_cases", "The file of cases can't be used as it is.", errors=faults[:MAX_FAULTS])
    return cases


def dump_case(case: Case) -> str:
    """The case as one line of such a file, with its line break; what is as by default is left out. One that expects
    nothing yet is written too, and refused when read, until somebody says what is expected."""
    raw = _dumped(case, always={"name", "question", "memories", "expected"})
    raw["memories"] = [_dumped(memory, always={"content"}) for memory in case.memories]
    raw["expected"] = [part[0] if len(part) == 1 else list(part) for part in case.expected]
    return json.dumps(raw, ensure_ascii=False) + "\n"


def _dumped(value: Case | Memory, always: set[str]) -> dict[str, Any]:
    raw: dict[str, Any] = {}
    for field in fields(value):
        held = getattr(value, field.name)
        if field.name in always or held != field.default or field.default is MISSING:
            name = "is" if field.name == "kind" else field.name
            raw[name] = held.isoformat() if isinstance(held, datetime) else held
    return raw


def _case(raw: dict[str, Any], faults: list[FieldError]) -> Case:
    row = _Row(raw, "", faults)
    memories = tuple(_memory(one) for one in row.rows("memories"))
    case = Case(
        name=row.text("name", longest=120),
        question=row.text("question", longest=8_000),
        memories=memories,
        expected=row.parts("expected"),
        must_not=row.words("must_not"),
        outcome=row.choice("outcome", OUTCOMES, "answer"),
        agent=row.text("agent", "assistant", longest=255),
        user=row.text("user", "", longest=255),
        now=row.moment("now"),
        budget=row.whole("budget", None, 1, 1_000_000),
        limit=row.whole("limit", 50, 1, 200),
    )
    row.no_more()
    if case.outcome == "answer" and not case.expected and "expected" not in row.bad:
        row.wrong("expected", "blank", "Say what a right answer holds.")
    if case.outcome == "unknown" and case.expected:
        row.wrong("expected", "contradiction", "Who doesn't know says nothing that could be expected.")
    wanted = {normalise(word) for part in case.expected for word in part}
    if wanted & {normalise(word) for word in case.must_not}:
        row.wrong("must_not", "contradiction", "The same words are expected.")
    for place, memory in enumerate(memories):
        betraying = {normalise(word) for word in memory.betrayed_by}
        if memory.kind != "conflicting" and wanted & betraying:
            row.wrong(f"memories/{place}/betrayed_by", "contradiction", "The same words are expected.")
        if memory.superseded_by is not None and not place + 1 < memory.superseded_by <= len(memories):
            row.wrong(f"memories/{place}/superseded_by", "out_of_range", "It names no later memory of this case.")
    return case


def _memory(row: "_Row") -> Memory:
    user = row.text("user", "", longest=255)
    memory = Memory(
        content=row.text("content", longest=MAX_CONTENT),
        scope=row.choice("scope", SCOPES, "user" if user else "agent"),
        agent=row.text("agent", "", longest=255),
        user=user,
        elsewhere=row.flag("elsewhere"),
        said_at=row.moment("said_at"),
        attribute=row.text("attribute", "", longest=60),
        category=row.text("category", "general", longest=60),
        memory_type=row.choice("memory_type", MEMORY_TYPES, "semantic"),
        importance=row.share("importance", 0.5),
        confidence=row.share("confidence", 1.0),
        sensitivity=row.choice("sensitivity", SENSITIVITIES, "internal"),
        expires_at=row.moment("expires_at"),
        valid_from=row.moment("valid_from"),
        valid_to=row.moment("valid_to"),
        superseded_by=row.whole("superseded_by", None, 1, 10_000),
        state=row.choice("state", STATES, "current"),
        kind=row.choice("is", KINDS, ""),
        betrayed_by=row.words("betrayed_by"),
    )
    row.no_more()
    if (memory.scope == "user") != bool(user) and not row.bad & {"user", "scope"}:
        row.wrong("user", "subject_required", "A fact of scope user, and no other, needs the user it is of.")
    if memory.superseded_by and memory.state != "current" and "state" not in row.bad:
        row.wrong("state", "contradiction", "What was superseded has no other state.")
    if bool(memory.kind) != bool(memory.betrayed_by) and not row.bad & {"is", "betrayed_by"}:
        row.wrong("betrayed_by", "blank", "`is` and the words that betray it belong together.")
    return memory


class _Row:
    """Reads one object field by field; a field at fault is noted, and read as its default."""

    def __init__(self, raw: Any, pointer: str, faults: list[FieldError]) -> None:
        self.raw, self.pointer, self.faults = dict(raw) if isinstance(raw, dict) else {}, pointer, faults
        self.bad: set[str] = set()
        self.readable = isinstance(raw, dict)
        if not self.readable:
            faults.append(FieldError("object_expected", "This has to be an object.", pointer))

    def wrong(self, field: str, code: str, detail: str) -> None:
        self.bad.add(field.split("/")[0])
        self.faults.append(FieldError(code, detail, f"{self.pointer}/{field}"))

    def no_more(self) -> None:
        """Every field was taken; what is left nobody knows."""
        for field in self.raw:
            known = field.replace("~", "~0").replace("/", "~1")
            self.wrong(known, "unknown_field", "There is no such field.")

    def _take(self, field: str, default: T, kind: type | tuple[type, ...], said: str, read: Callable[[Any], T]) -> T:
        if field not in self.raw:
            return default
        value = self.raw.pop(field)
        # A boolean is a number for Python, and not for whoever wrote it.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.wrong(field, "wrong_type", said)
            return default
        try:
            return read(value)
        except ValueError as error:
            self.wrong(field, "invalid", str(error))
            return default

    def text(self, field: str, default: str | None = None, *, longest: int) -> str:
        if default is None and field not in self.raw and self.readable:
            self.wrong(field, "required", "This is needed.")
        return self._take(field, default or "", str, "This has to be text.", lambda value: _text(value, longest))

    def choice(self, field: str, choices: list[str], default: str) -> str:
        said = f"One of {', '.join(choices)}."

        def read(value: str) -> str:
            if value not in choices:
                raise ValueError(said)
            return value

        return self._take(field, default, str, said, read)

    def flag(self, field: str) -> bool:
        return self._take(field, False, bool, "This has to be true or false.", bool)

    def whole(self, field: str, default: T, least: int, most: int) -> T | int:
        def read(value: Any) -> T | int:
            if not least <= value <= most:
                raise ValueError(f"This lies between {least:,} and {most:,}.")
            return int(value)

        widened: T | int = default
        return self._take(field, widened, int, "This has to be a whole number.", read)

    def share(self, field: str, default: float) -> float:
        def read(value: float) -> float:
            if not 0 <= value <= 1:
                raise ValueError("This lies between 0 and 1.")
            return float(value)

        return self._take(field, default, (int, float), "This has to be a number.", read)

    def moment(self, field: str) -> datetime | None:
        return self._take(field, None, str, "This has to be a date, or a time with its offset.", _moment)

    def words(self, field: str) -> tuple[str, ...]:
        return self._take(field, (), list, "This has to be a list of texts.", _words)

    def parts(self, field: str) -> tuple[tuple[str, ...], ...]:
        def read(value: list[Any]) -> tuple[tuple[str, ...], ...]:
            return tuple(_words(one if isinstance(one, list) and one else [one]) for one in value)

        return self._take(field, (), list, "This has to be a list of texts, or of lists of wordings.", read)

    def rows(self, field: str) -> Iterable["_Row"]:
        value: list[Any] = self._take(field, [], list, "This has to be a list of memories.", list)
        return [_Row(one, f"{self.pointer}/{field}/{place}", self.faults) for place, one in enumerate(value)]


def _text(value: str, longest: int) -> str:
    if not normalise(value):
        raise ValueError("May not be blank.")
    if len(value) > longest:
        raise ValueError(f"At most {longest:,} characters.")
    return value.strip()


def _words(value: list[Any]) -> tuple[str, ...]:
    if not all(isinstance(one, str) and normalise(one) for one in value):
        raise ValueError("Each of these has to be a text that is not blank.")
    return tuple(one.strip() for one in value)


def _moment(value: str) -> datetime:
    said = "This has to be a date, or a time with its offset: 2026-05-04, 2026-05-04T09:30:00Z."
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(said) from None
    if moment.tzinfo is None and len(value) > len("2026-05-04"):
        raise ValueError(said)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
