"""Receipts can be checked offline, and looked for again later."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.urls import reverse

from apps.core.clock import now
from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.privacy.actions.check_again import check_again
from apps.privacy.models import Backup, PrivacyRequest, Receipt
from apps.privacy.receipts import public_key
from apps.recall.queries import reader_for, told_facts
from apps.tenancy.models import Agent, Project
from tests.console.stage import login
from tests.factories import make_agent, make_fact, make_key, make_project
from tests.privacy.stage import approved, learned, officer, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(settings: object) -> Project:
    settings.PURGE_WAITS = False  # type: ignore[attr-defined]
    project = make_project()
    make_agent(project, "support")
    return project


def finished(project: Project) -> PrivacyRequest:
    learned(project, "t", "I live in Lisbon.", user="ada.lovelace")
    request = approved(project, "ada.lovelace")
    assert work(project) == ["completed"]
    return request


def test_who_was_told_is_on_the_receipt_by_key_and_agent(project: Project) -> None:
    key, _ = make_key(project, ["facts:read", "facts:read:user"], name="desk")
    learned(project, "t", "I live in Lisbon. I prefer email.", user="ada.lovelace")
    make_fact(project, "Shops open at nine.")
    for _ in range(3):
        assert told_facts(reader_for(key, "support", "ada.lovelace", None), limit=5)
    assert told_facts(reader_for(key, "support", None, None), limit=5)
    request = approved(project, "ada.lovelace")
    assert work(project) == ["completed"]
    with bind(project.id):
        body = Receipt.objects.get(request_id=request.id).body
        number = str(Agent.objects.get(name="support").id)
    (line,) = body["recipients"]
    assert (line["key"], line["agent"], line["facts"], line["times"]) == (key.id, number, 2, 6)
    assert line["first"] <= line["last"] <= body["live_complete_at"]


def test_what_the_planner_keeps_is_looked_at_or_named(project: Project) -> None:
    request = finished(project)
    with bind(project.id):
        body = Receipt.objects.get(request_id=request.id).body
        checks = {check["check"]: check for check in PrivacyRequest.objects.get(id=request.id).verification["checks"]}
    assert checks["planner's statistics"]["hits"] == 0
    assert [line for line in body["not_checked"] if "pg_stats" in line]


def saved(receipt: Receipt, path: Path, **changes: object) -> Path:
    path.write_text(json.dumps({"body": receipt.body | changes, "signature": bytes(receipt.signature).hex()}))
    return path


def test_a_saved_receipt_is_verified_offline_and_a_changed_one_is_not(project: Project, tmp_path: Path) -> None:
    request = finished(project)
    with bind(project.id):
        receipt = Receipt.objects.get(request_id=request.id)
    said = StringIO()
    call_command("verify-receipt", str(saved(receipt, tmp_path / "r.json")), key=public_key(), stdout=said)
    assert said.getvalue() == f"Valid: receipt R-{project.id}-1, completed, signed by {public_key()}\n"
    for wrong in (saved(receipt, tmp_path / "w.json", matched=0), tmp_path / "none.json"):
        with pytest.raises(CommandError):
            call_command("verify-receipt", str(wrong), stdout=StringIO())
    with pytest.raises(CommandError):
        call_command("verify-receipt", str(tmp_path / "r.json"), key="00" * 32, stdout=StringIO())


def test_backups_that_hold_it_are_in_the_preview_and_on_the_receipt(project: Project) -> None:
    taken = now() - timedelta(days=3)
    for place, days, removed in (("first", 9, None), ("last", 30, None), ("removed", 90, now()), ("over", -1, None)):
        Backup.objects.create(
            taken_at=taken, expires_at=now() + timedelta(days=days), place=place, sha256=b"0" * 32, removed_at=removed
        )
    request = finished(project)
    with bind(project.id):
        receipt = Receipt.objects.get(request_id=request.id)
    last = Backup.objects.get(place="last").expires_at.isoformat(timespec="seconds")
    assert [row["expires_at"] for row in receipt.body["backups"]].count(last) == 1
    assert len(receipt.body["backups"]) == 2 and receipt.body["fully_complete_at"] == last
    assert {row["taken_at"] for row in receipt.body["backups"]} == {taken.isoformat(timespec="seconds")}
    shown = request.preview["backups"]
    assert shown == receipt.body["backups"]
    reader = login(project, "privacy_officer")
    page = reader.get(reverse("privacy-request", args=[project.slug, request.id])).content.decode()
    assert "2 hold it, the last until" in page
    paper = reader.get(reverse("privacy-receipt", args=[project.slug, request.id])).content.decode()
    assert "2 hold it, the last until" in paper and "the last of 2 backups of before has expired" in paper


def test_a_receipt_is_never_changed(project: Project) -> None:
    request = finished(project)
    with bind(project.id):
        for change in (
            lambda: Receipt.objects.filter(request_id=request.id).update(body={}),
            lambda: Receipt.objects.filter(request_id=request.id)._raw_delete("default"),
        ):
            with pytest.raises(IntegrityError), transaction.atomic():
                change()


def test_a_later_look_finds_nothing_or_says_what_it_found(project: Project) -> None:
    request, who = finished(project), officer(project)
    with pytest.raises(Invalid):
        check_again(actor=who, project_id=project.id, request_id=request.id, typed_id="grace.hopper")
    clear = check_again(actor=who, project_id=project.id, request_id=request.id, typed_id="ada.lovelace")
    assert (clear.body["state"], clear.body["verification"]["hits"]) == ("clear", 0)
    make_fact(project, "Ask ada.lovelace about the budget.")
    found = check_again(actor=who, project_id=project.id, request_id=request.id, typed_id="ada.lovelace")
    assert found.body["state"] == "found" and found.body["verification"]["hits"] >= 1
    assert "lovelace" not in str(found.body)


def test_what_is_not_finished_is_not_checked_again(project: Project) -> None:
    request = approved(project, "ada.lovelace")
    with pytest.raises(Conflict):
        check_again(actor=officer(project), project_id=project.id, request_id=request.id, typed_id="ada.lovelace")
