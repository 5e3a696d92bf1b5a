"""What an agent's working memory held, as its client sent it."""

import pytest

from apps.access.actor import Actor, system_actor
from apps.access.policies import Refused
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.tenancy.models import Project, Subject
from apps.traces.actions.add_session_messages import Kept, NewMessage, add_session_messages
from apps.traces.models import Session, SessionMessage
from tests.factories import make_project, make_subject, user_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


def add(project: Project, *messages: NewMessage, actor: Actor | None = None, **options: str) -> Kept:
    return add_session_messages(
        actor=actor or system_actor("demo", project.id),
        project_id=project.id,
        session=options.pop("session", "chat-1"),
        messages=messages,
        **options,
    )


def said(name: str, content: str, role: str = "user", **fields: object) -> NewMessage:
    return NewMessage(external_id=name, role=role, content=content, **fields)  # type: ignore[arg-type]


def stored(project: Project) -> list[tuple[str, str, str]]:
    with bind(project.id):
        return list(SessionMessage.objects.order_by("id").values_list("external_id", "role", "content"))


def test_a_repeat_changes_nothing_and_a_summary_names_what_it_stands_for(project: Project) -> None:
    first = said("m1", "I moved to Braga 🏡"), said("m2", '{"calls": []}', "tool_call")
    assert add(project, *first, user_id="user_1").new == 2
    summary = said("m3", "The user moved.", "summary", stands_for=("m1", "m2", "nowhere"))
    assert add(project, said("m1", "Something else"), summary, user_id="user_1").new == 1
    assert stored(project) == [
        ("m1", "user", "I moved to Braga 🏡"),
        ("m2", "tool_call", '{"calls": []}'),
        ("m3", "summary", "The user moved."),
    ]
    with bind(project.id):
        one, two, three = SessionMessage.objects.order_by("id")
        assert three.stands_for == [one.id, two.id]
        assert Session.objects.get().subject == Subject.objects.get() == one.subject
        assert (one.tokens, SessionMessage(content="").tokens) == (4, 1)


def test_secrets_are_masked_before_anything_is_stored(project: Project) -> None:
    kept = add(project, said("m1", "my password is correct horse battery"))
    assert kept.masked == 1
    assert "horse battery" not in str(stored(project))


def test_nothing_of_somebody_who_is_being_erased(project: Project) -> None:
    subject = make_subject(project)
    with bind(project.id):
        Subject.objects.filter(id=subject.id).update(suppressed_at="2026-01-01T00:00Z")
    with pytest.raises(Conflict) as refused:
        add(project, said("m1", "hello"), user_id="user_1")
    assert refused.value.code == "suppressed"
    assert stored(project) == []


def test_each_bad_field_is_named(project: Project) -> None:
    wrong = said(" ", "x", "system"), said("m2", "x", stands_for=("m1",)), said("m3", "x" * 200_001)
    with pytest.raises(Invalid) as refused:
        add(project, *wrong, session=" ")
    assert [error.pointer for error in refused.value.errors] == [
        "/session",
        "/messages/0/role",
        "/messages/0/id",
        "/messages/1/stands_for",
        "/messages/2/content",
    ]
    with pytest.raises(Refused):
        add(project, said("m1", "hello"), actor=user_actor(project, "curator"))
    assert stored(project) == []
