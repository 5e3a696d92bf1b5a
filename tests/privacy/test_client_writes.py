"""What clients wrote about somebody: handed over, erased, and gone after its time."""

import io
import json
import zipfile
from datetime import timedelta
from typing import Any

import pytest

from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.put_memory import put_memory
from apps.curation.models import Proposal, WaitingWrite
from apps.facts.models import Fact, OperationalValue, WrittenOnce
from apps.privacy.actions.change_retention import change_retention
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.purge_old import purge_old
from apps.privacy.mentions import Identifier
from apps.privacy.package import build
from apps.tenancy.models import Project, Subject
from tests.factories import make_key, make_project, user_actor
from tests.privacy.stage import approved, work

pytestmark = pytest.mark.django_db
NAME = "Theodora Quillworth"
LONG = "word " * 1_000 + NAME


@pytest.fixture
def project(settings: Any) -> Project:
    settings.PURGE_WAITS = False  # the owner's process, which rewrites tables, does not run here
    return make_project("acme")


def put(project: Project, key: str, value: Any, *, scope: str = "user:theodora", mode: str = "propose") -> None:
    writer = make_key(project, ["facts:write", "agent:write"], write_mode=mode)[0].actor
    put_memory(
        actor=writer, project_id=project.id, agent="support", scope=scope, key=key, value=value, idempotency_key="once"
    )


def test_everything_a_client_wrote_about_a_person_goes(project: Project) -> None:
    put(project, "home", "A boat on the Tagus", mode="direct")
    put(project, "_plan", {"for": NAME}, mode="direct")
    put(project, "waits", ["about her"])
    put(project, "said", LONG, scope="pr:1")
    put(project, "said", LONG, scope="pr:2", mode="direct")
    put(project, "other", "of somebody else", scope="user:bystander")
    request = approved(project, "theodora", identities=(Identifier("name", NAME),))
    assert work(project) == ["completed"], request.error_code
    with bind(project.id):
        assert [write.key for write in WaitingWrite.objects.all()] == ["other"]
        assert (Fact.objects.count(), OperationalValue.objects.count()) == (0, 0)
        assert [subject.external_id for subject in Subject.objects.all()] == ["bystander"]


def test_a_person_is_handed_the_whole_of_a_value_that_waits(project: Project) -> None:
    put(project, "note", LONG)
    request = open_request(
        actor=user_actor(project, "privacy_officer"),
        project_id=project.id,
        kind="access",
        external_id="theodora",
        identities=[Identifier("name", NAME)],
    )
    with bind(project.id):
        packed, _, _ = build(request)
    rows = zipfile.ZipFile(io.BytesIO(packed)).read("proposals.jsonl").decode().splitlines()
    assert [(json.loads(row)["key"], json.loads(row)["value"]) for row in rows] == [("note", LONG)]


def test_what_was_taken_back_and_what_was_sent_once_goes_in_time(project: Project) -> None:
    writer = make_key(project, ["facts:write", "agent:write"])[0].actor
    for value in ("one", "two"):
        put_memory(
            actor=writer,
            project_id=project.id,
            agent="support",
            scope="pr:1",
            key="k",
            value=value,
            idempotency_key=value,
        )
    old = now() - timedelta(days=10)
    with bind(project.id):
        Proposal.objects.update(created_at=old)
        Proposal.objects.filter(state="expired").update(decided_at=old)
        WrittenOnce.objects.filter(id=WrittenOnce.objects.earliest("id").pk).update(at=old)
    change_retention(actor=user_actor(project, "admin"), project_id=project.id, store="rejected", keep_days=7)
    assert purge_old() == {project.id: {"rejected.delete": 1}}
    with bind(project.id):
        assert [write.value for write in WaitingWrite.objects.all()] == ["two"]
        assert WrittenOnce.objects.count() == 1
