"""The page of a project's ranking: its form, what it can start from, who changed what."""

import pytest
from django.test import Client

from apps.audit.models import AuditEvent
from apps.core.transactions import bind
from apps.recall.models import LANGUAGES, WEIGHTS, RecallSettings
from apps.recall.queries import default_weights, weights_of
from apps.recall.weights import words_only
from apps.tenancy.models import Project
from tests.console.pages import link, text
from tests.console.stage import login, moved, state
from tests.factories import make_project, make_user

pytestmark = pytest.mark.django_db

URL = "/p/acme/settings/recall"
DEFAULTS = {
    "similarity": "0.5", "keyword": "0.3", "named": "0.08", "dated": "0.16", "context": "0.16", "recency": "0.05",
    "importance": "0.05", "confidence": "0.03", "confirmation": "0.04", "authority": "0.03", "half_life_days": "90",
    "language": "english",
}  # fmt: skip


@pytest.fixture
def project() -> Project:
    return make_project("acme")


@pytest.fixture
def admin(project: Project) -> Client:
    return login(project, user=make_user(project, "admin", name="Grace Hopper"))


def shown(page: object) -> dict[str, str]:
    """The values that stand in the form."""
    form = page.context["form"]  # type: ignore[attr-defined]
    return {name: str(form[name].value()) for name in DEFAULTS}


def test_the_page_shows_every_weight_with_what_it_is(project: Project, admin: Client) -> None:
    page = admin.get(URL)
    assert shown(page) == DEFAULTS and set(WEIGHTS) <= set(DEFAULTS)
    said = text(page.text)
    for name in WEIGHTS:
        field = page.context["form"][name]
        assert field.help_text in said and f'aria-describedby="id_{name}_helptext"' in page.text
    assert "Nobody yet: these are the defaults." in said and 'name="reset"' not in page.text
    assert [option.split('"')[0] for option in page.text.split('<option value="')[1:]] == LANGUAGES
    # Both pages of the settings lead to each other, and the sidebar's entry stands for both.
    other = admin.get("/p/acme/settings/extraction")
    assert f'href="{URL}"' in other.text and 'href="/p/acme/settings/extraction"' in page.text
    for one in (page, other):
        assert one.text.count('aria-current="page"') == 1
        assert one.text.split('aria-current="page"')[0].rsplit("<a href=", 1)[1].startswith('"/p/acme/settings"')


def test_saving_holds_and_the_page_says_who_changed_what(project: Project, admin: Client) -> None:
    changed = DEFAULTS | {"similarity": "0.4", "half_life_days": "30.5", "language": "german"}
    answer = admin.post(URL, changed, follow=True)
    assert answer.redirect_chain == [(URL, 302)]
    assert "Saved. It holds from the next question on." in answer.text
    assert shown(answer) == changed and 'name="reset"' in answer.text
    assert (
        "you changed half-life from 90 to 30.5 days, language from english to german, similarity from 0.5 to 0.4"
        in text(answer.text)
    )
    assert "Grace Hopper changed half-life" in login(project, "admin").get(URL).text
    with bind(project.id):
        weights = weights_of(project.id)
    assert (weights.parts["similarity"], weights.half_life_days, weights.language) == (0.4, 30.5, "german")
    before = state(project)
    assert "Nothing was different." in admin.post(URL, changed, follow=True).text
    assert moved(before, state(project)) == set()


def test_reset_takes_the_row_away(project: Project, admin: Client) -> None:
    admin.post(URL, DEFAULTS | {"keyword": "0.9"})
    # The button sends what stands in the form too, right or wrong.
    answer = admin.post(URL, {"reset": "1", "similarity": "nonsense"}, follow=True)
    assert "The defaults hold again." in answer.text and shown(answer) == DEFAULTS
    assert "you went back to the defaults: keyword from 0.9 to 0.3" in text(answer.text)
    with bind(project.id):
        assert not RecallSettings.objects.exists()
        assert AuditEvent.objects.filter(verb="recall.settings").count() == 2
    before = state(project)
    assert "Nothing was different." in admin.post(URL, {"reset": "1"}, follow=True).text
    assert moved(before, state(project)) == set()


def test_a_preset_fills_in_the_form_and_saves_nothing(project: Project, admin: Client) -> None:
    admin.post(URL, DEFAULTS | {"half_life_days": "30", "language": "french"})
    before = state(project)
    own = {"half_life_days": "30", "language": "french"}
    nought = dict.fromkeys(WEIGHTS, "0")
    for query, expected, name in (
        ("balanced", DEFAULTS, "Balanced"),
        ("words", nought | own | {"keyword": "1"}, "Words only"),
        (
            "formula&r=0.2&i=0.1",
            nought | own | {"similarity": "0.7", "recency": "0.2", "importance": "0.1"},
            "Similarity, recency and importance",
        ),
        ("formula&r=0.7&i=0.3", nought | own | {"recency": "0.7", "importance": "0.3"}, "Similarity"),
    ):
        page = admin.get(f"{URL}?preset={query}")
        assert page.status_code == 200 and shown(page) == expected
        assert f"Filled in from “{name}" in text(page.text) and link(page, "Show what holds now") == URL
    assert moved(before, state(project)) == set()
    page = admin.get(f"{URL}?preset=words")
    assert link(page, "Words only") == f"{URL}?preset=words"
    admin.post(URL, shown(page))
    with bind(project.id):
        assert weights_of(project.id).parts == words_only(default_weights()).parts


@pytest.mark.parametrize(
    ("query", "field", "said"),
    [
        ("r=0.9&i=0.3", "i", "r and i together are at most 1."),
        ("r=2&i=0.1", "r", "Ensure this value is less than or equal to 1."),
        ("r=-0.1&i=0.1", "r", "Ensure this value is greater than or equal to 0."),
        ("r=nan&i=0.1", "r", "Enter a number."),
        ("r=0.1", "i", "This field is required."),
    ],
)
def test_a_formula_that_is_none_is_said_at_its_field(
    project: Project, admin: Client, query: str, field: str, said: str
) -> None:
    page = admin.get(f"{URL}?preset=formula&{query}")
    assert page.status_code == 422 and page.context["formula"].errors == {field: [said]}
    assert shown(page) == DEFAULTS and said in text(page.text) and "Filled in" not in page.text


def test_an_unknown_preset_is_refused(project: Project, admin: Client) -> None:
    assert admin.get(f"{URL}?preset=magic").status_code == 400


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"similarity": "1.1"}, "similarity", "Between 0 and 1."),
        ({"named": "-0.1"}, "named", "Between 0 and 1."),
        ({"authority": "nan"}, "authority", "Enter a number."),
        ({"authority": "inf"}, "authority", "Enter a number."),
        ({"context": "much"}, "context", "Enter a number."),
        ({"context": ""}, "context", "This field is required."),
        ({"half_life_days": "0"}, "half_life_days", "More than 0 and at most 36,500 days."),
        ({"half_life_days": "36501"}, "half_life_days", "More than 0 and at most 36,500 days."),
        ({"language": "klingon"}, "language", "Select a valid choice."),
        (dict.fromkeys(WEIGHTS, "0"), "__all__", "At least one weight is more than 0"),
    ],
)
def test_what_can_not_be_saved_is_said_at_its_field(
    project: Project, admin: Client, changes: dict[str, str], field: str, said: str
) -> None:
    admin.post(URL, DEFAULTS | {"keyword": "0.9"})
    before = state(project)
    answer = admin.post(URL, DEFAULTS | changes)
    assert answer.status_code == 422
    (error,) = answer.context["form"].errors[field]
    assert error.startswith(said) and error in text(answer.text)
    # What was typed stands there still.
    assert shown(answer) == DEFAULTS | changes
    assert moved(before, state(project)) == set()


@pytest.mark.parametrize("role", ["viewer", "curator", "privacy_officer", "auditor"])
def test_only_admins_change_the_ranking(project: Project, role: str) -> None:
    other, before = login(project, role), state(project)
    assert other.get(URL).status_code == 403
    assert other.post(URL, DEFAULTS | {"keyword": "1"}).status_code == 403
    assert other.post(URL, {"reset": "1"}).status_code == 403
    assert moved(before, state(project)) == {"audit_auditevent", "audit_audithead"}
