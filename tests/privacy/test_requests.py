"""What is asked, by whom it may be done, and what the database itself forbids."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from apps.access.policies import Refused
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, Malformed, NotAllowed
from apps.core.transactions import bind
from apps.privacy.actions.approve_request import approve_request, submit_request
from apps.privacy.actions.cancel_request import cancel_request
from apps.privacy.actions.check_identity import ask_identity, check_identity
from apps.privacy.actions.extend_request import extend_request
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.preview_request import preview_request
from apps.privacy.actions.reject_request import reject_request
from apps.privacy.calendar import months_after
from apps.privacy.migrations import __name__ as _migrations
from apps.privacy.models import PrivacyRequest, RequestIdentity
from apps.privacy.states import PAIRS
from apps.tenancy.models import Project
from tests.factories import make_agent, make_key, make_project, user_actor
from tests.privacy.stage import approved, fresh, learned, officer, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_agent(project, "support")
    return project


@pytest.mark.parametrize("user", ["", "  ", "*", "x" * 256, "​"])
def test_nobody_in_particular_is_refused_and_nothing_is_opened(project: Project, user: str) -> None:
    with pytest.raises(Malformed) as refusal:
        open_request(actor=officer(project), project_id=project.id, kind="erasure", external_id=user)
    assert (refusal.value.code, refusal.value.status) == ("subject_required", 400)
    with bind(project.id):
        assert PrivacyRequest.objects.count() == 0


@pytest.mark.parametrize(
    ("received", "due"),
    [
        (datetime(2026, 1, 31, 12, tzinfo=UTC), datetime(2026, 2, 28, 12, tzinfo=UTC)),
        (datetime(2024, 1, 30, 12, tzinfo=UTC), datetime(2024, 2, 29, 12, tzinfo=UTC)),
        (datetime(2026, 11, 15, 12, tzinfo=UTC), datetime(2026, 12, 15, 12, tzinfo=UTC)),
        (datetime(2025, 12, 31, 12, tzinfo=UTC), datetime(2026, 1, 31, 12, tzinfo=UTC)),
    ],
)
def test_due_by_the_calendar(received: datetime, due: datetime) -> None:
    assert months_after(received, 1) == due


def test_a_second_request_is_the_firsts_duplicate(project: Project) -> None:
    who = officer(project)
    first = open_request(actor=who, project_id=project.id, kind="erasure", external_id="ada")
    second = open_request(actor=who, project_id=project.id, kind="erasure", external_id="ada")
    other = open_request(actor=who, project_id=project.id, kind="access", external_id="ada")
    assert (first.number, second.number, other.number) == (1, 2, 3)
    assert (second.state, second.duplicate_of_id, other.state) == ("duplicate", first.id, "received")


def test_the_clock_stands_while_the_proof_is_out(project: Project) -> None:
    who = officer(project)
    request = open_request(actor=who, project_id=project.id, kind="erasure", external_id="ada")
    due = request.due_at
    ask_identity(actor=who, project_id=project.id, request_id=request.id)
    with bind(project.id):
        PrivacyRequest.objects.filter(id=request.id).update(paused_at=now() - timedelta(days=3))
    checked = check_identity(actor=who, project_id=project.id, request_id=request.id, method="callback")
    assert checked.state == "triage" and checked.paused_at is None
    assert timedelta(days=3) <= checked.due_at - due < timedelta(days=3, minutes=1)


def test_nothing_is_previewed_before_the_identity_is_checked(project: Project) -> None:
    who = officer(project)
    request = open_request(actor=who, project_id=project.id, kind="erasure", external_id="ada")
    with pytest.raises(Conflict) as refusal:
        preview_request(actor=who, project_id=project.id, request_id=request.id)
    assert refusal.value.code == "identity_unchecked"
    assert fresh(request).state == "received"


def test_a_key_opens_and_can_do_no_more(project: Project) -> None:
    from apps.access.queries import actor_for_key

    key, _ = make_key(project, ["privacy:open"])
    actor = actor_for_key(key)
    request = open_request(actor=actor, project_id=project.id, kind="erasure", external_id="ada")
    assert request.opened_by == f"key:{key.id}"
    with pytest.raises(Invalid):
        open_request(actor=actor, project_id=project.id, kind="access", external_id="ada", identity_method="document")
    for verb in (
        lambda: check_identity(actor=actor, project_id=project.id, request_id=request.id, method="document"),
        lambda: preview_request(actor=actor, project_id=project.id, request_id=request.id),
        lambda: approve_request(actor=actor, project_id=project.id, request_id=request.id, digest="", typed_id="ada"),
    ):
        with pytest.raises(Refused):
            verb()
    assert fresh(request).state == "received"


def prepared(project: Project) -> tuple[PrivacyRequest, str]:
    who = officer(project)
    request = open_request(
        actor=who, project_id=project.id, kind="erasure", external_id="ada", identity_method="known_to_us"
    )
    _, reach = preview_request(actor=who, project_id=project.id, request_id=request.id)
    digest = reach.digest().hex()
    submit_request(actor=who, project_id=project.id, request_id=request.id, digest=digest, typed_id="ada")
    return request, digest


def test_who_opened_it_cannot_approve_it(project: Project) -> None:
    who = officer(project)
    request = open_request(
        actor=who, project_id=project.id, kind="erasure", external_id="ada", identity_method="known_to_us"
    )
    _, reach = preview_request(actor=who, project_id=project.id, request_id=request.id)
    digest = reach.digest().hex()
    submit_request(actor=who, project_id=project.id, request_id=request.id, digest=digest, typed_id="ada")
    with pytest.raises(NotAllowed) as refusal:
        approve_request(actor=who, project_id=project.id, request_id=request.id, digest=digest, typed_id="ada")
    assert refusal.value.code == "second_person"
    assert fresh(request).state == "awaiting_approval"
    # The database says so too.
    with bind(project.id), pytest.raises(IntegrityError), transaction.atomic():
        PrivacyRequest.objects.filter(id=request.id).update(approved_by=who.name)


def test_a_role_of_today_approves_nothing(project: Project) -> None:
    request, digest = prepared(project)
    new = user_actor(project, "privacy_officer")
    with pytest.raises(NotAllowed) as refusal:
        approve_request(actor=new, project_id=project.id, request_id=request.id, digest=digest, typed_id="ada")
    assert refusal.value.code == "role_too_new"


def test_another_digest_or_id_approves_nothing(project: Project) -> None:
    request, digest = prepared(project)
    who = officer(project)
    with pytest.raises(Conflict) as refusal:
        approve_request(actor=who, project_id=project.id, request_id=request.id, digest="00" * 32, typed_id="ada")
    assert refusal.value.code == "preview_outdated"
    with pytest.raises(Invalid):
        approve_request(actor=who, project_id=project.id, request_id=request.id, digest=digest, typed_id="Ada")
    assert fresh(request).state == "awaiting_approval"


def test_a_set_that_changed_needs_approval_again(project: Project) -> None:
    learned(project, "t", "I live in Lisbon.", user="ada")
    request = approved(project, "ada")
    learned(project, "t2", "I prefer email.", user="ada")
    assert work(project) == ["previewed"]
    again = fresh(request)
    assert (again.state, again.error_code, again.approved_by) == ("previewed", "set_changed", "")
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM facts_fact WHERE restricted_at IS NOT NULL")
        assert cursor.fetchone() == (0,)


def test_no_and_never_mind_empty_what_was_asked(project: Project) -> None:
    who = officer(project)
    first = open_request(
        actor=who, project_id=project.id, kind="erasure", external_id="ada", wish="Please forget that I am Ada."
    )
    second = open_request(actor=who, project_id=project.id, kind="access", external_id="ada", wish="Tell me, Ada.")
    reject_request(actor=who, project_id=project.id, request_id=first.id, reason="not_verified")
    cancel_request(actor=who, project_id=project.id, request_id=second.id)
    assert [(r.state, r.wish, r.rejected_for) for r in (fresh(first), fresh(second))] == [
        ("rejected", "", "not_verified"),
        ("cancelled", "", ""),
    ]
    with bind(project.id):
        assert RequestIdentity.objects.count() == 0


def test_an_extension_is_told_within_the_month_and_once(project: Project) -> None:
    who = officer(project)
    request = open_request(actor=who, project_id=project.id, kind="access", external_id="ada")
    extended = extend_request(actor=who, project_id=project.id, request_id=request.id, reason="many conversations")
    assert extended.extended_until == months_after(request.due_at, 2)
    with pytest.raises(Conflict) as refusal:
        extend_request(actor=who, project_id=project.id, request_id=request.id, reason="more")
    assert refusal.value.code == "extended_already"
    old = open_request(
        actor=who,
        project_id=project.id,
        kind="portability",
        external_id="ada",
        received_at=now() - timedelta(days=40),
    )
    with pytest.raises(Conflict) as late:
        extend_request(actor=who, project_id=project.id, request_id=old.id, reason="more")
    assert late.value.code == "too_late"


def test_the_database_knows_the_legal_pairs_and_no_others(project: Project) -> None:
    from importlib import import_module

    assert import_module("apps.privacy.migrations.0002_rules").PAIRS == PAIRS
    assert _migrations == "apps.privacy.migrations"
    request = open_request(actor=officer(project), project_id=project.id, kind="access", external_id="ada")
    with bind(project.id):
        for column in ({"state": "completed"}, {"number": 7}, {"kind": "erasure"}):
            with pytest.raises(IntegrityError), transaction.atomic():
                PrivacyRequest.objects.filter(id=request.id).update(**column)
