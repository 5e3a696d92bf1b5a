"""Privacy requests from the console: opened, previewed, approved by a second person, proven, handed over."""

import io
import json
import re
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from apps.access.models import Membership, User
from apps.core.clock import now
from apps.core.transactions import bind
from apps.facts.models import Fact
from apps.privacy.models import Hold, PrivacyRequest
from apps.tenancy.models import Project
from tests.console.stage import give_password
from tests.factories import make_agent, make_fact, make_project, make_user
from tests.privacy.stage import learned, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(settings: Any) -> Project:
    settings.PURGE_WAITS = False
    project = make_project("acme")
    make_agent(project, "support")
    return project


def officer_browser(project: Project) -> Client:
    user: User = make_user(project, "privacy_officer")
    Membership.objects.filter(user=user).update(created_at=now() - timedelta(days=2))
    client = Client()
    client.force_login(user)
    give_password(client, user)
    return client


def only(project: Project) -> PrivacyRequest:
    with bind(project.id):
        return PrivacyRequest.objects.get()


NEW = {
    "external_id": "ada.k",
    "kind": "erasure",
    "identity_method": "document",
    "identities": "ada@example.test\n+49 30 123456\nAda Klein",
}


def test_from_new_to_receipt_by_two_people(project: Project) -> None:
    (shared,) = learned(project, "t", "Our refund window is 30 days.", user="ada.k")
    learned(project, "t2", "I live in Lisbon.", user="ada.k")
    first, second = officer_browser(project), officer_browser(project)
    answer = first.post("/p/acme/privacy/new", NEW, follow=True)
    request = only(project)
    page = answer.content.decode()
    assert answer.redirect_chain[-1][0] == f"/p/acme/privacy/{request.id}"
    assert request.state == "previewed"
    with bind(project.id):
        assert sorted(request.identities.values_list("kind", "value")) == [
            ("email", "ada@example.test"),
            ("name", "Ada Klein"),
            ("phone", "+49 30 123456"),
            ("user_id", "ada.k"),
        ]
    assert "Our refund window is 30 days." in page and "nothing else bears it out" in page
    # Decided: the shared fact goes too.
    act = f"/p/acme/privacy/{request.id}/act"
    first.post(act, {"do": "preview", "decided": "1", "also": str(shared), "except": "", "ground": ""})
    digest = bytes(only(project).preview_digest or b"").hex()
    wrong = first.post(act, {"do": "submit", "digest": digest, "typed_id": "ada"})
    assert (wrong.status_code, "just as it is shown" in wrong.content.decode()) == (422, True)
    assert first.post(act, {"do": "submit", "digest": digest, "typed_id": "ada.k"}).status_code == 302
    approve = f"/p/acme/privacy/{request.id}/approve"
    own = first.post(approve, {"digest": digest, "typed_id": "ada.k"})
    assert (own.status_code, "Somebody else has to approve" in own.content.decode()) == (403, True)
    assert only(project).state == "awaiting_approval"
    assert second.post(approve, {"digest": digest, "typed_id": "ada.k"}).status_code == 302
    assert work(project) == ["completed"]
    with bind(project.id):
        assert Fact.objects.count() == 0
    shown = second.get(f"/p/acme/privacy/{request.id}/receipt")
    receipt = shown.content.decode()
    assert shown.context["valid"] is True and "does not fit" not in receipt and "All rows" in receipt
    # Whole words: "ada" alone stands in a digest's hexadecimals now and then.
    assert not re.search(r"\bada\b|klein|123456", receipt, re.IGNORECASE)
    saved = json.loads(second.get(f"/p/acme/privacy/{request.id}/receipt.json").content)
    assert saved["body"]["matched"] > 0
    page = first.get(f"/p/acme/privacy/{request.id}").content.decode()
    assert "not known any more" in page and "ada.k" not in page
    found = first.post(act, {"do": "check", "typed_id": "ada.k"}, follow=True).content.decode()
    assert "Looked again: nothing was found." in found


def test_the_list_shows_the_next_due_first_and_finds_by_the_whole_id(project: Project) -> None:
    browser = officer_browser(project)
    old = (now() - timedelta(days=40)).date().isoformat()
    browser.post("/p/acme/privacy/new", NEW | {"external_id": "bo", "kind": "access", "identity_method": ""})
    browser.post("/p/acme/privacy/new", NEW | {"external_id": "cy", "kind": "access", "received_on": old})
    page = browser.get("/p/acme/privacy").content.decode()
    assert page.index(">cy<") < page.index(">bo<")
    assert "days late" in page and "days left" in page
    found = browser.get("/p/acme/privacy?q=bo").content.decode()
    assert ">bo<" in found and ">cy<" not in found
    assert "No request matches" in browser.get("/p/acme/privacy?q=b").content.decode()
    assert ">cy<" in browser.get("/p/acme/privacy?q=%232").content.decode()


def test_somebody_fetches_a_package_by_a_link_once(project: Project) -> None:
    learned(project, "t", "I live in Lisbon.", user="ada.k")
    browser, person = officer_browser(project), Client()
    browser.post("/p/acme/privacy/new", NEW | {"kind": "access"})
    request = only(project)
    act = f"/p/acme/privacy/{request.id}/act"
    assert browser.post(act, {"do": "fulfil"}).status_code == 302
    assert work(project) == ["completed"]
    page = browser.post(act, {"do": "link"}).content.decode()
    link = page.split('value="http://testserver')[1].split('"')[0]
    # A mail program that looks at the link takes nothing.
    assert person.get(link).status_code == 200
    assert person.get(link).status_code == 200
    got = person.post(link)
    assert got["Content-Disposition"] == 'attachment; filename="what-is-remembered.zip"'
    assert "facts.jsonl" in zipfile.ZipFile(io.BytesIO(got.content)).namelist()
    gone = person.post(link)
    assert (gone.status_code, "no longer good" in gone.content.decode()) == (404, True)


def test_names_that_may_be_somebody_elses_are_decided_on_the_page(project: Project) -> None:
    make_fact(project, "Her brother Tomasz <b>likes</b> tea.", user="ada.k")
    make_fact(project, "Ask Hana Novák about the keys.", user="ada.k")
    browser = officer_browser(project)
    browser.post("/p/acme/privacy/new", NEW | {"kind": "access"})
    request = only(project)
    act, here = f"/p/acme/privacy/{request.id}/act", f"/p/acme/privacy/{request.id}"
    browser.post(act, {"do": "fulfil"})
    assert work(project) == ["completed"]
    page = browser.get(here).content.decode()
    assert "Held back" in page and page.count('name="tell"') == 2
    assert "Her brother Tomasz &lt;b&gt;likes&lt;/b&gt; tea." in page and "Hana Novák" in page
    nothing = browser.post(act, {"do": "tell"})
    assert (nothing.status_code, "Tick at least one" in nothing.content.decode()) == (422, True)
    told = browser.post(act, {"do": "tell", "tell": "1"}, follow=True).content.decode()
    assert "1 more in the package" in told and told.count("checked disabled") == 1
    link = browser.post(act, {"do": "link"}).content.decode().split('value="http://testserver')[1].split('"')[0]
    packed = Client().post(link).content
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        facts = archive.read("facts.jsonl").decode()
    assert "Tomasz" in facts and "Hana" not in facts and "held back: 2" in facts
    assert "Held back" not in browser.get(here).content.decode()


def test_names_nobody_looks_for_are_shown_with_the_facts_that_say_them(project: Project) -> None:
    hers = make_fact(project, "Call me Quetzalina.", user="ada.k")
    other = make_fact(project, "Quetzalina has the spare key.")
    make_fact(project, "The spare key is blue.")
    browser = officer_browser(project)
    page = browser.post("/p/acme/privacy/new", NEW, follow=True).content.decode()
    assert "Names nobody looks for" in page and "Call me Quetzalina." in page
    assert f"says a name that this person goes by in #{hers.id}" in page
    assert only(project).preview["named"] == [{"fact": other.id, "as": hers.id}]
    assert "The spare key is blue." not in page
    act = f"/p/acme/privacy/{only(project).id}/act"
    browser.post(act, {"do": "preview", "decided": "1", "also": str(other.id), "except": "", "ground": ""})
    assert only(project).preview["reasons"] == {"direct": 1, "decided": 1}


def test_a_hold_is_placed_and_released_by_hand(project: Project) -> None:
    fact = make_fact(project, "Owes an invoice.", scope="user", scope_id="ada.k")
    browser = officer_browser(project)
    told = {"object_type": "fact", "object_id": f"#{fact.id}", "ground": "a lawsuit", "review_on": "2099-01-01"}
    assert browser.post("/p/acme/privacy/holds", told).status_code == 302
    with bind(project.id):
        hold = Hold.objects.get()
        assert Fact.objects.get().restricted_reason == "hold"
    again = browser.post("/p/acme/privacy/holds", told)
    assert (again.status_code, "held already" in again.content.decode()) == (409, True)
    unknown = browser.post("/p/acme/privacy/holds", told | {"object_type": "subject", "object_id": "nobody"})
    assert unknown.status_code == 404
    assert "a lawsuit" in browser.get("/p/acme/privacy/holds").content.decode()
    assert browser.post(f"/p/acme/privacy/holds/{hold.id}/release").status_code == 302
    with bind(project.id):
        assert Fact.objects.get().restricted_at is None


@pytest.mark.parametrize("user", ["", " ", "*"])
def test_nobody_in_particular_is_not_opened(project: Project, user: str) -> None:
    answer = officer_browser(project).post("/p/acme/privacy/new", NEW | {"external_id": user})
    assert answer.status_code == 422
    with bind(project.id):
        assert PrivacyRequest.objects.count() == 0
