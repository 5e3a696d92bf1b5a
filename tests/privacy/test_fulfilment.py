"""To be told, corrected, left alone, and to take one's facts along; and holds."""

import io
import json
import zipfile
from datetime import timedelta

import pytest

from apps.core.clock import now
from apps.core.errors import Conflict, NotFound
from apps.core.transactions import bind
from apps.facts.models import Fact, FactDerivation
from apps.privacy.actions.expire_packages import expire_packages
from apps.privacy.actions.fulfil_request import fulfil_request
from apps.privacy.actions.make_link import make_link
from apps.privacy.actions.open_package import open_package
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.place_hold import place_hold
from apps.privacy.actions.release_hold import release_hold
from apps.privacy.models import AccessPackage, PrivacyRequest
from apps.tenancy.models import Project, Subject, SubjectAlias
from tests.factories import make_agent, make_fact, make_project, make_subject
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
        "conversations.jsonl", "facts.jsonl", "facts.schema.json", "index.html", "manifest.json", "person.jsonl",
        "proposals.jsonl", "requests.jsonl", "told.jsonl",
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
    request = asked(project, "access")
    assert work(project) == ["completed"]
    token = make_link(actor=officer(project), project_id=project.id, request_id=request.id)
    with bind(project.id):
        AccessPackage.objects.update(made_at=now() - timedelta(days=6))
    assert expire_packages() == 0
    with bind(project.id):
        AccessPackage.objects.update(made_at=now() - timedelta(days=7, minutes=1))
    assert (expire_packages(), expire_packages()) == (1, 0)
    with pytest.raises(NotFound):
        open_package(token=token)
    with bind(project.id):
        assert AccessPackage.objects.get().content is None


def test_what_was_packed_goes_with_the_person(project: Project) -> None:
    learned(project, "t", "I live in Lisbon.", user="ada")
    asked(project, "access")
    assert work(project) == ["completed"]
    request = approved(project, "ada")
    assert fresh(request).preview["stores"]["packages"] == 1
    assert work(project) == ["completed"]
    with bind(project.id):
        assert AccessPackage.objects.get().content is None


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
