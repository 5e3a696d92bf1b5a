"""Settings of extraction, its health, and learning from stored traces."""

import re
from datetime import timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.transactions import bind
from apps.extraction.models import CandidateDecision, ExtractionRun, ExtractionSettings, Worker
from apps.inference.calls import chat_breaker
from apps.insight.actions.count_figures import count_figures
from apps.recall.models import EmbeddingModel, FactEmbedding
from apps.tenancy.models import Project
from apps.traces.models import Message, Span, Trace
from tests.console.pages import link, text
from tests.console.stage import HX, learn, login, moved, push, state
from tests.factories import make_agent, make_fact, make_project, make_user
from tests.spans import run_of, trace_id

pytestmark = pytest.mark.django_db

SETTINGS, HEALTH, LEARN = "/p/acme/settings/extraction", "/p/acme/health", "/p/acme/traces/learn"
MODELS = [("fast", "model-a", 0.15, 0.6), ("good", "model-b", None, None)]
FORM = {
    "extractor": "llm",
    "model": "good",
    "prompt_addition": "Keep what is said about <b>boats</b>.\r\nAnd harbours.",
    "max_per_trace": "7",
    "max_learned": "",
}


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


@pytest.fixture
def admin(project: Project) -> Client:
    return login(project, user=make_user(project, "admin", name="Grace Hopper"))


@pytest.fixture
def models(settings: Settings) -> None:
    settings.LLM_MODELS, settings.LLM_BASE_URL = MODELS, "http://models.test/v1"


def chosen(project: Project) -> ExtractionSettings:
    with bind(project.id):
        return ExtractionSettings.objects.get()


# --- settings ------------------------------------------------------------------------------------------------------


def test_without_a_model_only_the_rules_can_be_chosen_and_the_page_says_why(project: Project, admin: Client) -> None:
    page = admin.get(SETTINGS)
    assert "Only the rules can be chosen: no language model is configured." in text(page.text)
    assert 'value="llm"' not in page.text and "id_model" not in page.text
    assert "Nobody yet: these are the defaults." in page.text
    before = state(project)
    answer = admin.post(SETTINGS, FORM)
    assert answer.status_code == 422 and "Select a valid choice." in text(answer.text)
    assert moved(before, state(project)) == set()


def test_the_operators_models_are_named_with_their_price_and_never_their_address(
    project: Project, admin: Client, models: None
) -> None:
    page = admin.get(SETTINGS)
    form = page.context["form"]
    assert form.fields["model"].choices == [
        ("fast", "fast (0.15 in, 0.6 out a million tokens)"),
        ("good", "good (no price known)"),
    ]
    assert "models.test" not in page.text and "model-a" not in page.text


def test_saving_changes_what_was_chosen_and_the_page_says_who(project: Project, admin: Client, models: None) -> None:
    answer = admin.post(SETTINGS, FORM, follow=True)
    assert answer.redirect_chain == [(SETTINGS, 302)] and "Saved. It holds for every trace" in answer.text
    row = chosen(project)
    assert (row.extractor, row.model) == ("llm", "good")
    assert (row.prompt_addition, row.max_per_trace, row.max_learned) == (
        "Keep what is said about <b>boats</b>.\nAnd harbours.",
        7,
        None,
    )
    said = text(answer.text)
    assert (
        "you changed who reads the traces to llm, most learned facts of one subject to none, most"
        " statements of one trace to 7, model to good, prompt addition" in said
    )
    assert "<b>boats</b>" not in answer.text and "&lt;b&gt;boats" in answer.text
    form = answer.context["form"]
    shown = {name: "" if (value := form[name].value()) is None else str(value) for name in FORM}
    assert shown == FORM | {
        "prompt_addition": "Keep what is said about <b>boats</b>.\nAnd harbours.",
    }
    other = login(project, "admin")
    assert "Grace Hopper changed" in other.get(SETTINGS).text
    before = state(project)
    assert "Nothing was different." in admin.post(SETTINGS, FORM, follow=True).text
    assert moved(before, state(project)) == set()
    with bind(project.id):
        assert AuditEvent.objects.filter(verb="extraction.settings").count() == 1


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"extractor": "magic"}, "extractor", "Select a valid choice."),
        ({"model": "http://evil.test"}, "model", "Select a valid choice."),
        ({"prompt_addition": "x" * 4001}, "prompt_addition", "The addition has at most 4,000 characters."),
        ({"prompt_addition": "a\x00b"}, "prompt_addition", "Null characters are not allowed."),
        ({"max_per_trace": "0"}, "max_per_trace", "Between 1 and 100 statements a trace."),
        ({"max_per_trace": "many"}, "max_per_trace", "Enter a whole number."),
        ({"max_per_trace": ""}, "max_per_trace", "This field is required."),
        ({"max_learned": "0"}, "max_learned", "At least 1 learned fact a person, or no cap."),
        ({"max_learned": "9" * 30}, "max_learned", "At least 1 learned fact a person, or no cap."),
    ],
)
def test_what_can_not_be_saved_is_said_at_its_field(
    project: Project, admin: Client, models: None, changes: dict[str, str], field: str, said: str
) -> None:
    before = state(project)
    answer = admin.post(SETTINGS, FORM | changes)
    assert answer.status_code == 422
    (error,) = answer.context["form"].errors[field]
    assert error.startswith(said) and 'class="errorlist"' in answer.text
    assert moved(before, state(project)) == set()


def test_a_model_that_is_gone_is_said_and_another_has_to_be_chosen(
    project: Project, admin: Client, models: None, settings: Settings
) -> None:
    admin.post(SETTINGS, FORM)
    settings.LLM_MODELS = MODELS[:1]
    page = text(admin.get(SETTINGS).text)
    assert "This project chose the model “good”, which the operator no longer offers." in page
    assert admin.get(SETTINGS).context["form"]["model"].value() == ""
    settings.LLM_MODELS = []
    page = text(admin.get(SETTINGS).text)
    assert "which the operator no longer offers" in page and "no language model is configured" in page
    assert admin.post(SETTINGS, {"extractor": "rules", "max_per_trace": "20", "max_learned": "9"}).status_code == 302
    assert (chosen(project).extractor, chosen(project).max_learned) == ("rules", 9)


@pytest.mark.parametrize("role", ["viewer", "curator", "privacy_officer", "auditor"])
def test_only_admins_change_settings(project: Project, role: str, models: None) -> None:
    other, before = login(project, role), state(project)
    assert other.get(SETTINGS).status_code == 403
    assert other.post(SETTINGS, FORM).status_code == 403
    assert moved(before, state(project)) == {"audit_auditevent", "audit_audithead"}


# --- health --------------------------------------------------------------------------------------------------------


def figures(page: Any) -> dict[str, str]:
    report = page.context["report"]
    return {figure.label: figure.value for figure in (*report.queue, *report.quality, *report.upkeep)}


def failing(project: Project) -> None:
    """Traces in every state."""
    for name, changes in {
        "waits": {},
        "leased": {"lease_until": now() + timedelta(minutes=1), "attempts": 1},
        "failed": {"attempts": 2, "not_before": now() + timedelta(minutes=1)},
        "dead": {"attempts": 5, "dead_reason": "model_timeout"},
        "dead too": {"attempts": 5, "dead_reason": "model_timeout"},
        "lost": {"attempts": 5, "lease_until": now() - timedelta(minutes=1)},
    }.items():
        push(project, run_of(name, f"This is {name}."))
        with bind(project.id):
            arrived = {"last_arrival_at": now() - timedelta(minutes=12)}
            Trace.objects.filter(trace_id=trace_id(name)).update(**arrived | changes)


def test_an_empty_project_waits_for_a_worker_and_every_figure_says_what_it_means(project: Project) -> None:
    page = login(project, "curator").get(HEALTH)
    report = page.context["report"]
    assert (report.given_up, report.left_out, report.errors, report.spent) == ([], [], [], [])
    # Without a worker it is not well, though nothing waits.
    assert report.level == "warn" and report.summary.startswith("No worker gives a sign of life")
    assert figures(page) == {
        "Workers": "none",
        "Waiting": "0",
        "Oldest waits": "–",
        "Being mined": "0",
        "Failed, tried again": "0",
        "Given up": "0",
        "Proposals waiting": "0",
        "Proposed": "0",
        "Junk": "–",
        "Failed runs": "0",
        "Sealed spans": "0",
        "Model": "rules",
    }
    assert all(len(figure.note) > 20 for figure in (*report.queue, *report.quality, *report.upkeep, *report.vectors))
    assert page.text.count("Not counted yet") == 2 and "look at it" in page.text
    count_figures(project.id)
    assert "Nothing: no model was asked today." in login(project, "curator").get(HEALTH).text


def test_a_change_of_embedder_shows_how_far_it_has_come(project: Project, settings: Settings) -> None:
    (alone,) = login(project, "curator").get(HEALTH).context["report"].vectors
    assert (alone.label, alone.value) == ("Facts without a vector", "–")
    for content in ("Ships on Tuesdays.", "Ships on Fridays.", "Closes at four."):
        fact = make_fact(project, content)
    before, new = "all-MiniLM-L6-v2-int8", "scripted-new"
    EmbeddingModel.objects.create(name=before, serving=True, dims=384, chosen_at=now() - timedelta(days=9))
    EmbeddingModel.objects.create(name=new, dims=2, done=50, of=80, per_minute=10.0, counted_at=now())
    with bind(project.id):
        FactEmbedding.objects.create(project_id=project.id, fact=fact, model=new, dims=2, vector=[1, 0])
    count_figures(project.id)
    page = login(project, "curator").get(HEALTH)
    shown = {figure.label: (figure.value, figure.note) for figure in page.context["report"].vectors}
    assert list(shown) == ["Facts without a vector", "Answers questions", "Answers next", "Embedded by it"]
    assert shown["Facts without a vector"] == (
        "3",
        "Found by their words but not by their meaning, until a worker has embedded them. Counted just now.",
    )
    assert (shown["Answers questions"][0], shown["Answers next"][0]) == (before, new)
    assert shown["Embedded by it"] == (
        "1 of 3",
        "In this project. In the whole installation 62% were when it was last counted, 10 facts a minute; about 3 min to go.",
    )
    assert all(text in page.text for text in ("Answers next", new, "1 of 3"))
    Worker.objects.create(name="one@host")
    EmbeddingModel.objects.filter(name=new).update(fault="The embedder gives vectors of 6, and 2 are expected.")
    page = login(project, "admin").get(HEALTH)
    assert page.context["report"].level == "warn" and "want looking after" in page.context["report"].summary
    assert "vectors of 6, and 2 are expected" in page.text


def test_the_figures_are_counted_and_lead_somewhere(project: Project) -> None:
    learn(project, "t", "Our refund window is 30 days. Thanks!", user="ada")
    make_fact(project, "Ships on Tuesdays.")
    failing(project)
    with bind(project.id):
        Span.objects.filter(trace_id=trace_id("waits")).update(sealed=b"x")
        run = ExtractionRun.objects.get()
        # The rules leave sentences out while they read: only the run counts those.
        ExtractionRun.objects.filter(id=run.id).update(dropped={"question": 2, "no_witness": 1, "known": 4})
        CandidateDecision.objects.create(project_id=project.id, run=run, outcome="dropped", rule="no_witness")
        for model, cost, error in (("fast", "0.5", ""), ("fast", "0.25", "model_timeout"), ("good", None, "")):
            ExtractionRun.objects.create(
                project_id=project.id, trace_id=trace_id("t"), extractor="llm", version="1", model=model,
                started_at=now(), prompt_tokens=1_000, completion_tokens=10, cost=cost and Decimal(cost),
                outcome="failed" if error else "done", error_code=error,
            )  # fmt: skip
    count_figures(project.id)
    curator = login(project, "curator")
    page = curator.get(HEALTH)
    report = page.context["report"]
    assert (report.level, report.summary) == ("bad", "3 traces were given up and wait for somebody to try again.")
    assert figures(page) == {
        "Workers": "none",
        "Waiting": "1",
        "Oldest waits": "12 min",
        "Being mined": "1",
        "Failed, tried again": "1",
        "Given up": "3",
        "Proposals waiting": "1",
        "Proposed": "1",
        "Junk": "38%",
        "Failed runs": "1",
        "Sealed spans": "2",
        "Model": "rules",
    }
    assert [(item.code, item.count) for item in report.given_up] == [("model_timeout", 2), ("workers lost", 1)]
    assert [(item.why, item.count) for item in report.left_out] == [
        ("A question.", 2),
        ("Its quote is not in the message, so nobody said it.", 1),
    ]
    assert report.errors == [("The model did not answer in time.", 1)]
    assert {(one.model, one.runs, one.tokens_in, one.cost) for one in report.spent} == {
        ("fast", 2, 2_000, Decimal("0.75")),
        ("good", 1, 1_000, None),
    }
    for where in re.findall(r'href="(/p/acme/(?:traces|review|facts)[^"]*)"', page.text):
        assert curator.get(unescape(where)).status_code == 200
    # What a role may not open is a number without a link.
    other = login(project, "admin").get(HEALTH)
    assert figures(other)["Given up"] == "3" and "/p/acme/traces" not in other.text
    assert link(other, "rules") == SETTINGS and f'action="{HEALTH}/retry"' not in other.text


def test_facts_without_a_vector_are_counted_anew_when_some_got_theirs(project: Project) -> None:
    EmbeddingModel.objects.create(name="scripted", serving=True, dims=2)
    fact, other = make_fact(project, "Ships on Tuesdays."), make_fact(project, "Ships on Fridays.")
    make_fact(project, "Ships by sea.", retired="stale")

    def shown() -> tuple[str, bool]:
        count_figures(project.id)
        figure = login(project, "curator").get(HEALTH).context["report"].vectors[0]
        return figure.value, bool(figure.href)

    assert shown() == ("2", True)
    for one, wanted in ((fact, ("1", True)), (other, ("0", False))):
        with bind(project.id):
            FactEmbedding.objects.create(project_id=project.id, fact=one, model="scripted", dims=2, vector=[1, 0])
        assert shown() == wanted


def test_only_so_many_traces_and_runs_are_looked_at(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("apps.console.health", "apps.console.shaping.health"):
        monkeypatch.setattr(f"{module}.MOST", 4)
        monkeypatch.setattr(f"{module}.RUNS", 2)
    failing(project)
    for number in range(3):
        with bind(project.id):
            ExtractionRun.objects.create(
                project_id=project.id,
                trace_id=trace_id("waits"),
                extractor="rules",
                version="1",
                started_at=now(),
                proposed=number,
            )
    page = login(project, "curator").get(HEALTH)
    shown = figures(page)
    assert all(shown[name].endswith("+") for name in ("Waiting", "Being mined", "Failed, tried again", "Given up"))
    assert (shown["Proposed"], page.context["report"].runs) == ("3", 2)
    assert "2 runs of the last 24 hours, the newest." in text(page.text)


@pytest.mark.parametrize(
    ("wanted", "names"),
    [("waiting", {"waits", "leased"}), ("failing", {"failed"}), ("dead", {"dead", "dead too", "lost"})],
)
def test_a_figure_leads_to_its_traces(project: Project, wanted: str, names: set[str]) -> None:
    learn(project, "t", "Thanks!")
    failing(project)
    page = login(project, "curator").get(f"/p/acme/traces?state={wanted}")
    assert {row["trace"].trace_id for row in page.context["rows"]} == {trace_id(name) for name in names}
    assert page.context["chips"][0]["href"] == "/p/acme/traces"


def test_one_click_sends_round_what_was_given_up_for_one_reason(project: Project) -> None:
    failing(project)
    curator = login(project, "curator")
    assert curator.get(f"{HEALTH}/retry").headers["Location"] == HEALTH
    answer = curator.post(f"{HEALTH}/retry", {"reason": "model_timeout"}, follow=True)
    assert answer.redirect_chain == [(HEALTH, 302)] and "2 traces are queued" in answer.text
    with bind(project.id):
        assert set(Trace.objects.filter(attempts=0).values_list("trace_id", flat=True)) == {
            trace_id(name) for name in ("waits", "dead", "dead too")
        }
    assert "One trace is queued" in curator.post(f"{HEALTH}/retry", {"reason": "workers lost"}, follow=True).text
    before = state(project)
    for reason in ("model_timeout", "nonsense", ""):
        assert "Nothing was changed." in curator.post(f"{HEALTH}/retry", {"reason": reason}, follow=True).text
    assert moved(before, state(project)) == set()


@pytest.mark.parametrize(
    ("role", "opens"), [("privacy_officer", 200), ("admin", 200), ("viewer", 403), ("auditor", 403)]
)
def test_others_read_the_figures_and_send_nothing_round(project: Project, role: str, opens: int) -> None:
    failing(project)
    other = login(project, role)
    assert other.get(HEALTH).status_code == opens
    before = state(project)
    assert other.post(f"{HEALTH}/retry", {"reason": "model_timeout"}).status_code == 403
    assert moved(before, state(project)) == {"audit_auditevent", "audit_audithead"}


def test_the_foot_of_every_page_says_how_it_goes_and_what_it_cost(project: Project) -> None:
    def foot(role: str) -> str:
        page = login(project, role).get("/p/acme/facts")
        found = re.search(r'<a class="state" id="state" href="/p/acme/health">(.*?)</a>', page.text, re.DOTALL)
        return text(found[1]) if found else ""

    assert foot("curator") == "No worker runs" and foot("viewer") == ""
    Worker.objects.create(name="one@host")
    assert foot("curator") == "Extraction works"
    push(project, run_of("waits", "Hello."))
    with bind(project.id):
        Trace.objects.update(last_arrival_at=now() - timedelta(minutes=6))
        ExtractionRun.objects.create(
            project_id=project.id,
            trace_id=trace_id("waits"),
            extractor="llm",
            version="1",
            started_at=now(),
            cost="0.125",
        )
    assert foot("admin") == "Traces wait 0.12 today"
    with bind(project.id):
        Trace.objects.update(attempts=5, dead_reason="model_timeout")
        ExtractionRun.objects.update(cost="0.0001")
    assert foot("privacy_officer") == "Traces stuck <0.01 today"


def test_a_model_that_fails_or_is_gone_is_said_first(
    project: Project, admin: Client, models: None, settings: Settings
) -> None:
    admin.post(SETTINGS, FORM)
    assert figures(admin.get(HEALTH))["Model"] == "answers"
    breaker = chat_breaker("http://models.test/v1", "model-b")
    for _ in range(5):
        breaker.failed()
    page = admin.get(HEALTH)
    assert figures(page)["Model"] == "left alone" and page.context["report"].level == "warn"
    breaker.succeeded()
    settings.LLM_MODELS = MODELS[:1]
    page = admin.get(HEALTH)
    assert figures(page)["Model"] == "missing" and page.context["report"].level == "bad"


def test_without_an_embedder_the_page_says_so(project: Project, settings: Settings) -> None:
    settings.EMBEDDER = "none"
    page = login(project, "curator").get(HEALTH)
    assert "No embedder is set up: facts are compared by their words alone." in page.text


# --- learning from stored traces -----------------------------------------------------------------------------------


def test_the_button_leads_to_a_form_that_says_what_it_would_do(project: Project) -> None:
    learn(project, "t", "I prefer email.", user="ada")
    curator = login(project, "curator")
    assert f'href="{LEARN}"' in curator.get("/p/acme/traces").text
    assert f'href="{LEARN}"' not in login(project, "privacy_officer").get("/p/acme/traces").text
    with bind(project.id):
        Trace.objects.update(started_at=now() - timedelta(hours=1))
    page = text(curator.get(LEARN).text)
    assert "What is still to be read?" in page and "the rules, version 2" in page
    owed = "Of the newest 50 traces of the last 24 hours it has 1 still to read."
    assert owed in text(curator.get(LEARN, {"count": "1"}).text)
    assert text(curator.get(LEARN, **HX, HTTP_HX_TARGET="owed").text).strip() == owed


def test_queued_traces_wait_for_the_workers_and_nothing_is_mined_in_the_request(project: Project) -> None:
    learn(project, "t", "I prefer email.", user="ada")
    learn(project, "old", "I prefer trains.", user="ada")
    with bind(project.id):
        Trace.objects.filter(trace_id=trace_id("t")).update(started_at=now() - timedelta(hours=1))
        Trace.objects.filter(trace_id=trace_id("old")).update(started_at=now() - timedelta(hours=30))
    curator = login(project, "curator")
    answer = curator.post(LEARN, {"hours": "24"}, follow=True)
    assert answer.redirect_chain == [("/p/acme/traces", 302)] and "One trace is queued" in answer.text
    with bind(project.id):
        assert [trace.trace_id for trace in Trace.objects.filter(extracted_at=None)] == [trace_id("t")]
        assert Message.objects.filter(mined_at=None).count() == 2
        assert ExtractionRun.objects.count() == 2
    before = state(project)
    assert "Nothing to do" in curator.post(LEARN, {"hours": "24"}, follow=True).text
    assert moved(before, state(project)) == set()
    assert curator.post(LEARN, {"hours": "48"}, **HX).headers["HX-Redirect"] == "/p/acme/traces"


@pytest.mark.parametrize(
    "fields", [{"hours": "0"}, {"hours": "9000"}, {"hours": "x"}, {}, {"hours": "1", "agent": "x"}]
)
def test_a_form_that_makes_no_sense(project: Project, fields: dict[str, str]) -> None:
    learn(project, "t", "I prefer email.", user="ada")
    curator, before = login(project, "curator"), state(project)
    answer = curator.post(LEARN, fields)
    assert answer.status_code == 422 and 'class="errorlist"' in answer.text
    assert moved(before, state(project)) == set()


@pytest.mark.parametrize("role", ["viewer", "privacy_officer", "admin", "auditor"])
def test_only_curators_learn_from_stored_traces(project: Project, role: str) -> None:
    learn(project, "t", "I prefer email.", user="ada")
    other, before = login(project, role), state(project)
    assert other.get(LEARN).status_code == 403 and other.post(LEARN, {"hours": "24"}).status_code == 403
    assert moved(before, state(project)) == {"audit_auditevent", "audit_audithead"}
