"""What webhooks are told of each verb: by ids, once, from when they were made on."""

import ast
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from apps.audit.models import AuditEvent, AuditHead
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, NotFound
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import approve_proposal
from apps.curation.actions.decide_proposal import decide_proposal
from apps.curation.actions.merge_facts import merge_facts
from apps.curation.actions.open_conflict import open_conflict
from apps.curation.actions.settle_conflict import Verdict, settle_conflict
from apps.curation.actions.undo_change import undo_change
from apps.curation.models import Conflict as Dispute
from apps.curation.models import Proposal
from apps.curation.standing import seen_as, standing
from apps.exchange.actions.add_webhook import add_webhook
from apps.exchange.actions.change_webhook import change_webhook
from apps.exchange.actions.delete_webhook import delete_webhook
from apps.exchange.actions.switch_webhook import switch_webhook
from apps.exchange.actions.take_events import take_events
from apps.exchange.hooks import EVENTS, SOURCES
from apps.exchange.models import Webhook, WebhookDelivery
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.statement import Statement
from apps.privacy.actions.forget_fact import forget_fact
from apps.privacy.actions.note_overdue import note_overdue
from apps.privacy.actions.open_request import open_request
from apps.privacy.models import PrivacyRequest
from apps.privacy.states import STATES
from apps.tenancy.models import Project
from tests.console.stage import learn
from tests.exchange.hooks import added, admin, fresh, log_of, told
from tests.exchange.stage import as_file, brought_in, line
from tests.factories import make_agent, make_fact, make_project, user_actor
from tests.privacy.stage import approved, work

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
URL = "https://8.8.8.8/hook"


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_agent(project, "support")
    return project


@pytest.fixture
def webhook(project: Project) -> Webhook:
    return added(project, URL)[0]


def curator(project: Project) -> Any:
    return user_actor(project, "curator")


def heard(webhook: Webhook) -> set[tuple[str, str, str]]:
    """What was queued since the last time somebody looked; the log is empty after."""
    take_events()
    found = told(webhook)
    assert len(found) == len(set(found))
    with bind(webhook.project_id):
        WebhookDelivery.objects.all().delete()
    return set(found)


def fact(*ids: int, event: str = "fact.approved") -> set[tuple[str, str, str]]:
    return {(event, "fact", str(one)) for one in ids}


def test_every_verb_of_the_table_is_recorded_somewhere() -> None:
    recorded = {f"privacy.{state}" for state in STATES}  # of `privacy.moves.move`
    for path in (ROOT / "apps").rglob("*.py"):
        if path.relative_to(ROOT).parts[1] in {"console", "api"} or path.name in {"policies.py", "hooks.py"}:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            keywords = node.keywords if isinstance(node, ast.Call) else []
            given = [word.value for word in keywords if word.arg == "verb"]
            if isinstance(node, ast.FunctionDef):
                given += [one for one in node.args.kw_defaults if one is not None]
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "VERB":
                given.append(node.value)
            for value in given:
                recorded |= {
                    c.value for c in ast.walk(value) if isinstance(c, ast.Constant) and isinstance(c.value, str)
                }
    assert {source.verb for source in SOURCES} - recorded == set()
    assert {source.event for source in SOURCES} == set(EVENTS)


def test_it_begins_at_the_head_of_the_chain(project: Project) -> None:
    make_fact(project, "Returns take 45 days.")
    webhook, _ = added(project, URL)
    with bind(project.id):
        # Its own making is the last act; it was not there yet when it was made.
        assert webhook.cursor == AuditHead.objects.get(project_id=project.id).seq - 1
    assert heard(webhook) == set()
    later = make_fact(project, "Parcels leave at noon.")
    assert heard(webhook) == fact(later.id)
    with bind(project.id):
        assert fresh(webhook).cursor == AuditHead.objects.get(project_id=project.id).seq


def test_facts_that_are_added_revised_merged_and_put_back(project: Project, webhook: Webhook) -> None:
    one, two = make_fact(project, "Returns take 45 days."), make_fact(project, "Goods come back within 45 days.")
    assert heard(webhook) == fact(one.id, two.id)
    who = curator(project)
    newer = revise_fact(
        actor=who,
        project_id=project.id,
        fact_id=one.id,
        statement=Statement(content="Returns take 30 days.", scope="project", scope_id="acme"),
    )
    assert heard(webhook) == fact(newer.id) | fact(one.id, event="fact.superseded")
    merged, change = merge_facts(
        actor=who, project_id=project.id, fact_ids=[newer.id, two.id], content="Returns within 30 days."
    )
    assert heard(webhook) == fact(merged.id) | fact(newer.id, two.id, event="fact.superseded")
    undo_change(actor=who, change_id=change.id)
    back = heard(webhook)
    assert {event for event, _, _ in back} == {"fact.approved"} and len(back) == 2
    assert not back & fact(one.id, two.id, newer.id, merged.id)


def test_proposals_that_wait_and_what_comes_of_them(project: Project, webhook: Webhook) -> None:
    first, second = learn(project, "t", "Our refund window is 14 days. Our returns desk is closed on Mondays.")
    assert heard(webhook) == {("proposal.waiting", "proposal", str(one.id)) for one in (first, second)}
    who = curator(project)
    done = approve_proposal(actor=who, project_id=project.id, proposal_id=first.id)
    assert heard(webhook) == fact(done.fact_id)
    _, change = decide_proposal(actor=who, project_id=project.id, proposal_id=second.id, reject="vague")
    assert heard(webhook) == set()
    undo_change(actor=who, change_id=change.id)
    assert heard(webhook) == {("proposal.waiting", "proposal", str(second.id))}


def test_a_conflict_is_told_when_it_opens_and_not_when_it_grows(project: Project, webhook: Webhook) -> None:
    learn(project, "a", "Our refund window is 14 days.")
    before = heard(webhook)
    assert {event for event, _, _ in before} == {"proposal.waiting"}
    learn(project, "b", "Our refund window is 30 days.")
    learn(project, "c", "Our refund window is 60 days.")
    with bind(project.id):
        conflict = Dispute.objects.get()
        waiting = [str(one.id) for one in Proposal.objects.order_by("created_at")[1:]]
    assert heard(webhook) == {("conflict.opened", "conflict", str(conflict.id))} | {
        ("proposal.waiting", "proposal", one) for one in waiting
    }


def test_a_webhook_that_is_late_tells_of_a_conflict_once(project: Project, webhook: Webhook) -> None:
    learn(project, "a", "Our refund window is 14 days.")
    learn(project, "b", "Our refund window is 30 days.")
    take_events()
    assert [event for event, _, _ in told(webhook)].count("conflict.opened") == 1


def test_conflicts_of_people(project: Project, webhook: Webhook) -> None:
    one, two = make_fact(project, "Returns take 45 days."), make_fact(project, "Returns take 10 days.")
    heard(webhook)
    who = curator(project)
    conflict, change = open_conflict(actor=who, project_id=project.id, fact_ids=[one.id, two.id])
    opened = {("conflict.opened", "conflict", str(conflict.id))}
    assert heard(webhook) == opened
    undo_change(actor=who, change_id=change.id)
    assert heard(webhook) == set()
    conflict, _ = open_conflict(actor=who, project_id=project.id, fact_ids=[one.id, two.id])
    heard(webhook)
    with bind(project.id):
        sides = standing(project.id, conflict.id)
    kept = next(side.ref for side in sides if side.fact and side.fact.id == one.id)
    done = settle_conflict(
        actor=who,
        project_id=project.id,
        conflict_id=conflict.id,
        seen=seen_as(sides),
        verdict=Verdict(kind="keep", keep=kept),
    )
    assert heard(webhook) == fact(two.id, event="fact.superseded")
    undo_change(actor=who, change_id=done.change.id)
    again = heard(webhook)
    assert ("conflict.opened", "conflict", str(conflict.id)) in again
    assert {event for event, _, _ in again} == {"conflict.opened", "fact.approved"}


def test_what_is_forgotten(project: Project, webhook: Webhook) -> None:
    one = make_fact(project, "Returns take 45 days.")
    heard(webhook)
    forget_fact(actor=curator(project), project_id=project.id, fact_id=one.id)
    assert heard(webhook) == fact(one.id, event="fact.forgotten")


def test_an_erasure_is_told_and_what_was_said_of_the_fact_before_leads_nowhere(
    project: Project, webhook: Webhook, settings: Any
) -> None:
    settings.PURGE_WAITS = False
    about = make_fact(project, "Kundin Zwetlana mag Tee.", user="zwetlana")
    take_events()
    request = approved(project, "zwetlana")
    for _ in range(6):
        work(project)
    with bind(project.id):
        assert PrivacyRequest.objects.get(id=request.id).state == "completed"
    take_events()
    assert set(told(webhook)) == {
        ("fact.approved", "fact", str(about.id)),
        ("fact.forgotten", "privacy_request", str(request.id)),
    }
    said = " ".join(str(vars(one)) for one in log_of(webhook))
    assert "zwetlana" not in said.lower() and "Tee" not in said


def test_a_request_past_its_date_is_told_once(project: Project, webhook: Webhook) -> None:
    request = open_request(
        actor=user_actor(project, "privacy_officer"),
        project_id=project.id,
        kind="access",
        external_id="adriana",
        identity_method="known_to_us",
    )
    assert note_overdue() == 0
    with bind(project.id):
        PrivacyRequest.objects.filter(id=request.id).update(due_at=now() - timedelta(minutes=1))
    assert [note_overdue(), note_overdue()] == [1, 0]
    assert heard(webhook) == {("request.overdue", "privacy_request", str(request.id))}
    with bind(project.id):
        event = AuditEvent.objects.get(verb="privacy.overdue")
    assert (event.actor_id, event.data) == ("privacy", {"kind": "access", "number": request.number})


@pytest.mark.parametrize("changes", [{"extended_until": "later", "extension_reason": "many"}, {"paused_at": "now"}])
def test_a_request_that_has_more_time_is_not_overdue(project: Project, changes: dict[str, Any]) -> None:
    request = open_request(
        actor=user_actor(project, "privacy_officer"),
        project_id=project.id,
        kind="access",
        external_id="adriana",
        identity_method="known_to_us",
    )
    moments = {"later": now() + timedelta(days=9), "now": now()}
    with bind(project.id):
        PrivacyRequest.objects.filter(id=request.id).update(
            due_at=now() - timedelta(minutes=1), **{name: moments.get(value, value) for name, value in changes.items()}
        )
    assert note_overdue() == 0


@pytest.mark.parametrize(("direct", "event"), [(False, "proposal.waiting"), (True, "fact.approved")])
def test_an_import_is_told_once_and_not_line_by_line(
    project: Project, webhook: Webhook, direct: bool, event: str
) -> None:
    rows = [line(f"Shelf {number} holds lamps.") for number in range(5)]
    upload = brought_in(project, as_file(*rows), direct=direct, most=2)
    assert heard(webhook) == {(event, "import", str(upload.id))}


def test_it_is_told_only_what_it_asked_for(project: Project) -> None:
    webhook, _ = added(project, URL, ["fact.forgotten"])
    one = make_fact(project, "Returns take 45 days.")
    forget_fact(actor=curator(project), project_id=project.id, fact_id=one.id)
    assert heard(webhook) == fact(one.id, event="fact.forgotten")


def test_other_projects_hear_nothing(project: Project, webhook: Webhook) -> None:
    other = make_project("other")
    theirs, _ = added(other, URL)
    one = make_fact(project, "Returns take 45 days.")
    take_events()
    assert told(theirs) == []
    assert set(told(webhook)) == fact(one.id)


def test_a_refusal_is_no_act(project: Project, webhook: Webhook) -> None:
    one = make_fact(project, "Returns take 45 days.")
    heard(webhook)
    with bind(project.id):
        AuditEvent.objects.filter(object_id=str(one.id)).first()
    with pytest.raises(NotFound):
        forget_fact(actor=curator(project), project_id=project.id, fact_id=one.id + 9)
    assert heard(webhook) == set()


def test_a_long_chain_is_read_in_pieces(project: Project, webhook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.exchange.actions.take_events.EVENTS", 2)
    facts = [make_fact(project, f"Shelf {number} holds lamps.").id for number in range(7)]
    assert take_events() == 7
    assert set(told(webhook)) == fact(*facts)
    assert [one.seq for one in log_of(webhook)] == sorted(one.seq or 0 for one in log_of(webhook))
    assert take_events() == 0


def test_one_that_is_off_reads_nothing_and_begins_anew(project: Project, webhook: Webhook) -> None:
    who = admin(project)
    switch_webhook(actor=who, project_id=project.id, webhook_id=webhook.id, enabled=False)
    make_fact(project, "Returns take 45 days.")
    assert heard(webhook) == set()
    switch_webhook(actor=who, project_id=project.id, webhook_id=webhook.id, enabled=True)
    later = make_fact(project, "Parcels leave at noon.")
    assert heard(webhook) == fact(later.id)
    with bind(project.id):
        verbs = list(AuditEvent.objects.filter(object_type="webhook").order_by("seq").values_list("verb", "reason"))
    assert verbs == [("webhooks.add", ""), ("webhooks.disable", "person"), ("webhooks.enable", "")]


def test_making_changing_and_deleting(project: Project, webhook: Webhook) -> None:
    who = admin(project)
    with pytest.raises(Conflict, match="webhook_exists"):
        add_webhook(actor=who, project_id=project.id, url=URL, events=["fact.approved"])
    changed = change_webhook(
        actor=who, project_id=project.id, webhook_id=webhook.id, url="https://8.8.4.4/", events=["request.overdue"]
    )
    assert (changed.url, changed.events) == ("https://8.8.4.4/", ["request.overdue"])
    delete_webhook(actor=who, project_id=project.id, webhook_id=webhook.id)
    with bind(project.id):
        assert not Webhook.objects.exists()
    with pytest.raises(NotFound):
        delete_webhook(actor=who, project_id=project.id, webhook_id=webhook.id)


@pytest.mark.parametrize(
    ("url", "events", "code", "pointer"),
    [
        ("http://8.8.8.8/", ["fact.approved"], "https_only", "/url"),
        ("https://10.0.0.1/", ["fact.approved"], "address_refused", "/url"),
        (URL, [], "unknown_event", "/events"),
        (URL, ["fact.approved", "fact.invented"], "unknown_event", "/events"),
    ],
)
def test_what_may_not_be_is_refused_and_nothing_made(
    project: Project, url: str, events: list[str], code: str, pointer: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        add_webhook(actor=admin(project), project_id=project.id, url=url, events=events)
    assert (refusal.value.code, refusal.value.errors[0].pointer) == (code, pointer)
    with bind(project.id):
        assert not Webhook.objects.exists()


@pytest.mark.parametrize("role", ["viewer", "curator", "privacy_officer", "auditor"])
def test_only_administrators_may(project: Project, webhook: Webhook, role: str) -> None:
    from apps.access.policies import Refused

    who = user_actor(project, role)
    with pytest.raises(Refused):
        add_webhook(actor=who, project_id=project.id, url="https://8.8.4.4/", events=["fact.approved"])
    with pytest.raises(Refused):
        delete_webhook(actor=who, project_id=project.id, webhook_id=webhook.id)
    with bind(project.id):
        assert list(Webhook.objects.values_list("url", flat=True)) == [URL]


def test_there_are_not_too_many(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.exchange.actions.add_webhook.MOST", 2)
    for number in range(2):
        added(project, f"{URL}{number}")
    with pytest.raises(Conflict, match="too_many"):
        added(project, URL)
    with bind(project.id):
        assert Webhook.objects.count() == 2
