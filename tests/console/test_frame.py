"""The frame around every page: its counts, what it asks again by itself, the switch of projects, and going anywhere."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client

from apps.access.actions.grant_role import grant_role
from apps.core.clock import now
from apps.core.counting import MOST
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.extraction.models import Worker
from apps.facts.models import Fact
from apps.tenancy.models import Project, SubjectAlias
from apps.traces.models import Trace
from tests.console.pages import between, link, text
from tests.console.stage import learn, login, push
from tests.factories import make_agent, make_fact, make_project, make_subject, make_user, setup_actor
from tests.spans import run_of, trace_id

pytestmark = pytest.mark.django_db
PULSE = {"HX-Request": "true", "HX-Target": "pulse"}


def nav(client: Client, path: str = "/p/acme/agents") -> str:
    return between(client.get(path), 'aria-label="Main">', "</nav>")


def counts(page: str) -> dict[str, str]:
    return {name: text(value) for name, value in re.findall(r'id="n-([a-z-]+)"[^>]*>([^<]*)</span>', page)}


@pytest.fixture
def acme() -> Project:
    project = make_project("acme")
    make_agent(project, "support")
    return project


def test_what_is_counted_is_what_the_lists_show(acme: Project) -> None:
    make_fact(acme, "Ships on Tuesdays.")
    make_fact(acme, "Ships on Mondays.", retired="wrong")
    make_fact(acme, "Has a nut allergy.", user="ada", sensitivity="special")
    learn(acme, "t", "Our refund window is 30 days. I prefer email.", user="ada")
    (snoozed,) = learn(acme, "u", "We ship on Mondays.", user="ada")
    with bind(acme.id):
        Proposal.objects.filter(id=snoozed.id).update(snoozed_until=now() + timedelta(hours=1))
    assert counts(login(acme, "curator").get("/p/acme/agents").text) == {
        "facts": "2",
        "review": "2",
        "conflicts": "",
        "dreams": "",
    }
    # A viewer knows nothing of what is personal, nor of proposals.
    assert counts(login(acme, "viewer").get("/p/acme/agents").text) == {"facts": "1"}


def test_a_count_stops_at_a_thousand(acme: Project) -> None:
    fact = make_fact(acme, "Ships on Tuesdays.")
    with bind(acme.id):
        rows = []
        for number in range(MOST + 5):
            row = Fact.objects.get(id=fact.id)
            row.id, row.pk, row.content, row.norm_hash = None, None, f"Fact {number}.", number.to_bytes(16)  # type: ignore[assignment]
            rows.append(row)
        Fact.objects.bulk_create(rows)
    assert counts(login(acme, "viewer").get("/p/acme/agents").text) == {"facts": "1,000+"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Extraction works"),
        ({"last_arrival_at": now() - timedelta(hours=1)}, "Traces wait"),
        ({"attempts": 5, "dead_reason": "model_timeout"}, "Traces stuck"),
    ],
)
def test_the_foot_says_how_extraction_goes(acme: Project, fields: dict[str, object], said: str) -> None:
    push(acme, run_of("t", "Hello."))
    Worker.objects.create(name="one@host")
    with bind(acme.id):
        Trace.objects.update(**fields)
    assert said in between(login(acme, "curator").get("/p/acme/agents"), 'id="state"', "</a>")
    assert 'id="state"' not in login(acme, "viewer").get("/p/acme/agents").text


def test_the_foot_says_so_where_no_worker_runs(acme: Project) -> None:
    client = login(acme, "curator")
    assert "No worker runs" in between(client.get("/p/acme/agents"), 'id="state"', "</a>")
    worker = Worker.objects.create(name="one@host", seen_at=now() - timedelta(minutes=2))
    assert "No worker runs" in between(client.get("/p/acme/agents"), 'id="state"', "</a>")
    Worker.objects.filter(name=worker.name).update(seen_at=now())
    assert "Extraction works" in between(client.get("/p/acme/agents"), 'id="state"', "</a>")


def test_an_open_page_hears_what_came_in_and_once_that_it_did(acme: Project) -> None:
    client = login(acme, "curator")
    page = client.get("/p/acme/agents").text
    address = re.search(r'id="pulse"[^>]*hx-get="([^"]+)"', page, re.DOTALL)
    assert address and address[1] == "/p/acme/pulse?review=0&amp;conflicts=0&amp;dreams=0"
    assert client.get(unescape(address[1]), headers=PULSE).text.count("hx-swap-oob") == 5
    learn(acme, "t", "Our refund window is 30 days. We ship on Mondays.")
    answer = client.get(unescape(address[1]), headers=PULSE).text
    assert counts(answer) == {"facts": "", "review": "2", "conflicts": "", "dreams": ""}
    assert text(answer.split('id="live"')[1].split(">", 1)[1]) == "2 more to review"
    assert "/p/acme/pulse?review=2&amp;conflicts=0&amp;dreams=0&amp;said=1" in answer
    learn(acme, "u", "Our office is in Ghent.")
    again = client.get("/p/acme/pulse?review=2&said=1", headers=PULSE).text
    assert counts(again)["review"] == "3" and 'id="live"' not in again


def test_what_asks_by_itself_is_told_to_stop_and_leads_nowhere(acme: Project) -> None:
    for client in (Client(), login(None, user=make_user())):
        answer = client.get("/p/acme/pulse", headers=PULSE)
        assert (answer.status_code, answer.content, "HX-Redirect" in answer) == (286, b"", False)
    assert login(acme, "curator").get("/p/acme/pulse?review=" + "9" * 30, headers=PULSE).status_code == 200


def test_another_project_opens_at_the_same_page_where_it_may_be(acme: Project) -> None:
    bolt, core = make_project("bolt"), make_project("core")
    user = make_user(acme, "curator")
    grant_role(actor=setup_actor(bolt), project_id=bolt.id, user=user, role="curator")
    grant_role(actor=setup_actor(core), project_id=core.id, user=user, role="auditor")
    client = login(None, user=user)
    fact = make_fact(acme, "Ships on Tuesdays.")
    for path, name in (("review", "/review"), (f"facts/{fact.id}", "/facts"), ("traces/learn", "/traces"), ("go", "")):
        page = client.get(f"/p/acme/{path}")
        assert (link(page, "Bolt"), link(page, "Core")) == (f"/p/bolt{name}", "/p/core"), path


class TestGo:
    def hits(self, client: Client, words: str, **more: str) -> list[str]:
        page = client.get("/p/acme/go", {"q": words, **more}, headers={"HX-Request": "true", "HX-Target": "go-results"})
        return [text(item) for item in re.findall(r"<li>(.*?)</li>", page.text, re.DOTALL)]

    def goal(self, client: Client, words: str) -> str | None:
        return client.get("/p/acme/go", {"q": words}).headers.get("Location")

    def test_enter_leads_to_what_has_exactly_this_name(self, acme: Project) -> None:
        fact = make_fact(acme, "Prefers replies by email.", user="alice")
        make_fact(acme, "Alice is the contact of the bank.")
        with bind(acme.id):
            SubjectAlias.objects.create(project_id=acme.id, subject=make_subject(acme, "alice"), external_id="u-17")
        push(acme, run_of("t", "Hello."))
        client = login(acme, "curator")
        user = f"/p/acme/subjects/{make_subject(acme, 'alice').id}"
        assert self.goal(client, "alice") == self.goal(client, " Alice ") == self.goal(client, "u-17") == user
        assert self.goal(client, f"#{fact.id}") == self.goal(client, str(fact.id)) == f"/p/acme/facts/{fact.id}"
        assert self.goal(client, "review") == "/p/acme/review"
        assert (
            self.goal(client, trace_id("t"))
            == self.goal(client, trace_id("t")[:12].upper())
            == f"/p/acme/traces/{trace_id('t')}"
        )
        assert self.goal(client, "replies email") == f"/p/acme/facts/{fact.id}"
        agents = client.get("/p/acme/agents")
        assert self.goal(client, "support") == link(agents, "support")

    def test_a_page_of_results_where_several_are_meant(self, acme: Project) -> None:
        make_fact(acme, "Ships on Tuesdays.")
        make_fact(acme, "Ships on Mondays.", user="shipping")
        page = login(acme, "curator").get("/p/acme/go?q=ships")
        assert page.status_code == 200
        assert between(page, 'class="page go-list">', "</main>").startswith("Facts Ships on Mondays. #")
        assert text(page.text).startswith("2 found: ships · Acme")
        assert "Nothing here is called “ “zz”" not in page.text

    def test_nobody_finds_what_he_may_not_open(self, acme: Project) -> None:
        fact = make_fact(acme, "Has a nut allergy.", user="ada", sensitivity="special")
        push(acme, run_of("t", "Hello."))
        viewer, auditor = login(acme, "viewer"), login(acme, "auditor")
        assert self.hits(viewer, "nut allergy") == self.hits(viewer, f"#{fact.id}") == []
        assert self.hits(viewer, trace_id("t")[:8]) == []
        assert self.hits(auditor, "ada") == self.hits(auditor, "support") == []
        # A curator finds it, and shows its words where that is recorded.
        assert self.hits(login(acme, "curator"), "nut allergy") == [
            f"Masked personal fact •••••• •••• ••••••••• ••••• #{fact.id}"
        ]
        assert "Review" not in " ".join(self.hits(viewer, ""))

    @pytest.mark.parametrize("words", ["#99999999999999999999", "\x00", "%", "'", "_" * 400, "ab", "日本", "🙂", "\\"])
    def test_anything_may_be_typed(self, acme: Project, words: str) -> None:
        make_fact(acme, "Ships on Tuesdays.")
        assert login(acme, "curator").get("/p/acme/go", {"q": words}).status_code == 200


def test_running_work_says_how_far_it_is_and_stops_asking_when_done(acme: Project) -> None:
    for number in range(8):
        push(acme, run_of(f"t{number}", "Hello."))
    client = login(acme, "curator")
    assert 'hx-get="/p/acme/jobs"' in client.get("/p/acme/traces/learn").text
    page = client.get("/p/acme")
    assert "Reading traces: 8 left" in page.text and 'hx-get="/p/acme/jobs?of=8"' in page.text
    with bind(acme.id):
        Trace.objects.filter(trace_id__in=[trace_id(f"t{number}") for number in range(6)]).update(extracted_at=now())
    half = client.get("/p/acme/jobs?of=8", headers={"HX-Request": "true"}).text
    assert 'value="75"' in half and "2 left" in half and "hx-get" in half and 'id="live"' not in half
    with bind(acme.id):
        Trace.objects.update(extracted_at=now())
    last = client.get("/p/acme/jobs?of=8", headers={"HX-Request": "true"}).text
    assert 'value="100"' in last and "hx-get" not in last and 'id="live"' in last
    assert client.get("/p/acme/jobs", headers={"HX-Request": "true"}).text.strip() == ""
    assert Client().get("/p/acme/jobs?of=8").status_code == 286
