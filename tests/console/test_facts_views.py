"""Saved views: a filter under a name, of one member or shared, and the one that opens by itself."""

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.test import Client

from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.insight.actions.change_view import change_view
from apps.insight.actions.delete_view import delete_view
from apps.insight.actions.save_view import save_view
from apps.insight.models import SavedView
from apps.insight.saved import MOST_VIEWS
from apps.tenancy.models import Project
from tests.console.pages import between, fragment, link, numbers, text, told
from tests.console.stage import login, moved, state
from tests.factories import make_fact, make_project, make_user, user_actor

pytestmark = pytest.mark.django_db
URL = "/p/acme/facts"


@pytest.fixture
def project() -> Project:
    return make_project("acme")


def kept(project: Project) -> list[tuple[str, Any, bool, bool]]:
    with bind(project.id):
        return list(SavedView.objects.order_by("id").values_list("name", "query", "shared", "is_default"))


def offered(page: HttpResponse) -> list[tuple[str, str]]:
    """The links of the menu: what they say, and where they lead."""
    menu = page.text.split('data-hotkey="w"')[1].split("</details>")[0]
    found = re.findall(r'<a href="([^"]+)"(?:\s+aria-current="true")?\s*>(.*?)</a>', menu, re.DOTALL)
    return [(text(label), href.replace("&amp;", "&")) for href, label in found]


def saved(client: Client, query: str, **fields: str) -> HttpResponse:
    return client.post(f"{URL}/views", {"list": query, **fields})  # type: ignore[return-value]


def test_a_filter_gets_a_name_and_comes_back_by_it(project: Project) -> None:
    manual = make_fact(project, "Tea is served at four.")
    make_fact(project, "Coffee too.", category="drinks")
    curator = login(project, "curator")
    assert offered(curator.get(URL)) == []
    answer = saved(
        curator, "?q=tea&source=manual&source=learned&sort=oldest&cursor=1.1.x&open=3", name="  Tea \u200b time "
    )
    assert kept(project) == [
        ("Tea time", {"q": "tea", "source": ["manual", "learned"], "sort": "oldest"}, False, False)
    ]
    with bind(project.id):
        view = SavedView.objects.get()
    where = f"{URL}?q=tea&source=manual&source=learned&sort=oldest&view={view.id}"
    assert answer["Location"] == where
    page = curator.get(where)
    assert told(page) == "Saved as “Tea time”."
    assert numbers(page) == [manual.id]
    assert offered(page) == [("Tea time", where)]
    assert "Remove filter view Tea time" in text(page.text)
    # Everything on the page keeps it, until it is left.
    assert f'name="view" value="{view.id}"' in page.text
    changed = fragment(curator, where.replace("tea", "coffee"))
    assert "Remove filter view, changed Tea time" in text(changed.text)
    assert link(page, "Clear all") == f"{URL}?view=none"
    assert numbers(curator.get(f"{URL}?view=none")) != [manual.id]
    with bind(project.id):
        event = AuditEvent.objects.filter(project_id=project.id, verb="views.save").get()
    assert (event.object_id, event.data) == (
        str(view.id),
        {"shared": False, "default": False, "parameters": ["q", "sort", "source"]},
    )


def test_the_address_on_the_screen_counts_more_than_what_the_form_was_made_with(project: Project) -> None:
    curator = login(project, "curator")
    shown = {"name": "Now", "list": "?q=before"}
    curator.post(f"{URL}/views", shown, headers={"Referer": f"http://testserver{URL}?q=now"})
    curator.post(f"{URL}/views", shown | {"name": "Elsewhere"}, headers={"Referer": f"http://other.test{URL}?q=now"})
    assert [(name, query) for name, query, *_ in kept(project)] == [
        ("Now", {"q": "now"}),
        ("Elsewhere", {"q": "before"}),
    ]


@pytest.mark.parametrize(
    "scope_id", ["a|b\"c'd%20&=+#?", "مريم العلي", "田中さん👩🏽‍💻", "é" * 200], ids=["signs", "rtl", "cjk", "long"]
)
def test_any_id_survives(project: Project, scope_id: str) -> None:
    fact = make_fact(project, "Prefers tea.", user=scope_id)
    curator = login(project, "curator")
    answer = saved(curator, "?" + urlencode({"scope": "user", "scope_id": scope_id}), name=f"Of {scope_id}"[:60])
    assert kept(project)[0][1] == {"scope": "user", "scope_id": scope_id}
    assert numbers(curator.get(answer["Location"])) == [fact.id]


def test_what_is_refused_comes_back_with_its_filter(project: Project) -> None:
    curator = login(project, "curator")
    saved(curator, "?q=tea", name="Tea")
    before = state(project)
    for query, name, said in [
        ("?q=coffee", "tea", "You have a view of this name already."),
        ("?q=coffee", "\u200b", "A name has 1 to 60 characters."),
        ("", "Nothing", "There is no filter to save; choose one first."),
        ("?q=" + "y" * 8000, "Long", "The filter is too long to be saved."),
    ]:
        answer = saved(curator, query, name=name)
        assert answer.status_code == 422
        assert said in text(answer.text)
        assert f'name="list" value="{query}"' in answer.text
    assert saved(curator, "?sort=sideways", name="Odd").status_code == 400
    assert saved(curator, "?q=a", name="x" * 61).status_code == 422
    assert moved(before, state(project)) == set()


def test_a_member_has_fifty_at_most(project: Project) -> None:
    ada = user_actor(project, "viewer")
    for number in range(MOST_VIEWS):
        save_view(actor=ada, project_id=project.id, name=f"View {number}", query={"q": "tea"})
    with pytest.raises(Invalid) as refused:
        save_view(actor=ada, project_id=project.id, name="One more", query={"q": "tea"})
    assert refused.value.code == "too_many_views"
    save_view(actor=user_actor(project, "viewer"), project_id=project.id, name="View 1", query={"q": "tea"})
    assert len(kept(project)) == MOST_VIEWS + 1


def test_the_default_opens_by_itself_and_can_be_left(project: Project) -> None:
    learned = make_fact(project, "Learned.", category="learned")
    manual = make_fact(project, "Manual.", category="manual")
    ada = make_user(project, "curator")
    client = login(project, user=ada)
    saved(client, "?category=manual", name="Manual", default="on")
    saved(client, "?category=learned", name="Learned", default="on")
    assert kept(project) == [
        ("Manual", {"category": ["manual"]}, False, False),
        ("Learned", {"category": ["learned"]}, False, True),
    ]
    answer = client.get(URL)
    with bind(project.id):
        view = SavedView.objects.get(is_default=True)
    assert (answer.status_code, answer["Location"]) == (302, f"{URL}?category=learned&view={view.id}")
    page = client.get(URL, follow=True)
    assert numbers(page) == [learned.id]
    assert "Remove filter view Learned" in text(page.text)
    assert link(page, "Clear all") == f"{URL}?view=none"
    assert numbers(client.get(f"{URL}?view=none")) == [manual.id, learned.id]
    # Whoever comes with a filter is not led away, nor by a link that takes the filter off again.
    page = client.get(f"{URL}?category=manual")
    assert numbers(page) == [manual.id]
    assert link(page, "Clear all") == f"{URL}?view=none"
    assert 'name="view" value="none"' in page.text
    assert fragment(client, URL).status_code == 200
    # Nobody else's list changes.
    assert login(project, "curator").get(URL).status_code == 200


def test_a_shared_view_is_offered_to_all_and_is_its_makers(project: Project) -> None:
    fact = make_fact(project, "Learned.", category="learned")
    make_fact(project, "Allergic to nuts.", category="learned", user="ada", sensitivity="special")
    grace = make_user(project, "curator", name="Grace Hopper")
    maker = login(project, user=grace)
    saved(maker, "?category=learned", name="Learned", shared="on", default="on")
    saved(maker, "?q=mine", name="Mine")
    with bind(project.id):
        view, mine = SavedView.objects.order_by("id")
    viewer = login(project, "viewer")
    assert viewer.get(URL).status_code == 200  # what is first for one is not for another
    page = viewer.get(f"{URL}?view={view.id}&category=learned")
    assert offered(page) == [("Learned Grace Hopper", f"{URL}?category=learned&view={view.id}")]
    assert numbers(page) == [fact.id]
    listed = viewer.get(f"{URL}/views")
    assert "Learned current facts in category learned Grace Hopper" in text(listed.text)
    assert "Mine" not in listed.text and "Delete" not in listed.text
    before = state(project)
    for path in (f"{view.id}", f"{mine.id}", f"{view.id}/delete", f"{mine.id}/delete", "999999"):
        assert viewer.get(f"{URL}/views/{path}").status_code == 404
        assert viewer.post(f"{URL}/views/{path}", {"name": "Theirs"}).status_code == 404
    # A viewer has views, but shares none.
    assert "shared" not in viewer.get(URL).text.split('action="/p/acme/facts/views"')[1].split("</form>")[0]
    with pytest.raises(Refused):
        save_view(actor=user_actor(project, "viewer"), project_id=project.id, name="A", query={"q": "a"}, shared=True)
    assert moved(before, state(project)) <= {"access_user", "access_membership", "audit_auditevent", "audit_audithead"}
    assert saved(viewer, "?q=a", name="Own", shared="on").status_code == 302
    assert kept(project)[-1] == ("Own", {"q": "a"}, False, False)
    # An administrator tidies up what is shared, and that alone.
    admin = login(project, "admin")
    assert admin.post(f"{URL}/views/{mine.id}/delete").status_code == 404
    page = admin.get(f"{URL}/views/{view.id}/delete")
    assert "It is shared: it goes for everybody in this project." in text(page.text)
    assert admin.post(f"{URL}/views/{view.id}/delete")["Location"] == f"{URL}/views"
    assert [name for name, *_ in kept(project)] == ["Mine", "Own"]
    assert maker.get(URL).status_code == 200


def test_a_view_is_renamed_shared_made_first_and_given_another_filter(project: Project) -> None:
    ada = make_user(project, "curator")
    client = login(project, user=ada)
    saved(client, "?q=tea", name="Tea")
    saved(client, "?q=cake", name="Cake", default="on")
    with bind(project.id):
        tea = SavedView.objects.earliest("id")
    page = client.get(f"{URL}/views")
    assert between(page, "<tbody>", "</tbody>").startswith("Cake opens first current facts that say “cake” yours")
    assert (
        client.post(f"{URL}/views/{tea.id}", {"name": "Tea time", "shared": "on", "default": "on"}).status_code == 302
    )
    assert told(client.get(f"{URL}/views")) == "Changed “Tea time”."
    assert kept(project) == [("Tea time", {"q": "tea"}, True, True), ("Cake", {"q": "cake"}, False, False)]
    answer = client.post(f"{URL}/views/{tea.id}", {"name": "cake"})
    assert answer.status_code == 422 and "You have a view of this name already." in text(answer.text)
    answer = client.post(f"{URL}/views/{tea.id}", {"keep": "1", "list": f"?q=green+tea&view={tea.id}&cursor=1.1.x"})
    assert answer["Location"] == f"{URL}?q=green+tea&view={tea.id}"
    assert kept(project)[0] == ("Tea time", {"q": "green tea"}, True, True)
    assert client.post(f"{URL}/views/{tea.id}", {"keep": "1", "list": ""}).status_code == 422
    client.post(f"{URL}/views/{tea.id}/delete")
    assert told(client.get(f"{URL}/views")) == "Deleted “Tea time”."
    assert kept(project) == [("Cake", {"q": "cake"}, False, False)]
    with bind(project.id):
        events = AuditEvent.objects.filter(project_id=project.id, verb__startswith="views.").order_by("seq")
        assert [(event.verb, event.object_id, event.data) for event in events[2:]] == [
            ("views.change", str(tea.id), {"changed": ["is_default", "name", "shared"]}),
            ("views.change", str(tea.id), {"changed": ["query"]}),
            ("views.delete", str(tea.id), {"shared": True, "own": True}),
        ]


def test_what_is_not_there_and_what_is_the_same(project: Project) -> None:
    ada, other = user_actor(project, "curator"), user_actor(project, "curator")
    view = save_view(actor=ada, project_id=project.id, name="Tea", query={"q": "tea"})
    assert not change_view(actor=ada, project_id=project.id, view_id=view.id, name="Tea", shared=False, default=False)
    for who, number in ((other, view.id), (ada, 999)):
        with pytest.raises(NotFound):
            change_view(actor=who, project_id=project.id, view_id=number, name="Other")
        with pytest.raises(NotFound):
            delete_view(actor=who, project_id=project.id, view_id=number)
    with pytest.raises(Conflict):
        save_view(actor=ada, project_id=project.id, name="TEA", query={"q": "tea"})
    with pytest.raises(Refused):
        save_view(actor=user_actor(project, "auditor"), project_id=project.id, name="Tea", query={"q": "tea"})
    assert kept(project) == [("Tea", {"q": "tea"}, False, False)]


def test_the_database_lets_one_be_first(project: Project) -> None:
    ada = user_actor(project, "curator")
    save_view(actor=ada, project_id=project.id, name="One", query={"q": "1"}, default=True)
    two = save_view(actor=ada, project_id=project.id, name="Two", query={"q": "2"})
    with bind(project.id):
        for wrong in ({"is_default": True}, {"name": "One"}, {"name": ""}, {"query": {}}):
            with pytest.raises(IntegrityError), transaction.atomic():
                SavedView.objects.filter(id=two.id).update(**wrong)


def test_a_choice_that_is_gone_is_said_and_opens_nothing(project: Project) -> None:
    ada = make_user(project, "curator")
    client = login(project, user=ada)
    saved(client, "?source=manual", name="Old", default="on")
    with bind(project.id):
        SavedView.objects.update(query={"source": ["telepathy"]})
    assert client.get(URL).status_code == 200
    assert offered(client.get(URL)) == [("Rename, share or delete…", f"{URL}/views")][:0]
    assert "Old names a choice that is gone" in text(client.get(f"{URL}/views").text)
    assert client.get(f"{URL}?view=soon").status_code == 400
