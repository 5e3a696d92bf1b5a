"""What an extractor is given and what it hands back. The rules and a language model share these shapes."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Literal, Protocol

from apps.core.text import MAX_CONTENT

Role = Literal["user", "assistant"]
Scope = Literal["user", "agent", "project"]
About = Literal["speaker", "work"]
MemoryType = Literal["semantic", "episodic", "procedural", "preference"]
Sensitivity = Literal["public", "internal", "personal", "special"]

MAX_STATEMENT = MAX_CONTENT
MAX_PER_TRACE = 20  # a trace that yields more is a flood, not a memory


@dataclass(frozen=True)
class Turn:
    """One message as it was said. ``text`` is untouched: quotes are cut from it by position."""

    message_id: int
    role: Role
    text: str
    at: datetime


@dataclass(frozen=True)
class KnownFact:
    """A current fact near to what is talked about, for an extractor that can say "this changes #12"."""

    id: int
    content: str


@dataclass(frozen=True)
class Conversation:
    """The turns of one trace that were not mined yet, oldest first.

    ``served`` holds the ``norm_hash`` of lines the plane itself told agents lately: what comes back is not news.
    ``earlier`` are turns mined before, to understand the new ones by; nothing may rest on them. ``prompts`` are the
    instructions the agent ran under.
    """

    trace_id: str
    agent_name: str | None
    project_slug: str
    user_id: str | None
    turns: tuple[Turn, ...]
    served: frozenset[bytes] = frozenset()
    earlier: tuple[Turn, ...] = ()
    known: tuple[KnownFact, ...] = ()
    prompts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """One statement worth a reviewer's look, with the words it rests on.

    ``statement`` is one line of at most 2,000 code points; ``quote`` is exactly ``text[start:end]`` (code points) of
    the turn ``message_id``; ``confidence`` and ``importance`` run from 0 to 1. ``attribute`` is a slug such as
    ``employer`` or ``refund-window``, null when the statement has none. ``changes_known`` says that the speaker
    himself marked it as a change ("from now on", "no longer", "moved").
    """

    statement: str
    scope: Scope
    about: About
    message_id: int
    quote: str
    start: int
    end: int
    attribute: str | None
    category: str
    memory_type: MemoryType
    confidence: float
    importance: float
    sensitivity: Sensitivity
    observed_at: datetime
    rule: str
    changes_known: bool
    speaker: Role = "user"
    subject: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    changes: int | None = None
    model_confidence: bool = False


@dataclass(frozen=True)
class Usage:
    """What asking a model took; ``raw`` is all it answered, ``cost`` null without a price."""

    model: str
    prompt_version: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    latency_ms: int = 0
    cost: Decimal | None = None
    raw: str = field(default="", repr=False)


@dataclass(frozen=True)
class Extraction:
    """What one conversation gave, in the order it was said, and how many sentences were left out for which reason."""

    candidates: tuple[Candidate, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    usage: Usage | None = None


class ExtractorFailed(Exception):
    """An extractor gave up on one conversation. ``code`` is stable and holds no text of the conversation;
    ``retry_after`` (seconds) is when to come back, ``usage`` what was spent, ``asked`` whether anything was tried."""

    def __init__(
        self, code: str, *, retry_after: int | None = None, usage: Usage | None = None, asked: bool = True
    ) -> None:
        super().__init__(code)
        self.code = code
        self.retry_after = retry_after
        self.usage = usage
        self.asked = asked


class Extractor(Protocol):
    """Anything that turns a conversation into candidates. ``name`` and ``version`` are kept with every proposal.

    It may also have ``patience``, the seconds it takes at most: then it waits for somebody else, and is given no
    database connection to hold meanwhile.
    """

    name: str
    version: str

    def extract(self, conversation: Conversation) -> Extraction: ...
