"""What it means that a read had no vector of its question, by the code that stands beside the facts."""

WHY = {
    "no_embedder": "no embedding model is chosen",
    "model_timeout": "the embedding model did not answer in time",
    "model_rate_limited": "the embedding model takes no more questions for the moment",
    "model_unavailable": "the embedding model is away",
    "model_circuit_open": "the embedding model failed several times and is left alone for a moment",
    "model_not_configured": "the embedding model is not set up",
    "model_file_changed": "the embedding model’s files are not those that were installed",
    "embedding_dims_mismatch": "the embedding model makes vectors of another length than those stored",
}


def degraded_in_words(code: str) -> str:
    """One sentence on why, two on what follows; "" for a read that lacks nothing."""
    if not code:
        return ""
    why = why_degraded(code)
    return (
        f"Ranked without meaning, because {why} ({code}). An agent that asked now would get this too: words and"
        " importance order the facts, and a threshold has no effect."
    )


def why_degraded(code: str) -> str:
    """Why there was no vector, as a part of a sentence; "" where there was one."""
    return WHY.get(code, "the embedding model could not be used") if code else ""
