"""One fact, in the drawer and on its page: its labels, evidence and history."""

import re

import pytest
from django.test import Client

from apps.console.views.facts.evidence import MOST
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import Edits, approve_proposal
from apps.facts.actions.add_fact import add_fact
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.append import Evidence
from apps.facts.models import Fact, FactSource
from apps.facts.statement import Statement
from apps.tenancy.models import Project
from apps.traces.models import Message
from tests.console.pages import between, fragment, link, revised, text
from tests.console.stage import learn, login
from tests.factories import make_agent, make_fact, make_project, make_user, user_actor
from tests.spans import NOON, trace_id

pytestmark = pytest.mark.django_db
URL = "/p/acme/facts"
SAID = "Good morning. Remember that our refund window is 30 days. That was all."


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


def approved(project: Project, name: str = "ada@example.test") -> Fact:
    """A fact that was said in a run, proposed and approved by Ada."""
    (proposal,) = learn(project, "run", SAID)
    ada = user_actor(project, "curator", user=make_user(project, "curator", email=name, name="Ada Byron"))
    done = approve_proposal(actor=ada, project_id=project.id, proposal_id=proposal.id, edits=Edits(confidence=0.9))
    with bind(project.id):
        return Fact.objects.get(project_id=project.id, id=done.fact_id)


def section(markup: str, title: str) -> str:
    """What stands under a heading of the details."""
    found = re.search(rf"<h3>\s*{title}(.*?)</section>", markup, re.DOTALL)
    assert found
    return text(found[1])


def test_drawer_and_page_say_the_same(project: Project) -> None:
    fact = approved(project)
    curator = login(project, "curator")
    page, part = (
        curator.get(f"{URL}/{fact.id}?q=refund&superseded=1"),
        fragment(curator, f"{URL}/{fact.id}?q=refund&superseded=1", "drawer"),
    )

    assert "<!DOCTYPE html>" in page.text and f"<title>Fact #{fact.id} · Acme" in " ".join(page.text.split()).replace(
        "> ", ">"
    )
    assert link(page, "Facts") == f"{URL}?q=refund&superseded=1"
    assert "<html" not in part.text and "hx-swap-oob" not in part.text
    assert between(part, "<h2", "</header>").endswith(f"#{fact.id} Active")
    assert f'href="{URL}?q=refund&amp;superseded=1"\n     data-close' in part.text
    body = part.text.split("</header>")[1].strip()
    plain = [re.sub(r'name="csrfmiddlewaretoken" value="\w+"|\s', "", markup) for markup in (body, page.text)]
    assert plain[0] in plain[1]
    for words in (
        "Scope agent:support",
        "Who is told Told to support in every read, whoever the user is.",
        "Confidence 0.90",
        f"Category {fact.category} · {fact.memory_type}",
        f"Source learned · {trace_id('run')[:8]}",
        "Approved by Ada Byron,",
        "Observed 20 Nov 2026 12:00",
        "Expires never",
        "Served never",
        "Who was told this Nobody so far.",
    ):
        assert words in text(part.text)


def test_the_quoted_words_are_marked_in_their_message(project: Project) -> None:
    fact = approved(project)
    with bind(project.id):
        message = Message.objects.get(project_id=project.id, role="user")
        source = FactSource.objects.get(project_id=project.id, fact_id=fact.id)
    assert message.content[source.start : source.end] == source.quote
    part = fragment(login(project, "curator"), f"{URL}/{fact.id}", "drawer")
    before, after = SAID.split(source.quote)
    assert f"“{before}<mark>{source.quote}</mark>{after}”" in part.text
    assert f'href="/p/acme/traces/{trace_id("run")}?turn={message.id}#m{message.id}"' in part.text
    assert "user message, 20 Nov 2026 12:00" in text(part.text)


def test_a_form_in_the_details_has_its_token(project: Project) -> None:
    fact = approved(project)
    user = make_user(project, "curator")
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(user)
    part = fragment(browser, f"{URL}/{fact.id}", "drawer")
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', part.text)
    assert token
    sent = {"csrfmiddlewaretoken": token[1], "ids": fact.id, "act": "pin", "list": f"?open={fact.id}"}
    assert browser.post(f"{URL}/bulk", sent).status_code == 302
    assert browser.post(f"{URL}/bulk", sent | {"csrfmiddlewaretoken": ""}).status_code == 403
    page = browser.get(URL)
    assert page.text.split('class="results selectable"')[1].count("csrfmiddlewaretoken") == 1


def test_the_turns_around_the_quote_are_shown(project: Project) -> None:
    fact = approved(project)
    part = fragment(login(project, "curator"), f"{URL}/{fact.id}", "drawer")
    turns = text(part.text.split('<ol class="turns">')[1].split("</ol>")[0])
    assert turns.startswith("user “Good morning.") and turns.endswith("assistant Understood.")


def test_far_and_many_quotes_are_cut_and_counted(project: Project) -> None:
    approved(project)
    with bind(project.id):
        message = Message.objects.get(project_id=project.id, role="user")
        Message.objects.filter(id=message.id).update(content="word " * 2000)
    spans = [(500 * n, 500 * n + 4) for n in range(MOST + 2)]
    evidence = [
        Evidence(trace_id=message.trace_id, message_id=message.id, quote="word", start=a, end=b, observed_at=NOON)
        for a, b in [(0, 4), (10, 14), *spans[1:]]
    ]
    fact = add_fact(
        actor=user_actor(project, "curator"),
        project_id=project.id,
        statement=Statement(content="Says word.", scope="project"),
        evidence=evidence,
    ).fact
    part = fragment(login(project, "curator"), f"{URL}/{fact.id}", "drawer")
    quotes = part.text.split("<blockquote")[1:]
    assert [quote.count("<mark>word</mark>") for quote in quotes] == [2, *[1] * (MOST - 1)]
    assert "“<mark>word</mark> word <mark>word</mark>" in quotes[0] and " …”" in quotes[0]
    assert "“… word" in quotes[1]
    assert "and 2 more" in section(part.text, "Where it came from")


def test_a_quote_that_no_longer_fits_its_message_stands_alone(project: Project) -> None:
    fact = approved(project)
    with bind(project.id):
        source = FactSource.objects.get(project_id=project.id, fact_id=fact.id)
        Message.objects.filter(project_id=project.id).update(content="Something else.")
    curator = login(project, "curator")
    assert f"“<mark>{source.quote}</mark>”" in fragment(curator, f"{URL}/{fact.id}", "drawer").text
    with bind(project.id):
        Message.objects.filter(project_id=project.id).delete()
    part = fragment(curator, f"{URL}/{fact.id}", "drawer")
    assert f"“<mark>{source.quote}</mark>”" in part.text and "the message is gone" in text(part.text)


def test_the_conversation_is_for_those_who_may_read_traces(project: Project) -> None:
    fact = approved(project)
    viewer = login(project, "viewer").get(f"{URL}/{fact.id}")
    assert "refund window is 30 days" in viewer.text  # the fact itself
    assert "Good morning" not in viewer.text and "/traces/" not in viewer.text and "/review/" not in viewer.text
    assert "needs the role curator or privacy officer" in section(viewer.text, "Where it came from")
    for label in ("Edit as new version", "Forget…"):
        assert label not in viewer.text
    assert "/traces/" in login(project, "privacy_officer").get(f"{URL}/{fact.id}").text


def test_actions_follow_the_role(project: Project) -> None:
    fact = make_fact(project, "The window is 14 days.")
    curator, officer = login(project, "curator"), login(project, "privacy_officer")
    assert link(curator.get(f"{URL}/{fact.id}"), "Forget…") == f"{URL}/{fact.id}/forget"
    assert f'href="{URL}/{fact.id}/edit"' in curator.get(f"{URL}/{fact.id}").text
    page = officer.get(f"{URL}/{fact.id}")
    assert "Edit as new version" not in page.text and link(page, "Forget…") == f"{URL}/{fact.id}/forget"
    new = revised(project, fact, "The window is 30 days.")
    page = curator.get(f"{URL}/{fact.id}")
    assert "Edit as new version" not in page.text
    assert f"Replaced by #{new.id} , so it is no longer told." in text(page.text)
    assert "Nobody now. While active:" in text(page.text)


def test_the_history_compares_versions_and_names_who_did_what(project: Project) -> None:
    first = approved(project)
    second = revised(project, first, "Our refund window is 45 days.", agent_name="support")
    ada = user_actor(project, "curator", user=make_user(project, "curator", name="Grace Hopper"))
    curator = login(project, "curator")
    page = curator.get(f"{URL}/{second.id}")
    number = f"P-{first.proposal_id.hex[-6:]}"  # type: ignore[union-attr]
    assert "<del>30</del><ins>45</ins>" in page.text
    lines = [text("<li" + item) for item in page.text.split('class="tl">')[1].split("</ol>")[0].split("<li")[1:]]
    assert lines[0].startswith(f"#{second.id} edited by person")
    assert f"#{first.id} approved by Ada Byron, from {number} “{first.content}”" in lines[1]
    assert f'href="/p/acme/review/{first.proposal_id}"' in page.text
    assert 'class="now"' in page.text.split(f"<strong>#{second.id}</strong>")[0].rsplit("<li", 1)[1]

    retire_fact(actor=ada, project_id=project.id, fact_id=second.id, reason="stale")
    page = curator.get(f"{URL}/{second.id}")
    assert f"#{second.id} retired by Grace Hopper: stale" in section(page.text, "History")
    assert 'class="now"' not in page.text and "Retired (stale), so it is no longer told." in text(page.text)


def test_versions_above_the_readers_sensitivity_show_no_words(project: Project) -> None:
    old = make_fact(project, "Lives in Porto.", user="alice", sensitivity="personal")
    new = revised(project, old, "Lives abroad.", sensitivity="internal")
    page = login(project, "viewer").get(f"{URL}/{new.id}")
    assert page.status_code == 200 and "Porto" not in page.text
    assert f"#{old.id} added by memoryplane (setup)" in section(page.text, "History")
    assert f"/facts/{old.id}" not in page.text


def test_a_fact_of_another_project_is_not_there(project: Project) -> None:
    theirs = make_fact(make_project("other"), "Theirs.")
    curator = login(project, "curator")
    for path in ("", "/edit", "/forget"):
        answer = curator.get(f"{URL}/{theirs.id}{path}")
        assert answer.status_code == 404 and "Theirs" not in answer.text
    assert curator.get(f"{URL}/99999999999999999999").status_code == 404
    assert curator.post(f"{URL}/{theirs.id}").status_code == 405


def test_a_long_history_of_long_texts_is_shown_in_time(project: Project) -> None:
    fact, ada = make_fact(project, "a " * 999 + "0"), user_actor(project, "curator")
    for n in range(1, 35):
        fact = revised(project, fact, ("a b " if n % 2 else "b a ") * 499 + str(n), by=ada)
    page = login(project, "curator").get(f"{URL}/{fact.id}")
    assert page.text.count('<a href="/p/acme/facts/') + 1 >= 30
    assert "and 2+ older versions" in section(page.text, "History")
