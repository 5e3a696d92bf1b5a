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


def redacted(project: Project, *texts: str, own: str = "ada.k") -> tuple[list[str], int]:
    with bind(project.id):
        redact = Redactor(project.id, [Identifier("user_id", own)], None, texts)
        return [redact(text) for text in texts], redact.held_back


def test_known_people_are_taken_out_in_other_writings_too(project: Project) -> None:
    for name in ("zoé.müller", "Anna Schmidt", "bo_27"):
        make_subject(project, name)
    said, held = redacted(
        project,
        f"Sent to {unicodedata.normalize('NFD', 'zoé.müller')} today.",
        "Shared with ANNA SCHMIDT and b\u200bo_27.",
        "Anna likes tea.",
    )
    assert said == [f"Sent to {OTHER} today.", f"Shared with {OTHER} and {OTHER}.", f"{UNSURE} likes tea."]
    assert held == 1


def test_names_that_nobody_registered_are_held_back_and_her_own_are_not(project: Project) -> None:
    said, held = redacted(
        project,
        "Call me Laura.",
        "Laura lives in Lisbon with her brother Tomasz.",
        "Ask Hana Novák about Google Calendar.",
    )
    assert said == [
        "Call me Laura.",
        f"Laura lives in Lisbon with her brother {UNSURE}.",
        f"Ask {UNSURE} about Google Calendar.",
    ]
    assert held == 2
