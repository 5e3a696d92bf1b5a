"""What a package about one person leaves out of others, registered or not."""

import unicodedata

import pytest

from apps.core.transactions import bind
from apps.privacy.mentions import Identifier
from apps.privacy.redaction import OTHER, UNSURE, Redactor
from apps.tenancy.models import Project
from tests.factories import make_project, make_subject

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


def redacted(project: Project, *texts: str, own: str = "ada.k") -> tuple[list[str], list[tuple[int, str, int]]]:
    with bind(project.id):
        redact = Redactor(project.id, [Identifier("user_id", own)], None, texts)
        said = [redact(text) for text in texts]
    return said, [(one.number, one.said, one.times) for one in redact.held.values()]


def test_known_people_are_taken_out_in_other_writings_too(project: Project) -> None:
    for name in ("zoé.müller", "Anna Schmidt", "bo_27"):
        make_subject(project, name)
    said, held = redacted(
        project,
        f"Sent to {unicodedata.normalize('NFD', 'zoé.müller')} today.",
        "Shared with ANNA SCHMIDT and b\u200bo_27.",
        "Anna likes tea.",
    )
    assert said == [f"Sent to {OTHER} today.", f"Shared with {OTHER} and {OTHER}.", f"{UNSURE.format(1)} likes tea."]
    assert held == [(1, "Anna", 1)]


def test_names_that_nobody_registered_are_held_back_and_her_own_are_not(project: Project) -> None:
    said, held = redacted(
        project,
        "Call me Laura.",
        "Laura lives in Lisbon with her brother Tomasz.",
        "Ask Hana Novák about Google Calendar.",
        "Tomasz and Tomasz write to tomasz@example.org.",
    )
    assert said == [
        "Call me Laura.",
        f"Laura lives in Lisbon with her brother {UNSURE.format(1)}.",
        f"Ask {UNSURE.format(2)} about Google Calendar.",
        f"{UNSURE.format(1)} and {UNSURE.format(1)} write to {UNSURE.format(3)}.",
    ]
    assert held == [(1, "Tomasz", 3), (2, "Hana Novák", 1), (3, "tomasz@example.org", 1)]
