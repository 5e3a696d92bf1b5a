"""Why a line is not taken in, by code: one sentence for people. None repeats what the line says."""

EXPLAINED: dict[str, str] = {
    # of the file
    "not_json": "is not JSON, or not one JSON object on one line",
    "not_utf8": "is not text in UTF-8",
    "not_an_object": "is not an object with named fields",
    "too_deep": "is nested too deep",
    "too_long_line": "is over 64 KB long",
    "uneven": "has more cells than the table has columns",
    "unstorable": "holds characters that no table can store",
    # of the statement
    "blank": "says nothing",
    "too_long": "says more than a fact can hold: 2,000 characters, an id 255",
    "unknown_choice": "has a scope, type or sensitivity that is not one of ours",
    "subject_required": "does not say whom it is about, or which agent is told",
    "unknown_agent": "is for an agent that this project does not have",
    "invalid_name": "names an agent that can't be called so",
    "secret": "holds a password or a key",
    "injection": "reads like an order to an agent",
    "out_of_range": "has a number outside 0 to 1, or ends before it begins",
    "over": "is over: it has expired or no longer holds",
    "invalid_timestamp": "has a date that can't be read",
    "invalid_category": "has a category that is not one line of 1 to 60 characters",
    "closed": "was superseded, retired or held where it comes from",
    "operational": "is an agent's own working value (its key begins with _), which is no memory",
    "instructions": "is an agent's own instructions, which are no memory",
    "null_character": "has a key with characters that no table can store",
    "too_many_marks": "has a key with too many combining marks",
    "key_taken": "is under a key that has another value here, which stays",
    "needs_lines": "is a value under a key, which a table can't hold: use JSON Lines",
    "wrong_type": "has a field of the wrong kind",
    "newer_format": "is of a later format than this plane reads",
    "too_many_parents": "is derived from more than 200 facts",
}


def explain(code: str) -> str:
    """The sentence of a code, without its subject; an unknown one as it stands."""
    return EXPLAINED.get(code, code.replace("_", " "))
