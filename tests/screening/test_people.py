"""How many names of people are found, and how much of what is found is one."""

import re

from apps.screening.people import own_names, people
from tests.screening.named import SENTENCES


def measured() -> tuple[float, float, list[str], list[str]]:
    """Precision, recall, what was found and is no name, what is one and was not found; a name counts whole or not at all."""
    right, wrong, missed = 0, [], []
    for marked in SENTENCES:
        wanted, text = [], ""
        for part in re.split(r"(\[[^\]]+\])", marked):
            if part.startswith("["):
                wanted.append((len(text), len(text) + len(part) - 2))
            text += part.strip("[]") if part.startswith("[") else part
        found = list(people(text))
        right += len(set(found) & set(wanted))
        wrong += [text[start:end] for start, end in found if (start, end) not in wanted]
        missed += [text[start:end] for start, end in wanted if (start, end) not in found]
    return right / (right + len(wrong)), right / (right + len(missed)), wrong, missed


def test_most_names_are_found_and_little_else() -> None:
    precision, recall, wrong, missed = measured()
    assert precision >= 0.95, wrong
    assert recall >= 0.8, missed


def test_what_somebody_is_called_is_her_own_name() -> None:
    assert own_names("Call me Zoe. My name is Ada Lovelace, ich heiße Klaus.") == ["Zoe", "Ada Lovelace", "Klaus"]
    assert own_names("Call me on Monday. My name is my own.") == []
