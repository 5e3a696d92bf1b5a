"""What an agent still had in mind, by the rules of Flux's working memory: the order of its steps and their edges."""

import pytest

from apps.traces.working_memory import InMind, Remembered, in_mind, output_of


def said(*letters: int, role: str = "user") -> list[Remembered]:
    return [Remembered(place, role, n) for place, n in enumerate(letters, start=1)]


def kept(found: InMind) -> list[int]:
    return [number for number, fate in sorted(found.fate.items()) if fate == "kept"]


@pytest.mark.parametrize(("letters", "tokens"), [(0, 1), (3, 1), (4, 1), (7, 1), (8, 2), (4_000, 1_000)])
def test_a_token_is_four_letters_and_one_at_least(letters: int, tokens: int) -> None:
    assert Remembered(1, "user", letters).tokens == tokens


@pytest.mark.parametrize(
    ("window", "numbers"), [(None, [1, 2, 3, 4]), (2, [3, 4]), (4, [1, 2, 3, 4]), (9, [1, 2, 3, 4]), (0, [1, 2, 3, 4])]
)
def test_a_window_keeps_the_last_and_of_nought_all(window: int | None, numbers: list[int]) -> None:
    assert kept(in_mind(said(4, 4, 4, 4), window=window)) == numbers


@pytest.mark.parametrize(
    ("tokens", "numbers"),
    [
        (100, [1, 2, 3]),
        (12, [2, 3]),  # equal is kept
        (11, [3]),
        (2, [3]),  # the first that does not fit ends it; the smaller one before it is not tried
        (1, []),
        (0, []),
    ],
)
def test_tokens_are_filled_from_the_newest_to_the_first_that_does_not_fit(tokens: int, numbers: list[int]) -> None:
    found = in_mind(said(4, 40, 8), max_tokens=tokens)
    assert kept(found) == numbers
    assert found.tokens == sum(one.tokens for one in said(4, 40, 8) if one.id in numbers)
    assert {found.fate[n] for n in (1, 2, 3) if n not in numbers} <= {"tokens"}


def test_a_summary_stands_for_what_it_sums_up_before_the_window_counts() -> None:
    messages = [*said(40, 40, 40, 40), Remembered(5, "summary", 8, (1, 2)), Remembered(6, "user", 4)]
    found = in_mind(messages, window=3)
    assert found.fate == {1: "summarised", 2: "summarised", 3: "window", 4: "kept", 5: "kept", 6: "kept"}
    assert (found.tokens, found.summarised_by) == (13, {1: 5, 2: 5})


@pytest.mark.parametrize(("letters", "over"), [(70, False), (71, True)])
def test_it_is_compacted_beyond_seventy_of_a_hundred_and_not_at_it(letters: int, over: bool) -> None:
    messages = [*said(*[0] * 5), Remembered(6, "user", 4 * (letters - 5))]
    found = in_mind(messages, max_tokens=100)
    assert (found.tokens, found.compacts) == (letters, over)
    assert found.summed == ((1, 2) if over else ())


def test_long_outputs_are_cut_first_and_the_last_four_stay() -> None:
    messages = [
        Remembered(1, "tool_result", 320, output=300),
        Remembered(2, "tool_result", 80, output=200),
        *(Remembered(number, "tool_result", 320, output=300) for number in (3, 4, 5, 6)),
    ]
    found = in_mind(messages, max_tokens=450)
    assert (found.compacts, found.cut, found.summed) == (True, (1,), (1, 2))
    # Four or fewer are never compacted, and a message that is too long alone leaves nothing to compact.
    assert not in_mind(messages[-4:], max_tokens=330).compacts
    assert in_mind(said(4, 4_000), max_tokens=100) == InMind({1: "tokens", 2: "tokens"}, 0)


@pytest.mark.parametrize(
    ("content", "length"), [('{"output": "abc"}', 3), ('{"output": {"a": 1}}', 0), ("plain", 0), ("[1]", 0), ("", 0)]
)
def test_the_output_of_a_tool_result_is_read_where_it_is_json(content: str, length: int) -> None:
    assert output_of(content) == length
