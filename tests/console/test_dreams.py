"""Dream runs on the console: the list, what a run would change, the verdicts, taking back, and what is refused."""

import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client

from apps.core.clock import now
from apps.core.transactions import bind
from apps.dreaming.models import DreamChange, DreamGate, DreamRun, DreamSettings
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.models import Fact
from apps.facts.statement import statement_of
from apps.tenancy.models import Project
from tests.console.pages import fragment, text
from tests.console.stage import HX, digests, login
from tests.dreaming import stage
from tests.factories import make_agent, make_project, make_subject, user_actor

pytestmark = pytest.mark.django_db

RUN = {**HX, "HTTP_HX_TARGET": "run"}


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    support = make_agent(project, "support")
    for place, content in enumerate(
        [
            "The warehouse opens at 7:00.",
            "the warehouse opens at 7:00",
            "The returns address changes next Friday.",
        ]
    ):
        stage.said(project, content, agent=support, days=place)
    for place, content in enumerate(["Ships with Correos.", "Ships with Seur."]):
        stage.said(project, content, agent=support, attribute="carrier", days=40 * place)
    return project


@pytest.fixture
def curator(project: Project) -> Client:
    return login(project, "curator")


@pytest.fixture
def run(project: Project) -> DreamRun:
    return stage.dream(project)


def states(run: DreamRun) -> dict[str, str]:
    return {change.op: change.state for change in stage.changes(run)}


def by_op(run: DreamRun) -> dict[str, DreamChange]:
    return {change.op: change for change in stage.changes(run)}


def url(run: DreamRun) -> str:
    return f"/p/acme/dreams/{run.id}"


def test_the_page_says_what_would_change(project: Project, curator: Client, run: DreamRun) -> None:
    page = curator.get(url(run)).text
    said = text(page)
    assert states(run) == {"merge": "pending", "redate": "pending", "resolve": "pending"}
    headings = re.findall(r"<b>(\w+)</b>\s*<span class=\"num\">(\d+)</span>", page)
    assert headings == [("Conflicts", "1"), ("Merged", "1"), ("Dated", "1")]
    assert "<del>next Friday</del>" in page and re.search(r"<ins>[^<]*16 January 2026[^<]*</ins>", page)
    assert all(change.reason in said for change in stage.changes(run))
    assert "0 of 5 facts would be retired (0.0 %; at most 10 %, or three)." in said
    # What chooses between statements is never ticked for anybody.
    boxes = dict(re.findall(r'name="ids"\s+value="(\d+)"\s+data-select\s+(checked)?', page))
    assert {op: boxes[str(change.id)] for op, change in by_op(run).items()} == {
        "merge": "checked",
        "redate": "checked",
        "resolve": "",
    }


def test_the_list_counts_and_filters(project: Project, curator: Client, run: DreamRun) -> None:
    dry = stage.dream(project, dry_run=True)
    page = text(curator.get("/p/acme/dreams").text)
    assert f"Run {run.id}" in page and f"Run {dry.id}" in page and "3 of 3 open" in page and "Dry run" in page
    assert f"Run {run.id}" in fragment(curator, "/p/acme/dreams?scope=agent&id=support&origin=button").text
    for query in ("scope=user", "id=nobody", "origin=schedule", "state=failed"):
        assert "No such run" in fragment(curator, f"/p/acme/dreams?{query}").text
    # A dry run waits for nobody.
    assert re.search(r'id="n-dreams"[^>]*>\s*1\s*<', curator.get("/p/acme/facts").text)


def test_ticked_changes_are_applied_and_taken_back(project: Project, curator: Client, run: DreamRun) -> None:
    before = stage.told(project)
    found = by_op(run)
    ticked = [found["merge"].id, found["redate"].id]
    answer = curator.post(url(run), {"act": "apply", "ids": ticked}, **RUN)
    assert states(run) == {"merge": "applied", "redate": "applied", "resolve": "pending"}
    toast = json.loads(answer["HX-Trigger"])["toast"]
    assert (toast["text"], toast["level"]) == ("Applied 2 changes.", "ok")
    assert "The returns address changes on 16 January 2026." in stage.told(project)
    curator.post(toast["url"], **HX)
    assert states(run) == {"merge": "undone", "redate": "undone", "resolve": "pending"}
    assert stage.told(project) == before


def test_without_scripts_it_is_a_form(project: Project, curator: Client, run: DreamRun) -> None:
    change = by_op(run)["redate"]
    answer = curator.post(url(run), {"act": f"accept:{change.id}"}, follow=True)
    assert answer.redirect_chain == [(url(run), 302)] and "Accepted: one change." in text(answer.text)
    curator.post(url(run), {"act": f"reject:{by_op(run)['merge'].id}"})
    assert states(run) == {"merge": "rejected", "redate": "accepted", "resolve": "pending"}
    curator.post(url(run), {"act": f"reopen:{change.id}"})
    curator.post(url(run), {"act": "safe"})
    assert states(run) == {"merge": "rejected", "redate": "accepted", "resolve": "pending"}
    curator.post(url(run), {"act": "accepted"})
    answer = curator.post(url(run), {"act": "undo"}, follow=True)
    assert states(run)["redate"] == "undone" and "One change taken back." in text(answer.text)


def test_what_moved_is_not_forced(project: Project, curator: Client, run: DreamRun) -> None:
    change = by_op(run)["redate"]
    with bind(project.id):
        fact = change.targets.get().fact
        later = replace(statement_of(fact), content="The returns address stays.")
    made = revise_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id, statement=later)
    answer = curator.post(url(run), {"act": "apply", "ids": [change.id]}, **RUN)
    assert states(run)["redate"] == "conflicted"
    said = text(answer.text)
    assert "Nothing was applied, 1 can’t be applied: something changed since." in said
    assert f"#{fact.id} was replaced by #{made.id}" in said


def test_what_later_edits_rest_on_is_not_taken_back(project: Project, curator: Client, run: DreamRun) -> None:
    change = by_op(run)["redate"]
    curator.post(url(run), {"act": "apply", "ids": [change.id]})
    with bind(project.id):
        fact = Fact.objects.get(id=by_op(run)["redate"].fact_id)
        later = replace(statement_of(fact), content="The returns address stays.")
    revise_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id, statement=later)
    answer = curator.post(url(run), {"act": f"undo:{change.id}"})
    assert states(run)["redate"] == "applied" and "The returns address stays." in stage.told(project)
    assert "Can’t be taken back." in text(answer.text) and "1 not: something later rests on it." in text(answer.text)


def test_a_dry_run_shows_and_does_nothing(project: Project, curator: Client) -> None:
    dry = stage.dream(project, dry_run=True)
    page = curator.get(url(dry)).text
    assert "A dry run: it only shows what a run would change." in text(page)
    assert "data-select " not in page and "Apply ticked" not in page
    with bind(project.id):
        before = digests()
    answer = curator.post(url(dry), {"act": "apply", "ids": [one.id for one in stage.changes(dry)]})
    with bind(project.id):
        assert digests() == before
    assert answer.status_code == 409 and "This run only shows what it would change." in text(answer.text)


def test_a_run_that_goes_on_asks_for_itself_until_it_has_ended(project: Project, curator: Client) -> None:
    run = stage.start(project)
    page = curator.get(url(run)).text
    assert 'hx-trigger="every 2s"' in page and "waits for a worker" in text(page) and "Cancel the run" in text(page)
    stage.go_on(project)
    ended = curator.get(url(run), **RUN).text
    assert "hx-trigger" not in ended and "Merged" in text(ended) and "<main" not in ended
    again = stage.start(project)
    answer = curator.post(url(again), {"act": "cancel"}, follow=True)
    assert stage.fresh(again).state == "cancelled" and "Nothing was changed." in text(answer.text)
    assert curator.post(url(again), {"act": "cancel"}).status_code == 409


def test_starting_one(project: Project, curator: Client) -> None:
    answer = curator.post("/p/acme/dreams/new", {"scope": "agent", "id": "support", "dry": "1"}, follow=True)
    with bind(project.id):
        run = DreamRun.objects.get()
    assert answer.redirect_chain == [(url(run), 302)] and (run.dry_run, run.origin) == (True, "button")
    assert f"Started dry run {run.id}." in text(answer.text)
    again = curator.post("/p/acme/dreams/new", {"scope": "agent", "id": "support"}, follow=True)
    assert f"Run {run.id} goes on here already." in text(again.text)
    for form in ({"scope": "user", "id": "nobody-here"}, {"scope": "agent", "id": ""}, {"scope": "moon"}):
        refused = curator.post("/p/acme/dreams/new", form)
        assert refused.status_code == 422
    with bind(project.id):
        assert DreamRun.objects.count() == 1
    filled = curator.get("/p/acme/dreams/new", {"scope": "user", "id": 'o"brien | 50 %'}).text
    assert 'value="o&quot;brien | 50 %"' in filled


def test_personal_text_is_masked_and_never_ticked(project: Project, curator: Client) -> None:
    make_subject(project, "beatriz")
    for place, content in enumerate(["Prefers trains to planes.", "prefers trains to planes"]):
        stage.said(project, content, user="beatriz", days=place, sensitivity="personal")
    run = stage.dream(project, "user", "beatriz")
    page = curator.get(url(run)).text
    assert "trains" not in page and "Masked personal fact" in page
    assert len(re.findall(r"data-select\s", page)) == 1 and not re.search(r"data-select\s+checked", page)
    curator.post("/p/acme/facts/masking", {"show": "1", "next": url(run)})
    assert "trains" in curator.get(url(run)).text


def test_an_officer_reads_and_decides_nothing(project: Project, run: DreamRun) -> None:
    officer = login(project, "privacy_officer")
    page = officer.get(url(run)).text
    assert "Apply ticked" not in page and "Undo the run" not in page and "Start a run" not in page
    assert officer.post(url(run), {"act": "safe"}).status_code == 403
    assert set(states(run).values()) == {"pending"}


def test_settings_are_kept_and_refused(project: Project) -> None:
    admin = login(project, "admin")
    here = "/p/acme/settings/dreaming"
    form = {
        "engine": "rules",
        "schedule_hours": "24",
        "threshold": "",
        "settle_seconds": "60",
        "fact_cap": "",
        "retire_percent": "5",
        "stale_days": "90",
        "max_tokens": "60000",
        "max_seconds": "600",
        "auto_exact": "on",
    }
    assert admin.post(here, form).status_code == 302
    with bind(project.id):
        kept = DreamSettings.objects.get()
    assert (kept.schedule_hours, kept.threshold, kept.fact_cap, kept.retire_percent) == (24, None, None, 5)
    assert (kept.auto_exact, kept.auto_own) == (True, False)
    assert "every so many hours to 24" in text(admin.get(here).text)
    refused = admin.post(here, form | {"retire_percent": "90"})
    assert refused.status_code == 422 and "Between 0 and 50." in text(refused.text)
    with bind(project.id):
        assert DreamSettings.objects.get().retire_percent == 5


def test_undo_is_offered_for_thirty_days(project: Project, curator: Client, run: DreamRun) -> None:
    change = by_op(run)["redate"]
    curator.post(url(run), {"act": "apply", "ids": [change.id]})
    assert f'value="undo:{change.id}"' in curator.get(url(run)).text
    with bind(project.id):
        DreamChange.objects.filter(id=change.id).update(decided_at=now() - timedelta(days=31))
    assert f'value="undo:{change.id}"' not in curator.get(url(run)).text


def test_health_names_what_failed_and_opens_a_gate(project: Project, curator: Client) -> None:
    failed = stage.start(project)
    with bind(project.id):
        DreamRun.objects.filter(id=failed.id).update(state="failed", error_code="model_timeout", finished_at=now())
        gate = DreamGate.objects.create(
            project_id=project.id,
            scope="agent",
            scope_id="support",
            failures=3,
            closed_at=now(),
            last_error="model_timeout",
        )
    said = text(curator.get("/p/acme/health").text)
    assert "The model did not answer in time (3 in a row, closed now )" in said and f"Run {failed.id}" in said
    refused = curator.post("/p/acme/dreams/new", {"scope": "agent", "id": "support"})
    assert refused.status_code == 409 and "The last 3 runs of this place failed." in text(refused.text)
    answer = curator.post(f"/p/acme/health/gates/{gate.id}/open", follow=True)
    assert "The gate is open" in text(answer.text) and "Dream runs left alone" not in text(answer.text)
    with bind(project.id):
        gate.refresh_from_db()
    assert (gate.failures, gate.closed_at, gate.last_error) == (0, None, "")
    assert curator.post("/p/acme/dreams/new", {"scope": "agent", "id": "support"}).status_code == 302
