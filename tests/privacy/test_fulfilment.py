"""To be told, corrected, left alone, and to take one's facts along; and holds."""

import hashlib
import io
import json
import zipfile
from datetime import timedelta

import pytest

from apps.access.actor import system_actor
from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.facts.models import Fact, FactDerivation
from apps.privacy.actions.expire_packages import expire_packages
from apps.privacy.actions.fulfil_request import fulfil_request
from apps.privacy.actions.make_link import make_link
from apps.privacy.actions.open_package import open_package
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.place_hold import place_hold
from apps.privacy.actions.release_hold import release_hold
from apps.privacy.actions.tell_names import tell_names
from apps.privacy.held_names import names_held
from apps.privacy.models import AccessPackage, PrivacyRequest
from apps.privacy.redaction import OTHER, UNSURE
from apps.tenancy.models import Project, Subject, SubjectAlias
from apps.traces.actions.add_session_messages import NewMessage, add_session_messages
from tests.dreaming.stage import changes, dream, said
from tests.exchange.stage import as_file, line, uploaded
from tests.factories import make_agent, make_fact, make_project, make_subject, user_actor
from tests.privacy.stage import approved, fresh, learned, officer, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(settings: object) -> Project:
    settings.PURGE_WAITS = False  # type: ignore[attr-defined]
    project = make_project()
    make_agent(project, "support")
    return project


def asked(project: Project, kind: str, user: str = "ada", **more: object) -> PrivacyRequest:
    who = officer(project)
    request = open_request(
        actor=who,
        project_id=project.id,
        kind=kind,
        external_id=user,
        identity_method="document",
        **more,  # type: ignore[arg-type]
    )
    return fulfil_request(actor=who, project_id=project.id, request_id=request.id)


def unpacked(project: Project, request: PrivacyRequest) -> dict[str, str]:
    token = make_link(actor=officer(project), project_id=project.id, request_id=request.id)
    with zipfile.ZipFile(io.BytesIO(open_package(token=token))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_an_access_package_holds_what_is_remembered_and_nobody_elses(project: Project) -> None:
    others = ["bo", "grace.hopper", "linus@example.org", "Mary Shelley"]
    for other in others[:3]:
        make_subject(project, other)
    subject = make_subject(project, "ada")
    with bind(project.id):
        third = make_subject(project, "u-3")
        SubjectAlias.objects.create(project_id=project.id, subject=third, external_id="marys")
    learned(project, "t", "I live in Lisbon.", user="ada")
    for number in range(50):
        other = ["bo", "grace.hopper", "linus@example.org", "marys"][number % 4]
        make_fact(project, f"Shares desk {number} with {other}.", scope="user", scope_id="ada")
    make_fact(project, "Reach the sister at someone.else@example.net.", scope="user", scope_id="ada")
    request = asked(project, "access")
    assert work(project) == ["completed"]
    files = unpacked(project, request)
    assert sorted(files) == [
        "conversations.jsonl", "dreams.jsonl", "facts.jsonl", "facts.schema.json", "imports.jsonl", "index.html",
        "manifest.json", "person.jsonl", "proposals.jsonl", "requests.jsonl", "sessions.jsonl", "told.jsonl",
    ]  # fmt: skip
    everything = "\n".join(files.values())
    for name in ("grace.hopper", "linus@example.org", "marys", "someone.else@example.net", "with bo"):
        assert name not in everything
    facts = [json.loads(line) for line in files["facts.jsonl"].splitlines()]
    assert len(facts) == 52
    assert facts[1]["content"] == "Shares desk 0 with [another person]."
    assert fresh(request).progress["packed"]["held_back"] >= 1
    assert "I live in Lisbon." in files["conversations.jsonl"]
    assert json.loads(files["manifest.json"])["counts"]["facts"] == 52
    assert subject.external_id == "ada"


def test_what_sessions_held_and_dreams_would_change_is_in_it_without_others(project: Project) -> None:
    make_subject(project, "grace.hopper")
    messages = [
        NewMessage(external_id="m1", role="user", content="I share a desk with grace.hopper."),
        NewMessage(external_id="m2", role="reasoning", content="She means her brother Tomasz."),
        NewMessage(external_id="m3", role="summary", content="Desk shared.", stands_for=("m1", "m2")),
    ]
    key = system_actor("dreaming", project.id)
    add_session_messages(actor=key, project_id=project.id, session="chat-9", messages=messages, user_id="ada")
    other = [NewMessage(external_id="m1", role="user", content="Grace alone said this.")]
    add_session_messages(actor=key, project_id=project.id, session="chat-8", messages=other, user_id="grace.hopper")
    facts = [said(project, f"Ships with grace.hopper on Tuesdays{end}", user="ada") for end in ("", ".")]
    run = dream(project, "user", "ada")
    assert changes(run)
    files_of = [line("Sits beside grace.hopper.", "user", "ada"), line("Grace alone has this.", "user", "grace.hopper")]
    uploaded(project, as_file(*files_of))
    request = asked(project, "access")
    assert work(project) == ["completed"]
    files = unpacked(project, request)
    everything = "\n".join(files.values())
    for name in ("grace.hopper", "Tomasz", "Grace alone"):
        assert name not in everything
    (session,) = (json.loads(line) for line in files["sessions.jsonl"].splitlines())
    assert session["session"] == "chat-9"
    assert [(turn["role"], turn["text"], turn.get("stands_for")) for turn in session["messages"]] == [
        ("user", f"I share a desk with {OTHER}.", None),
        ("reasoning", f"She means her brother {UNSURE.format(1)}.", None),
        ("summary", "Desk shared.", ["m1", "m2"]),
    ]
    (made,) = (json.loads(line) for line in files["dreams.jsonl"].splitlines())
    assert (made["run"], made["state"]) == (run.id, "proposed")
    (change,) = made["changes"]
    assert (change["what"], sorted(change["facts"]), change["state"]) == (
        "merge",
        sorted(fact.id for fact in facts),
        "pending",
    )
    (brought,) = (json.loads(one) for one in files["imports.jsonl"].splitlines())
    assert (brought["line"], brought["said"]["content"]) == (1, f"Sits beside {OTHER}.")
    assert "What machines proposed to tidy up (1)" in files["index.html"]
    counts = json.loads(files["manifest.json"])["counts"]
    assert (counts["sessions"], counts["dreams"]) == (1, 1)


def test_a_person_decides_which_names_that_look_like_others_are_told(project: Project) -> None:
    said(project, 'Her brother Tomasz <T&T> likes "tea".', user="ada")
    said(project, "Ask Hana Novák about the keys.", user="ada")
    request, who = asked(project, "access"), officer(project)
    assert work(project) == ["completed"]
    with bind(project.id):
        package = AccessPackage.objects.get()
        before = bytes(package.sha256)
        assert b"Tomasz" not in bytes(package.content or b"") + bytes(package.held or b"")
        names = names_held(package)
    assert [(one.number, one.said, one.told) for one in names] == [(1, "Tomasz", False), (2, "Hana Novák", False)]
    assert names[0].around == 'Her brother Tomasz <T&T> likes "tea".'
    link = make_link(actor=who, project_id=project.id, request_id=request.id)
    for wrong in ([], [3], [1, 3]):
        with pytest.raises(Invalid):
            tell_names(actor=who, project_id=project.id, request_id=request.id, numbers=wrong)
    with pytest.raises(Refused):
        tell_names(actor=user_actor(project, "curator"), project_id=project.id, request_id=request.id, numbers=[1])
    with bind(project.id):
        assert bytes(AccessPackage.objects.get().sha256) == before
    assert tell_names(actor=who, project_id=project.id, request_id=request.id, numbers=[1]) == 1
    assert tell_names(actor=who, project_id=project.id, request_id=request.id, numbers=[1]) == 0
    with bind(project.id):
        assert [one.told for one in names_held(AccessPackage.objects.get())] == [True, False]
        assert list(AuditEvent.objects.filter(verb="privacy.tell_names").values_list("data", flat=True)) == [
            {"told": 1, "of": 2},
            {"told": 0, "of": 2},
        ]
    with pytest.raises(NotFound):
        open_package(token=link)
    files = unpacked(project, request)
    facts = [json.loads(line)["content"] for line in files["facts.jsonl"].splitlines()]
    assert facts == ['Her brother Tomasz <T&T> likes "tea".', f"Ask {UNSURE.format(2)} about the keys."]
    assert "Her brother Tomasz &lt;T&amp;T&gt; likes" in files["index.html"]
    assert "Hana" not in "\n".join(files.values())
    digests = json.loads(files["manifest.json"])["files"]
    assert set(digests) == set(files) - {"manifest.json"}
    for name, digest in digests.items():
        assert hashlib.sha256(files[name].encode()).hexdigest() == digest
    with bind(project.id):
        package = AccessPackage.objects.get()
        assert (package.content, package.held) == (None, None)
    with pytest.raises(Conflict):
        tell_names(actor=who, project_id=project.id, request_id=request.id, numbers=[2])


def test_a_link_is_good_once_and_the_package_is_gone_then(project: Project) -> None:
    learned(project, "t", "I live in Lisbon.", user="ada")
    request = asked(project, "portability")
    assert work(project) == ["completed"]
    who = officer(project)
    dead = make_link(actor=who, project_id=project.id, request_id=request.id)
    token = make_link(actor=who, project_id=project.id, request_id=request.id)
    for wrong in (dead, "", "x" * 43):
        with pytest.raises(NotFound):
            open_package(token=wrong)
    assert open_package(token=token)[:2] == b"PK"
    with pytest.raises(NotFound):
        open_package(token=token)
    with bind(project.id):
        package = AccessPackage.objects.get()
    assert (package.content, package.opened_at is not None) == (None, True)
    with pytest.raises(Conflict) as refusal:
        make_link(actor=who, project_id=project.id, request_id=request.id)
    assert refusal.value.code == "no_package"


def test_a_package_that_nobody_fetched_is_gone_after_a_week(project: Project) -> None:
    learned(project, "t", "I live in Lisbon.", user="ada")
    said(project, "Ask Hana Novák about the keys.", user="ada")
    request = asked(project, "access")
    assert work(project) == ["completed"]
    token = make_link(actor=officer(project), project_id=project.id, request_id=request.id)
    with bind(project.id):
        AccessPackage.objects.update(made_at=now() - timedelta(days=6))
    assert expire_packages() == 0
    with bind(project.id):
        AccessPackage.objects.update(made_at=now() - timedelta(days=7, minutes=1))
        assert AccessPackage.objects.get().held is not None
    assert (expire_packages(), expire_packages()) == (1, 0)
    with pytest.raises(NotFound):
        open_package(token=token)
    with bind(project.id):
        package = AccessPackage.objects.get()
        assert (package.content, package.held) == (None, None)


def test_what_was_packed_goes_with_the_person(project: Project) -> None:
    learned(project, "t", "I live in Lisbon.", user="ada")
    said(project, "Ask Hana Novák about the keys.", user="ada")
    asked(project, "access")
    assert work(project) == ["completed"]
    request = approved(project, "ada")
    assert fresh(request).preview["stores"]["packages"] == 1
    assert work(project) == ["completed"]
    with bind(project.id):
        package = AccessPackage.objects.get()
        assert (package.content, package.held) == (None, None)


def test_a_correction_holds_the_old_words_and_looks_at_what_came_of_them(project: Project) -> None:
    old = make_fact(project, "Lives in Lisbon.", scope="user", scope_id="ada")
    alone = make_fact(project, "Is in the time zone of Lisbon.", scope="user", scope_id="ada")
    other = make_fact(project, "Travels by train.", scope="user", scope_id="ada")
    both = make_fact(project, "Takes the train from Lisbon.", scope="user", scope_id="ada")
    with bind(project.id):
        for child, parent in ((alone, old), (both, old), (both, other)):
            FactDerivation.objects.create(project_id=project.id, child=child, parent=parent)
    request = asked(project, "correction", fact_id=old.id, correction="Lives in Porto.")
    assert work(project) == ["completed"]
    done = fresh(request).progress
    assert (done["retired"], done["held"], done["recipients"]) == ([alone.id], [both.id], [])
    with bind(project.id):
        told = Fact.objects.active().filter(subject__external_id="ada")
        assert sorted(told.values_list("content", flat=True)) == ["Lives in Porto.", "Travels by train."]
        was = Fact.objects.get(id=old.id)
        assert (was.superseded_by_id, was.restricted_reason) == (done["corrected"]["new"], "correction")
    assert fresh(request).correction == ""


def test_a_restriction_tells_and_learns_nothing_until_it_is_lifted(project: Project) -> None:
    learned(project, "t", "I live in Lisbon.", user="ada")
    asked(project, "restriction")
    assert work(project) == ["completed"]
    with bind(project.id):
        assert Subject.objects.get(external_id="ada").suppressed_at is not None
        assert Fact.objects.active().count() == 0
    from apps.privacy.models import Hold

    with bind(project.id):
        hold = Hold.objects.get()
    assert release_hold(actor=officer(project), project_id=project.id, hold_id=hold.id) == []
    with bind(project.id):
        assert Fact.objects.active().count() == 1
        assert Subject.objects.get(external_id="ada").suppressed_at is None


def test_a_hold_keeps_one_fact_and_its_release_takes_the_request_up_again(project: Project) -> None:
    (kept,) = learned(project, "t", "I live in Lisbon.", user="ada")
    learned(project, "t2", "I prefer email.", user="ada")
    hold = place_hold(
        actor=officer(project),
        project_id=project.id,
        object_type="fact",
        object_id=str(kept),
        ground="a lawsuit",
        review_on=(now() + timedelta(days=30)).date(),
    )
    request = approved(project, "ada")
    assert work(project) == ["completed_with_exceptions"]
    with bind(project.id):
        assert list(Fact.objects.values_list("id", "restricted_reason")) == [(kept, "hold")]
    assert release_hold(actor=officer(project), project_id=project.id, hold_id=hold.id) == [request.id]
    assert fresh(request).state == "triage"
