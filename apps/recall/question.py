"""What a question is made of besides its words: odd pieces, and a vector.

Whatever is asked has a defined answer: a question without a word, of stop words alone, of emoji or of marks, is answered
by meaning and importance, and without an embedder by importance alone. Nothing in it reaches SQL but as a value.
"""

import re
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import datetime

import structlog
from django.conf import settings

from apps.core.clock import now
from apps.core.errors import DomainError
from apps.core.text import normalise, storable
from apps.inference.calls import CircuitBreaker, call_with_retries
from apps.inference.embeddings import Embedder, require_dims
from apps.recall.dates import days_in
from apps.recall.serving import serving_embedder
from apps.tenancy.queries import subjects_called

log = structlog.get_logger(__name__)

MAX_CHARACTERS = 8_000
"""Of a question so much is read; agents send whole conversations."""
MAX_PIECES, MAX_NAMES = 32, 24
KEPT, KEPT_SECONDS = 1_000, 600.0

_NAME = re.compile(r"\w[\w.@+:-]*\w")
# Scripts that write no spaces: a word can't be cut out, so that pieces of two letters stand for it.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f]+")
# "A-1042", "v2.3", "mail@shop.example": what the parser of full text cuts in pieces.
_SEPARATORS = re.compile(r"[\s,;!?()\[\]{}\"'`|*]+")
LONGEST_CODE = 100


@dataclass(frozen=True)
class Question:
    """``pieces`` are patterns for ILIKE; the words are cut out by the database. ``named`` are ids of the subjects it
    names, ``dates`` the stretches of time. ``vector`` is null without an embedder, and when it did not answer in time: then ``degraded`` says why, in
    one code."""

    text: str
    pieces: list[str]
    named: list[int] = field(default_factory=list)
    dates: list[tuple[datetime, datetime]] = field(default_factory=list)
    vector: list[float] | None = None
    model: str = ""
    degraded: str = ""


NOTHING = Question("", [])


def question_of(project_id: int, query: str | None) -> Question:
    """The question an agent asks, cut to size; asks the embedder once at most, and not for a text it has seen."""
    if not query:
        return NOTHING
    text = storable(query)[0][:MAX_CHARACTERS]
    if not normalise(text):
        return NOTHING
    pieces, named = pieces_of(text), named_in(project_id, text)
    model, dims = serving_embedder(for_question=True)
    asked = Question(text, pieces, list(named.values()), days_in(text, now()))
    if model is None:
        return asked
    # Whose fact it is, the fact's subject says; what is asked of him is the rest.
    vector, degraded = _vector(project_id, model, dims, _without(text, named))
    return replace(asked, vector=vector, model=model.name, degraded=degraded)


def meaning_of(project_id: int, text: str) -> tuple[list[float] | None, str, str]:
    """The vector of a statement, the model it is of, and where it has none a code that says why: ``no_embedder``, or what
    kept the embedder from answering in time."""
    model, dims = serving_embedder(for_question=True)
    if model is None:
        return None, "", "no_embedder"
    vector, degraded = _vector(project_id, model, dims, storable(text)[0][:MAX_CHARACTERS])
    return vector, model.name, degraded


def named_in(project_id: int, text: str) -> dict[str, int]:
    """The subjects whose id or alias stands in the text as a word, by that word. Only words that look like a name are
    tried: with a capital or a digit in them."""
    words = [word for word in dict.fromkeys(_NAME.findall(text)) if not word.islower()][:MAX_NAMES]
    return subjects_called(project_id, words) if words else {}


def _without(text: str, named: dict[str, int]) -> str:
    for word in named:
        text = re.sub(rf"(?<!\w){re.escape(word)}(?:['’]s)?(?!\w)", " ", text)
    text = " ".join(text.split())
    return text if normalise(text) else " ".join(named)


def pieces_of(text: str) -> list[str]:
    """Patterns for what full text would cut or could not cut, each once, in its order."""
    plain = text.lower()
    codes = [code for word in _SEPARATORS.split(plain) if _is_code(code := word.strip(".:-/"))]
    pairs = [run[n : n + 2] for run in _UNSPACED.findall(plain) for n in range(max(1, len(run) - 1))]
    return [f"%{_escaped(piece)}%" for piece in dict.fromkeys([*codes, *pairs])][:MAX_PIECES]


def _is_code(word: str) -> bool:
    # A word of letters and digits alone is a word for full text too.
    if not 2 < len(word) <= LONGEST_CODE or word.isalnum():
        return False
    return any(map(str.isdigit, word)) or "." in word.partition("@")[2]


def _escaped(piece: str) -> str:
    return piece.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _vector(project_id: int, model: Embedder, dims: int | None, text: str) -> tuple[list[float] | None, str]:
    """``dims`` is the length of the stored vectors; one of another length could be compared with none of them."""
    kept = _seen.get(project_id, model.name, text)
    if kept is not None and dims in (None, len(kept)):
        return kept, ""
    try:
        (vector,) = call_with_retries(
            lambda _: model.embed([text]),
            attempts=1,
            deadline=settings.QUERY_EMBED_TIMEOUT,
            breaker=CircuitBreaker(f"query:{model.name}"),
        )
        if dims is not None:
            require_dims(model, dims)
    except DomainError as error:
        # The agent gets what words and importance find; a turn never waits for a model that is away.
        log.warning("query_not_embedded", model=model.name, code=error.code)
        return None, error.code
    _seen.keep(project_id, model.name, text, vector)
    return vector, ""


class _Seen:
    """The vectors of the last questions, of this process; a turn is often asked more than once. Never stored: it is
    what a user wrote. A project's own: how long an answer takes tells nobody what was asked in another one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, str, str], tuple[float, list[float]]] = OrderedDict()

    def get(self, project_id: int, model: str, text: str) -> list[float] | None:
        with self._lock:
            at, vector = self._kept.get((project_id, model, text), (0.0, None))
            if vector is None or time.monotonic() - at > KEPT_SECONDS:
                return None
            self._kept.move_to_end((project_id, model, text))
            return vector

    def keep(self, project_id: int, model: str, text: str, vector: list[float]) -> None:
        with self._lock:
            self._kept[project_id, model, text] = (time.monotonic(), vector)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)


_seen = _Seen()
