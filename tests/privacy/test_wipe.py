"""A whole project is emptied on the word of two people and never otherwise; no other project changes by a row."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection
from django.test import Client

from apps.access.actor import Actor
from apps.access.models import ApiKey
from apps.access.policies import Refused, allowed
from apps.access.queries import actor_for_user
from apps.audit.queries import verify_chain
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotAllowed
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.extraction.actions.roll_up_days import roll_up_days
from apps.facts.models import Fact
from apps.insight.queries import due
from apps.privacy import wiping
from apps.privacy.actions import carry_out as at_work
from apps.privacy.actions.approve_request import approve_request
from apps.privacy.actions.approve_wipe import approve_wipe
from apps.privacy.actions.cancel_request import cancel_request
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.place_hold import place_hold
from apps.privacy.actions.release_hold import release_hold
from apps.privacy.actions.reopen_project import reopen_project
from apps.privacy.actions.replay_erasures import replay_erasures
from apps.privacy.actions.request_wipe import cancel_wipe, request_wipe
from apps.privacy.erasure_log import Entry
from apps.privacy.models import Hold, PrivacyRequest, Receipt
from apps.privacy.receipts import public_key, verify_receipt
from apps.privacy.states import FINISHED
from apps.privacy.stores import STORES
from apps.privacy.wiping import STAYS, WIPED
from apps.tenancy.models import Agent, Project, Subject, Tombstone
from apps.traces.models import Trace
from tests.extraction.test_extract_trace import push
from tests.factories import make_agent, make_fact, make_key, make_project, make_user, user_actor
from tests.filled import fill
from tests.privacy.stage import fresh, learned, officer, work
from tests.servers import ROOT
from tests.spans import run_of

NAME = "Acme"


@pytest.fixture
def at_once(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PURGE_WAITS = False
    monkeypatch.setattr(at_work, "CLOSING_SECONDS", 0)


@pytest.fixture
def project(db: None, at_once: None) -> Project:
    project = make_project("acme", NAME)
    make_agent(project, "support")
    return project


def asked(project: Project, actor: Actor | None = None) -> PrivacyRequest:
    return request_wipe(actor=actor or officer(project), project_id=project.id, typed_name=project.name)


def agreed(project: Project) -> PrivacyRequest:
    request = asked(project)
    return approve_wipe(actor=officer(project), project_id=project.id, request_id=request.id, typed_name=project.name)


def wiped(project: Project) -> PrivacyRequest:
    request = agreed(project)
    assert work(project) == ["closed"] and work(project) == ["completed"]
    return fresh(request)


def digest(project: Project, *, without: tuple[str, ...] = ()) -> dict[str, tuple[int, str]]:
    """Rows and a digest of them, table by table."""
    found = {}
    with bind(project.id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT c.table_name FROM information_schema.columns c JOIN pg_class t ON t.relname = c.table_name"
            " AND t.relnamespace = 'public'::regnamespace WHERE c.table_schema = 'public' AND c.column_name = 'project_id'"
            " AND NOT t.relispartition AND t.relkind IN ('r', 'p')"
        )
        for (table,) in sorted(cursor.fetchall()):
            if table not in without:
                cursor.execute(
                    f"SELECT count(*), coalesce(md5(string_agg(r, E'\\n' ORDER BY r)), '') FROM"
                    f" (SELECT to_jsonb(t)::text AS r FROM {table} t WHERE project_id = %s) x",
                    [project.id],
                )
                found[table] = cursor.fetchone()
    return found


def test_every_table_of_a_project_goes_or_stays_for_a_reason() -> None:
    ours = {
        model._meta.db_table
        for model in apps.get_models()
        if any(field.column == "project_id" for field in model._meta.concrete_fields)
    }
    goes = [table for one in WIPED for table in (one.table, *one.along)]
    assert len(goes) == len(set(goes)) and not set(goes) & set(STAYS)
    assert set(goes) | set(STAYS) == ours
    # What an erasure deletes of one person, a wipe deletes of all, in the same order.
    erased = [apps.get_model(label)._meta.db_table for store in STORES for label in store.covers]
    assert set(erased) <= set(goes)
    order = [one.name for one in WIPED if one.name in {store.name for store in STORES}]
    assert order == [store.name for store in STORES if store.name in set(order)]


def test_everything_goes_and_the_neighbour_keeps_every_row(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiping, "BATCH", 3)
    other = make_project("other")
    fill(project)
    make_agent(other, "support")
    for name in ("ada.k", "cy"):
        learned(other, f"t-{name}", "I prefer email. Our refund window is 30 days.", user=name)
    before, kept = digest(other), {name: digest(project)[name] for name in ("tenancy_agent", "access_apikey")}
    end_requests(project)
    request = wiped(project)
    assert digest(other) == before
    left = digest(project)
    assert {one.name: left[one.table][0] for one in WIPED if not one.empty} == {
        one.name: 0 for one in WIPED if not one.empty
    }
    assert {name: left[name] for name in kept} == kept
    assert request.progress["before"]["facts"] == request.progress["erased"]["facts"] > 3
    assert request.residue == 0 and request.verification["hits"] == 0
    with bind(project.id):
        receipt = Receipt.objects.filter(request_id=request.id).get()
        chain = verify_chain(project.id)
    assert verify_receipt(receipt.body, bytes(receipt.signature), public_key())
    facts = next(row for row in receipt.body["stores"] if row["store"] == "facts")
    assert (receipt.body["kind"], facts["before"], facts["after"]) == ("wipe", request.progress["before"]["facts"], 0)
    assert receipt.body["approved_by"] != receipt.body["opened_by"]
    assert chain.broken_at is None


def end_requests(project: Project) -> None:
    who = officer(project)
    with bind(project.id):
        waiting = list(PrivacyRequest.objects.exclude(state__in=FINISHED).values_list("id", flat=True))
        holds = list(Hold.objects.filter(released_at=None).values_list("id", flat=True))
    for number in waiting:
        cancel_request(actor=who, project_id=project.id, request_id=number)
    for number in holds:
        release_hold(actor=who, project_id=project.id, hold_id=number)


def test_a_closed_project_takes_nothing_and_tells_nothing_until_it_is_opened(project: Project) -> None:
    key, secret = make_key(project)
    make_fact(project, "Refunds take five days.")
    api = Client(headers={"x-api-key": secret})
    curator = make_user(project, "curator", "admin", "viewer")
    agreed(project)
    assert work(project) == ["closed"]
    closed = Project.objects.get(id=project.id)
    answer = api.get("/v1/facts")
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (403, "project_closed")
    actor = actor_for_user(curator, closed)
    assert actor is not None
    for verb in ("facts.read", "facts.add", "overview.read", "traces.read", "keys.issue", "privacy.open"):
        assert not allowed(actor, verb), verb
    with pytest.raises(Refused, match="closed"):
        open_request(actor=actor, project_id=project.id, kind="access", external_id="user_1")
    # The counting workers leave a closed project alone: a row of theirs would be something that is left.
    assert project.id not in due(1_000) and roll_up_days() == 0
    assert work(project) == ["completed"]
    assert api.get("/v1/facts").status_code == 403
    reopen_project(actor=user_actor(project, "admin"), project_id=project.id)
    assert project.id in due(1_000) and roll_up_days() == 1
    ApiKey.objects.filter(id=key.id).update(last_used_at=None)
    answer = api.get("/v1/facts")
    assert answer.status_code == 200 and "Refunds" not in answer.content.decode()
    with pytest.raises(Conflict, match="open"):
        reopen_project(actor=user_actor(project, "admin"), project_id=project.id)


def test_what_was_said_before_is_not_learned_again_and_what_is_said_after_is(project: Project) -> None:
    learned(project, "old", "Our refund window is 30 days.", user="somebody")
    wiped(project)
    reopen_project(actor=user_actor(project, "admin"), project_id=project.id)
    push(project, run_of("old", "Our refund window is 30 days.", user="somebody"))
    push(project, run_of("another", "Our refund window is 30 days."))
    with bind(project.id):
        assert not Trace.objects.exists() and not Subject.objects.exists()
        Tombstone.objects.filter(kind="project").update(blocks_observed_before=now() - timedelta(days=900))
    assert learned(project, "new", "Our refund window is 14 days.")


def test_two_people_and_the_typed_name(project: Project, settings: Any) -> None:
    make_fact(project, "Refunds take five days.")
    first, second = officer(project), officer(project)
    admin = user_actor(project, "admin")
    before = digest(project)
    for actor, typed, error in [
        (first, "acme ", Invalid),
        (first, "", Invalid),
        (first, "*", Invalid),
        (user_actor(project, "curator"), NAME, Refused),
        (user_actor(project, "auditor"), NAME, Refused),
    ]:
        with pytest.raises(error):
            request_wipe(actor=actor, project_id=project.id, typed_name=typed)
    unchanged(project, before)
    request = request_wipe(actor=first, project_id=project.id, typed_name=NAME)
    before = digest(project)
    with pytest.raises(Conflict, match="already"):
        request_wipe(actor=admin, project_id=project.id, typed_name=NAME)
    new = user_actor(project, "privacy_officer")
    for actor, typed, error in [
        (first, NAME, NotAllowed),
        (new, NAME, NotAllowed),
        (admin, NAME, Refused),
        (second, "Acm", Invalid),
    ]:
        with pytest.raises(error):
            approve_wipe(actor=actor, project_id=project.id, request_id=request.id, typed_name=typed)
    # Nor by the way of a person's request.
    with pytest.raises((Conflict, Invalid)):
        approve_request(
            actor=second,
            project_id=project.id,
            request_id=request.id,
            digest=bytes(request.preview_digest or b"").hex(),
            typed_id=NAME,
        )
    unchanged(project, before)
    # The database says so too.
    with pytest.raises(IntegrityError, match="two_people"), bind(project.id):
        PrivacyRequest.objects.filter(id=request.id).update(approved_by=request.opened_by)
    with pytest.raises(IntegrityError, match="approved"), bind(project.id):
        PrivacyRequest.objects.filter(id=request.id).update(state="suppressing")
    assert work(project) == []
    cancel_wipe(actor=admin, project_id=project.id, request_id=request.id)
    assert fresh(request).state == "cancelled" and asked(project, first).number == request.number + 1


def unchanged(project: Project, before: dict[str, tuple[int, str]]) -> None:
    own = ("access_", "audit_")
    now_ = digest(project)
    assert {name: now_[name] for name in before if not name.startswith(own)} == {
        name: rows for name, rows in before.items() if not name.startswith(own)
    }
    assert Project.objects.get(id=project.id).closed_at is None


def test_a_hold_or_somebodys_open_request_is_in_the_way_at_every_step(project: Project) -> None:
    fact = make_fact(project, "Owes an invoice.", user="somebody")
    who, second = officer(project), officer(project)

    def hold() -> int:
        return place_hold(
            actor=who,
            project_id=project.id,
            object_type="fact",
            object_id=str(fact.id),
            ground="A lawsuit.",
            review_on=(now() + timedelta(days=9)).date(),
        ).id

    held = hold()
    with pytest.raises(Conflict, match="held"):
        asked(project, who)
    release_hold(actor=who, project_id=project.id, hold_id=held)
    request = asked(project, who)
    held = hold()
    with pytest.raises(Conflict, match="held"):
        approve_wipe(actor=second, project_id=project.id, request_id=request.id, typed_name=NAME)
    release_hold(actor=who, project_id=project.id, hold_id=held)
    person = open_request(actor=who, project_id=project.id, kind="access", external_id="somebody")
    with pytest.raises(Conflict, match="open"):
        approve_wipe(actor=second, project_id=project.id, request_id=request.id, typed_name=NAME)
    with bind(project.id):
        PrivacyRequest.objects.filter(id=person.id).update(state="cancelled")
    approve_wipe(actor=second, project_id=project.id, request_id=request.id, typed_name=NAME)
    with pytest.raises(Conflict, match="wiped"):
        hold()
    # One that came in at the last moment stops it before anything is closed.
    open_request(actor=who, project_id=project.id, kind="erasure", external_id="somebody")
    assert work(project) == ["needs_attention"]
    assert fresh(request).error_code == "requests_open"
    assert Project.objects.get(id=project.id).closed_at is None
    with bind(project.id):
        assert Fact.objects.count() == 1


def test_an_old_backup_is_emptied_again_and_a_newer_one_is_left_alone(project: Project) -> None:
    other = make_project("other")
    make_fact(other, "Of the other.")
    wiped(project)
    with bind(project.id):
        row = Tombstone.objects.get(kind="project")
        entry = Entry(project.id, "project", bytes(row.digest), row.key_version, row.blocks_observed_before, False)
    reopen_project(actor=user_actor(project, "admin"), project_id=project.id)
    make_fact(project, "Said after the wipe.")
    assert replay_erasures(entries=[entry])["residue"] == 0
    with bind(project.id):
        assert Fact.objects.count() == 1
        # A backup of before knows nothing of it.
        Tombstone.objects.filter(kind="project").delete()
    assert replay_erasures(entries=[entry])["residue"] == 0
    with bind(project.id):
        assert not Fact.objects.exists() and Agent.objects.exists()
    assert Project.objects.get(id=project.id).closed_at is not None
    with bind(other.id):
        assert Fact.objects.count() == 1


KILLED = """
import os, signal, sys
import django
django.setup()
from apps.privacy.actions import carry_out
from apps.privacy.claims import claim_requests
from apps.privacy import wiping
from django.conf import settings
settings.PURGE_WAITS = False
wiping.BATCH = 4
step, counted, closing = sys.argv[1], carry_out._counted, carry_out._close
carry_out.CLOSING_SECONDS = 0

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def before_commit(claim, name, count):
    counted(claim, name, count)
    if name == step:
        die()

def before_closed(request, actor):
    done = closing(request, actor)
    if step == 'closing':
        die()
    return done

carry_out._counted, carry_out._close = before_commit, before_closed
if step == 'verifying':
    carry_out.verify_wiped = lambda *a: die()
for _ in range(2):
    for claim in claim_requests():
        carry_out.carry_out(claim)
"""
STEPS = ["closing", "proposals", "facts", "traces", "reads", "subjects", "verifying"]


def test_killed_at_any_step_it_goes_on_to_the_same_counts(fresh_db: str, at_once: None) -> None:
    project, other = make_project("acme", NAME), make_project("other")
    for one in (project, other):
        make_agent(one, "support")
        for number in range(6):
            learned(one, f"t{number}", f"Our refund window {number} is 30 days.", user=f"person-{number}")
            push(one, run_of(f"waits{number}", "Hello there.", user=f"person-{number}"))
    before = digest(other)
    request = agreed(project)
    with bind(project.id):
        there = (Fact.objects.count(), Trace.objects.count(), Subject.objects.count(), Proposal.objects.count())
    for step in STEPS:
        run = subprocess.run(
            [sys.executable, "-c", KILLED, step],
            env=os.environ | {"DJANGO_SETTINGS_MODULE": "memoryplane.settings"},
            cwd=ROOT,
            timeout=120,
            capture_output=True,
        )
        assert run.returncode in {-signal.SIGKILL, 0}, run.stderr.decode()[-800:]
        with bind(project.id):
            PrivacyRequest.objects.filter(id=request.id).update(lease_until=None, not_before=None)
    work(project)
    done = fresh(request)
    assert (done.state, done.residue, Project.objects.filter(closed_at=None).get().slug) == ("completed", 0, "other")
    counts = done.progress["erased"]
    assert (counts["facts"], counts["traces"], counts["subjects"], counts["proposals"]) == there
    assert counts == done.progress["before"]
    assert digest(other) == before
