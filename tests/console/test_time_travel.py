"""Time travel: what held at a moment, what changed since, what was read, and who sees what of it."""

import re
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.recall.models import ReadLedger
from apps.tenancy.models import Agent, Project, Subject
from tests.console.pages import fragment, link, text
from tests.console.past import ago, make_older, past_fact
from tests.console.stage import login, moved, state
from tests.factories import make_agent, make_fact, make_key, make_project, make_subject

pytestmark = pytest.mark.django_db
URL = "/p/acme/time-travel"
DAYS = timedelta(days=1)


@pytest.fixture
def project() -> Project:
    project = make_project("acme")
    make_older(project, days=30)
    return project


@pytest.fixture
def moment() -> datetime:
    return ago(days=5)


def look(client: Client, at: datetime | str = "", **rest: Any) -> Any:
    given = {"at": at if isinstance(at, str) else f"{at:%Y-%m-%dT%H:%M:%S}"} | rest
    return client.get(f"{URL}?{urlencode({name: value for name, value in given.items() if value})}")


def rows(page: Any) -> list[tuple[str, str]]:
    """Number and what became of each fact of the list."""
    found = []
    for row in re.findall(r"<tr data-row.*?</tr>", page.text, re.DOTALL):
        number = re.search(r'class="fid">#(\d+)<', row)
        assert number
        found.append((int(number[1]), text(row.split('<td class="outcome')[1].partition(">")[2])))
    return found  # type: ignore[return-value]


def segment(page: Any) -> str:
    return text(page.text.split('aria-label="Then and since"')[1].partition(">")[2].split("</div>")[0])


def read_at(
    project: Project, at: datetime, facts: list[int], *, agent: Agent, subject: Subject | None = None, **fields: Any
) -> None:
    """A row of the ledger, as it would have been written then."""
    with bind(project.id):
        ReadLedger.objects.create(
            at=at,
            id=ReadLedger.objects.count() + 1,
            project_id=project.id,
            agent_id=agent.id,
            subject_id=subject.id if subject else None,
            fact_ids=facts,
            ranks=list(range(1, len(facts) + 1)),
            scores=[None] * len(facts),
            **fields,
        )


def reads(page: Any) -> list[str]:
    return [text(row) for row in re.findall(r"<tr data-row>(.*?)</tr>", page.text, re.DOTALL)]


def test_what_held_then_and_what_became_of_it(project: Project, moment: datetime) -> None:
    kept = past_fact(project, "Kept.", moment - DAYS)
    last = make_fact(project, "Third.")
    second = past_fact(project, "Second.", moment + DAYS)
    first = past_fact(project, "First.", moment - 2 * DAYS, superseded_at=moment + DAYS, superseded_by=second)
    with bind(project.id):
        # Closed last, as it happened: nothing is superseded by what is superseded already.
        Fact.objects.filter(id=second.id).update(superseded_at=ago(days=1), superseded_by=last)
    erased = past_fact(project, "Its successor is gone.", moment - DAYS, superseded_at=moment + DAYS)
    retired = past_fact(project, "Retired.", moment - DAYS, retired_at=moment + DAYS, retired_reason="stale")
    ended = past_fact(project, "Ended.", moment - DAYS, valid_to=moment + DAYS)
    held = past_fact(project, "Held.", moment - DAYS, restricted_at=moment + DAYS, restricted_reason="hold")
    added = past_fact(project, "Added.", moment + DAYS)
    dated = past_fact(project, "Valid later.", moment - DAYS, valid_from=moment + DAYS)
    past_fact(project, "Came and went.", moment + DAYS, retired_at=moment + 2 * DAYS, retired_reason="wrong")
    past_fact(project, "Gone before.", moment - 2 * DAYS, retired_at=moment - DAYS, retired_reason="wrong")
    viewer = login(project, "viewer")
    page = look(viewer, moment)
    day = f"{(moment + DAYS).day} {moment + DAYS:%b %Y %H:%M} UTC"
    became = {
        held.id: "held: somebody put it on hold",
        ended.id: f"no longer valid since {day}",
        retired.id: f"retired on {day}: out of date",
        erased.id: f"replaced on {day} by a fact erased since",
        first.id: f"replaced on {day} by #{last.id}",
        kept.id: "still told",
    }
    assert dict(rows(page)) == became and [number for number, _ in rows(page)] == sorted(became, reverse=True)
    assert segment(page) == "True then 6 Added since 2 Replaced since 2 Ended since 3"
    assert f"As of {moment.day} {moment:%b %Y %H:%M} UTC, read only." in text(page.text)
    assert [number for number, _ in rows(look(viewer, moment, show="added"))] == sorted(
        [added.id, dated.id], reverse=True
    )
    replaced = look(viewer, moment, show="replaced")
    assert [number for number, _ in rows(replaced)] == sorted([first.id, erased.id], reverse=True)
    assert "<del>First</del><ins>Third</ins>" in replaced.text
    assert {number for number, _ in rows(look(viewer, moment, show="ended"))} == {retired.id, ended.id, held.id}
    # A moment before them all.
    page = look(viewer, ago(days=20))
    assert rows(page) == [] and "No fact held then" in page.text
    assert segment(page) == "True then 0 Added since 4 Replaced since 0 Ended since 0"


def test_of_whom(project: Project, moment: datetime) -> None:
    support, orders = make_agent(project, "support"), make_agent(project, "orders")
    ada = make_subject(project, "ada")
    early = moment - DAYS
    shared = past_fact(project, "Shared.", early)
    own = past_fact(project, "Own.", early, agent=support)
    theirs = past_fact(project, "Theirs.", early, agent=orders)
    hers = {"scope": "user", "scope_id": "ada", "subject": ada}
    about = past_fact(project, "About her.", early, **hers)
    through = past_fact(project, "Through orders.", early, **hers | {"agent": orders})
    viewer = login(project, "viewer")
    for whom, ids in (
        ({}, {shared, own, theirs, about, through}),
        ({"agent": "support"}, {shared, own}),
        ({"agent": "support", "user": "ada"}, {shared, own, about}),
        ({"user": "ada"}, {about, through}),
        ({"agent": "orders", "user": "ada", "scope": "user"}, {about, through}),
        ({"scope": "agent"}, {own, theirs}),
        ({"user": "nobody"}, set()),
    ):
        assert {number for number, _ in rows(look(viewer, moment, **whom))} == {fact.id for fact in ids}, whom
    page = look(viewer, moment, agent="support", user="ada")
    at = f"{moment:%Y-%m-%dT%H:%M}".replace(":", "%3A") + (f"%3A{moment:%S}" if moment.second else "")
    assert link(page, "What would an agent have been told?") == f"/p/acme/agent-view?at={at}&agent=support&user=ada"


def test_nobody_sees_in_it_what_his_role_may_not(project: Project, moment: datetime) -> None:
    support = make_agent(project, "support")
    secret = past_fact(project, "Lives in Rua das Flores.", moment - DAYS, sensitivity="personal")
    newer = make_fact(project, "Has a nut allergy.", sensitivity="special")
    plain = past_fact(project, "Is well.", moment - DAYS, superseded_at=moment + DAYS, superseded_by=newer)
    read_at(project, moment - DAYS / 2, [secret.id, plain.id], agent=support)
    for role in ("viewer", "admin"):
        reader = login(project, role)
        page = look(reader, moment)
        assert [number for number, _ in rows(page)] == [plain.id]
        assert segment(page) == "True then 1 Added since 0 Replaced since 1 Ended since 0"
        for show in ("", "replaced", "added", "ended"):
            page = look(reader, moment, show=show)
            assert "Flores" not in page.text and "allergy" not in page.text
            assert f"/facts/{newer.id}" not in page.text and "not for your role" in page.text
        page = look(reader, moment, show="read", agent="support")
        assert page.status_code == 403 and "Is well." not in page.text
    page = look(login(project, "curator"), moment)
    assert {number for number, _ in rows(page)} == {plain.id, secret.id} and "not for your role" not in page.text
    assert login(project, "auditor").get(URL).status_code == 403


def test_what_was_read_then(project: Project, moment: datetime) -> None:
    support, orders = make_agent(project, "support"), make_agent(project, "orders")
    ada, bob = make_subject(project, "ada"), make_subject(project, "bob")
    key, _ = make_key(project, name="backend")
    one, two = past_fact(project, "One.", ago(days=20)), past_fact(project, "Two.", ago(days=20))
    many = [past_fact(project, f"Fact {n}.", ago(days=20)).id for n in range(12)]
    read_at(
        project,
        moment,
        [two.id, 999, one.id],
        agent=support,
        subject=ada,
        key_id=key.id,
        purpose="billing",
        query_hash=b"x" * 16,
    )
    read_at(project, moment - DAYS, many, agent=support, subject=bob)
    read_at(project, moment - 2 * DAYS, [], agent=orders, subject=ada)
    read_at(project, moment + timedelta(seconds=1), [one.id], agent=support, subject=ada)
    curator = login(project, "curator")
    first, second = reads(look(curator, moment, show="read", agent="support"))
    assert first.endswith(
        f"support ada key backend billing a question 1 Two. #{two.id} 2 #999 (forgotten) 3 One. #{one.id}"
    )
    assert f"support bob no key importance 1 Fact 0. #{many[0]}" in second
    assert second.endswith(f"10 Fact 9. #{many[9]} and 2 more #{many[10]} #{many[11]}")
    assert [row.split(" importance ")[-1] for row in reads(look(curator, moment, show="read", agent="orders"))] == [
        "nothing was told"
    ]
    assert len(reads(look(curator, moment, show="read", user="ada"))) == 2
    assert len(reads(look(curator, moment, show="read", user="ada", agent="support"))) == 1
    assert "Whose reads?" in look(curator, moment, show="read").text
    assert "No read until then" in look(curator, moment, show="read", user="nobody").text
    with bind(project.id):
        Subject.objects.filter(id=ada.id).update(suppressed_at=now())
    assert "support (erased) key backend" in reads(look(curator, moment, show="read", agent="support"))[0]


def test_the_last_twenty_reads(project: Project, moment: datetime) -> None:
    support = make_agent(project, "support")
    for n in range(22):
        read_at(project, moment - timedelta(minutes=n), [n + 1_000], agent=support)
    found = reads(look(login(project, "curator"), moment, show="read", agent="support"))
    assert [re.search(r"#(\d+)", row)[1] for row in found] == [str(n + 1_000) for n in range(20)]  # type: ignore[index]


def test_pages_by_position(project: Project, moment: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.console.views.time_travel.PAGE", 2)
    ids = [past_fact(project, f"Fact {n}.", moment - DAYS).id for n in range(3)]
    viewer = login(project, "viewer")
    first = look(viewer, moment)
    assert [number for number, _ in rows(first)] == [ids[2], ids[1]]
    second = viewer.get(first.context["older"])
    assert [number for number, _ in rows(second)] == [ids[0]]
    assert rows(viewer.get(second.context["newer"])) == rows(first)
    # A cursor is good for its own list.
    assert viewer.get(first.context["older"].replace("cursor=", "show=added&cursor=")).status_code == 400


def test_a_moment_that_is_none(project: Project) -> None:
    make_fact(project, "Refunds take five days.")
    viewer = login(project, "viewer")
    for at, said in (
        (now() + timedelta(minutes=5), "Moment: That moment is still to come."),
        (ago(days=31), "Moment: The project was made later, on "),
        ("soon", "Moment: Has to look like 2026-11-03 09:00."),
        ("9999-99-99T00:00", "Moment: Has to look like 2026-11-03 09:00."),
        ("0001-01-01T00:00+14:00", "Moment: Has to look like 2026-11-03 09:00."),
        ("2026-01-01\x00", "Moment: Null characters are not allowed."),
    ):
        page = look(viewer, at)
        assert page.status_code == 422 and said in text(page.text) and "Refunds" not in page.text, said
    assert look(viewer, ago(days=1), agent="nobody").status_code == 422
    assert look(viewer, ago(days=1), scope="everything").status_code == 422
    part = fragment(viewer, f"{URL}?at=soon")
    assert part.status_code == 422 and "<html" not in part.text


def test_without_a_moment_it_offers_some(project: Project) -> None:
    page = login(project, "viewer").get(f"{URL}?user=ada")
    assert page.status_code == 200 and "Choose a moment" in page.text
    href = link(page, "a week ago")
    assert href is not None and href.startswith("/p/acme/time-travel?at=") and href.endswith("&user=ada")
    assert link(page, "30 days ago") is None
    make_older(project, minutes=20)
    page = login(project, "viewer").get(URL)
    assert link(page, "five minutes ago") is not None and link(page, "an hour ago") is None
    make_older(project, minutes=5)
    assert "The project is a few minutes old." in login(project, "viewer").get(URL).text


def test_moments_with_an_offset(project: Project, moment: datetime) -> None:
    fact = past_fact(project, "Just then.", moment)
    viewer = login(project, "viewer")
    lisbon = f"{moment + timedelta(hours=2):%Y-%m-%dT%H:%M:%S}"
    assert [number for number, _ in rows(viewer.get(f"{URL}?at={lisbon}%2B02:00"))] == [fact.id]
    # A plus that was not escaped.
    assert [number for number, _ in rows(viewer.get(f"{URL}?at={lisbon}+02:00"))] == [fact.id]
    assert rows(viewer.get(f"{URL}?at={moment - timedelta(seconds=1):%Y-%m-%d %H:%M:%S}")) == []


def test_looking_changes_nothing(project: Project, moment: datetime) -> None:
    make_agent(project, "support")
    past_fact(project, "One.", moment - DAYS)
    client = login(project, "curator")
    before = state(project)
    for show in ("", "added", "replaced", "ended", "read"):
        assert look(client, moment, show=show, agent="support").status_code == 200
        assert fragment(client, f"{URL}?show={show}").status_code == 200
    assert moved(before, state(project)) == set()
    assert client.post(URL).status_code == 405
