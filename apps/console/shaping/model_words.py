"""What went wrong with a model, in words: one table for whoever asks one (`inference.errors.CODES`)."""

MODEL_ERRORS = {
    "model_timeout": "the model did not answer in time",
    "model_rate_limited": "the model’s server limits our requests",
    "model_unavailable": "the model’s server can’t be reached, or answers with an error",
    "model_circuit_open": "the model failed several times in a row and is left alone for a moment",
    "model_not_configured": "the operator no longer offers the model that this project chose",
    "empty": "the model answered with nothing",
    "not_json": "the model’s answer is not one JSON object",
    "truncated": "the model’s answer stops at its token limit",
    "too_large": "the model’s answer is over the size limit",
    "wrong_shape": "the model’s answer is JSON of another shape than was asked for",
    "empty_prompt": "there was nothing to ask the model",
}


def as_sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def unforeseen(code: str) -> str:
    """Of a code that nobody gave words to: the code itself, by which the log is searched."""
    return f"an error that nobody foresaw ({code}), of which the log says where"
