"""Which statements are one, with the embedder that comes with the product."""

import pytest

from apps.curation.likeness import LONGEST, likeness
from apps.inference.adapters.minilm import MiniLM

SAME = [
    ("Returns take 45 days.", "Customers can return goods within 45 days."),
    ("Is learning to play the cello.", "Takes cello lessons."),
    ("Speaks Finnish with his grandmother.", "Talks Finnish with his grandma."),
    ("Escalate billing questions to the finance team.", "Billing questions go to the finance team."),
    ("The release owner is Mira.", "Mira is the release owner."),
    ("Unit tests must pass before a merge.", "Before merging, unit tests have to pass."),
    ("Has a dog called Biscuit.", "Owns a dog named Biscuit."),
    ("Does not eat meat.", "Doesn’t eat any meat."),
    ("Wechselt im März nach Berlin.", "Zieht im März nach Berlin um."),
]
DIFFERENT = [
    # numbers and units
    ("Returns take 30 days.", "Returns take 45 days."),
    ("Returns take 45 days.", "Returns take 45 hours."),
    ("Shops open at nine.", "Shops open at ten."),
    ("Costs $5 a month.", "Costs €5 a month."),
    # negation and limits
    ("Is allergic to nuts.", "Is not allergic to nuts."),
    ("Customers may cancel within 14 days.", "Customers may not cancel within 14 days."),
    ("No puede comer gluten.", "Puede comer gluten."),
    ("Call after 6 pm.", "Call before 6 pm."),
    ("Orders over 50 euros ship free.", "Orders under 50 euros ship free."),
    ("Returns are free for members.", "Returns are free except for members."),
    ("Is married to Paul.", "Was married to Paul."),
    ("Prefers e-mail.", "Prefers e-mail for invoices only."),
    ("Likes coffee in the morning.", "In the morning dislikes coffee."),
    # names, and who does what to whom
    ("The release owner is Mira.", "The release owner is Chen."),
    ("Mira owns releases.", "Chen owns releases."),
    ("Lives in Lisbon.", "Lives in Porto."),
    ("Alice manages Bob.", "Bob manages Alice."),
    ("The manager reports to the director.", "The director reports to the manager."),
    ("The build must pass before review.", "The review must pass before the build."),
    # another value in the same place
    ("Is allergic to nuts.", "Is allergic to latex."),
    ("Prefers contact by e-mail.", "Prefers contact by phone."),
    ("Speaks Finnish with his grandmother.", "Speaks Finnish with his grandfather."),
    ("Shops open at nine.", "Shops close at nine."),
    ("Wants to be called in the morning.", "Prefers calls in the evening."),
    ("😀", "😀"),
]


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def same(model: MiniLM, first: str, second: str, *, same_attribute: bool = False) -> bool:
    a, b = model.embed([first, second])
    similarity = sum(x * y for x, y in zip(a, b, strict=True))
    answers = {
        likeness(*pair).says_the_same(similarity=similarity, words=0.5, same_attribute=same_attribute)
        for pair in ((first, second), (second, first))
    }
    assert len(answers) == 1, "which comes first must not matter"
    return answers.pop()


@pytest.mark.parametrize(("first", "second"), SAME)
def test_said_in_other_words(model: MiniLM, first: str, second: str) -> None:
    assert same(model, first, second)


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_near_and_not_the_same(model: MiniLM, first: str, second: str) -> None:
    assert not same(model, first, second)
    assert not likeness(first, second).says_the_same(similarity=None, words=1.0, same_attribute=False)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Returns take 45 days.", "The return window is 45 days.", True),
        ("Lives in Lisbon.", "Her home is in Lisbon.", True),
        ("Prefers to be contacted by e-mail.", "Likes e-mail best for contact.", True),
        ("Returns take 45 days.", "The return window is 30 days.", False),
        ("Lives in Lisbon.", "Her home is in Porto.", False),
        ("Drives a blue Volvo.", "Drives a red Volvo.", False),
        ("Works as a nurse.", "Is a nurse by profession.", False),  # no value that both name: a person decides
    ],
)
def test_on_one_attribute_the_value_decides(model: MiniLM, first: str, second: str, expected: bool) -> None:
    assert same(model, first, second, same_attribute=True) is expected


def test_without_vectors_only_the_same_words_are_the_same() -> None:
    def by_words(first: str, second: str, words: float = 0.5, *, same_attribute: bool = False) -> bool:
        return likeness(first, second).says_the_same(similarity=None, words=words, same_attribute=same_attribute)

    assert by_words("The release owner is Mira.", "Mira is the release owner.")
    assert not by_words("Is learning to play the cello.", "Takes cello lessons.")
    assert by_words("Lives in Lisbon.", "Her home is in Lisbon.", 0.4, same_attribute=True)
    assert not by_words("Lives in Lisbon.", "Her home is in Lisbon.", 0.1, same_attribute=True)


def test_long_statements_are_not_aligned() -> None:
    one, other = "left " * LONGEST + "x y", "left " * (LONGEST - 2) + "right y x z"
    assert likeness(one, other).degree == "changed"
