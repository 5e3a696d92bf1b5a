"""Receipts can be checked offline, and looked for again later."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from apps.core.errors import Conflict, Invalid
from apps.core.transactions import bind
from apps.privacy.actions.check_again import check_again
from apps.privacy.models import PrivacyRequest, Receipt
from apps.privacy.receipts import public_key
from apps.tenancy.models import Project
from tests.factories import make_agent, make_fact, make_project
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
