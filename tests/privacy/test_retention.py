"""What is over by a project's rules goes, in batches and recorded; what is held, waits for a worker or is younger stays."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError

from apps.access.actor import system_actor
from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Invalid, NotFound
from apps.core.transactions import bind
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.models import Proposal
from apps.dreaming.actions.apply_changes import apply_changes
from apps.dreaming.actions.decide_changes import decide_changes
from apps.dreaming.models import DreamChange, DreamPhase, DreamRun, DreamTarget
from apps.extraction.models import ExtractionRun
from apps.facts.models import Fact, FactSource
from apps.privacy import retention
from apps.privacy.actions.change_retention import change_retention, drop_retention
from apps.privacy.actions.place_hold import place_hold
from apps.privacy.actions.purge_old import purge_old
from apps.privacy.actions.release_hold import release_hold
from apps.privacy.models import Backup, RetentionRule
from apps.privacy.retention import due, rules_of
from apps.recall.models import ReadLedger
from apps.tenancy.models import Project, Subject, Tombstone
from apps.tenancy.tombstones import bury, fact_digest, subject_digest
from apps.traces.actions.add_session_messages import NewMessage, add_session_messages
from apps.traces.models import Message, Session, SessionMessage, Trace
from tests.console.stage import learn, push
from tests.curation import stage as gate
from tests.dreaming.stage import changes, dream, said, start
from tests.factories import make_agent, make_fact, make_key, make_project, user_actor
from tests.privacy.stage import learned
from tests.recall.test_servings import read
from tests.spans import run_of, trace_id

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def project() -> Project:
    return make_project("acme")


def keep(project: Project, store: str, days: int | None, **more: Any) -> RetentionRule:
    return change_retention(
        actor=user_actor(project, "admin"), project_id=project.id, store=store, keep_days=days, **more
    )


def age(project: Project, name: str, days: int) -> None:
    with bind(project.id):
        Trace.objects.filter(trace_id=trace_id(name)).update(started_at=now() - days * DAY)


def old_fact(project: Project, content: str, days: int, **more: Any) -> Fact:
    """A fact that was said so many days ago."""
    fact = make_fact(project, content, **more)
    with bind(project.id):
        Fact.objects.filter(id=fact.id).update(last_seen_at=now() - days * DAY)
    return fact


def held(project: Project, kind: str, number: Any) -> int:
    return place_hold(
        actor=user_actor(project, "privacy_officer"),
        project_id=project.id,
        object_type=kind,
        object_id=str(number),
        ground="A lawsuit.",
        review_on=now().date() + 30 * DAY,
    ).id


def traces(project: Project) -> set[str]:
    with bind(project.id):
        return set(Trace.objects.exclude(started_at=None).values_list("trace_id", flat=True))


def told(project: Project) -> set[str]:
    with bind(project.id):
        return set(Fact.objects.in_project(project.id).active().values_list("content", flat=True))


def stored(project: Project) -> set[str]:
    with bind(project.id):
        return set(Fact.objects.values_list("content", flat=True))


def test_old_traces_go_with_what_hangs_on_them_and_facts_stay(project: Project) -> None:
    learn(project, "t", "Our returns are free.")
    fact = gate.learn(project, gate.wish(project, "Lives in Porto.", user="bea", attribute="home-city"))
    for name in ("old", "held", "young"):
        learn(project, name, "Our refund window is 30 days.")
        age(project, name, 29 if name == "young" else 40)
    push(project, run_of("waits", "Hello."))
    age(project, "waits", 40)
    held(project, "trace", trace_id("held"))
    with bind(project.id):
        Trace.objects.filter(trace_id=fact.source_trace_id).update(started_at=now() - 40 * DAY, extracted_at=now())
        before = Message.objects.count()
    rule = keep(project, "traces", 30)
    with bind(project.id):
        assert due(project.id, rules_of(project.id), [rule])[rule.id, "delete"] >= 1
    gone = purge_old()[project.id]
    assert set(gone) == {"traces.delete"}
    left = traces(project)
    assert {trace_id("held"), trace_id("young"), trace_id("waits")} <= left and trace_id("old") not in left
    with bind(project.id):
        assert Message.objects.count() < before and not Message.objects.filter(trace_id=trace_id("old")).exists()
        kept = Fact.objects.get(id=fact.id)
        assert kept.source_trace_id is None and kept.is_current
        assert not FactSource.objects.filter(fact_id=fact.id).exists()
        event = AuditEvent.objects.get(verb="retention.purge")
        assert (event.actor_id, event.data) == (
            "retention",
            {"store": "traces", "step": "delete", "count": gone["traces.delete"], "days": 30},
        )
    assert purge_old() == {}


def test_reads_and_rejected_proposals(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    agent, (key, _) = make_agent(project, "support"), make_key(project)
    fact = make_fact(project, "One.", agent=agent)
    for _ in range(4):
        read(project, [fact], agent=agent, key=key, subject=None)
    proposals = [one for name in "abc" for one in learn(project, name, f"Our refund window {name} is 30 days.")]
    curator = user_actor(project, "curator")
    for one in proposals[:2]:
        reject_proposal(actor=curator, project_id=project.id, proposal_id=one.id, reason="vague")
    old = now() - 10 * DAY
    with bind(project.id):
        first = ReadLedger.objects.earliest("id")
        ReadLedger.objects.exclude(id=first.id).update(at=old)
        ReadLedger.objects.filter(id=first.id).update(at=now())
        Proposal.objects.filter(id=proposals[0].id).update(created_at=old, decided_at=old)
        # Older than the limit, but rejected yesterday.
        Proposal.objects.filter(id=proposals[1].id).update(created_at=old)
    keep(project, "reads", 7)
    keep(project, "rejected", 7)
    assert purge_old() == {project.id: {"reads.delete": 3, "rejected.delete": 1}}
    with bind(project.id):
        assert list(ReadLedger.objects.values_list("id", flat=True)) == [first.id]
        assert set(Proposal.objects.values_list("id", flat=True)) == {one.id for one in proposals[1:]}


def test_sessions_and_raw_answers(project: Project) -> None:
    for name in ("old", "kept", "live"):
        learn(project, name, "Our refund window is 30 days.", user=None)
        with bind(project.id):
            session = Session.objects.create(project_id=project.id, external_id=name)
            Session.objects.filter(id=session.id).update(created_at=now() - 90 * DAY)
            Trace.objects.filter(trace_id=trace_id(name)).update(session=session)
            ExtractionRun.objects.filter(trace_id=trace_id(name)).update(
                raw_answer="As the model said it.", finished_at=now() - (90 if name != "live" else 1) * DAY
            )
        age(project, name, 1 if name == "live" else 90)
    held(project, "trace", trace_id("kept"))
    keep(project, "sessions", 30)
    keep(project, "answers", 30)
    assert purge_old() == {project.id: {"sessions.delete": 1, "answers.delete": 1}}
    with bind(project.id):
        assert set(Session.objects.values_list("external_id", flat=True)) == {"kept", "live"}
        assert set(ExtractionRun.objects.exclude(raw_answer="").values_list("trace_id", flat=True)) == {
            trace_id("kept"),
            trace_id("live"),
        }
        assert Trace.objects.get(trace_id=trace_id("old")).session_id is None


def test_what_sessions_held_goes_message_by_message(project: Project) -> None:
    actor = system_actor("dreaming", project.id)
    for session, user in (("long", ""), ("of-ada", "ada.k"), ("watched", "")):
        messages = [
            NewMessage(external_id=f"m{days}", role="user", content=f"Said {days} ago.", at=now() - days * DAY)
            for days in (90, 40, 1)
        ]
        messages.append(NewMessage(external_id="sum", role="summary", content="All of it.", stands_for=("m90", "m40")))
        add_session_messages(actor=actor, project_id=project.id, session=session, messages=messages, user_id=user)
    push(project, run_of("held", "Hello."))
    with bind(project.id):
        subject = Subject.objects.get(external_id="ada.k")
        Trace.objects.update(session=Session.objects.get(external_id="watched"))
    holds = [held(project, "subject", subject.id), held(project, "trace", trace_id("held"))]
    rule = keep(project, "messages", 30)
    with bind(project.id):
        assert due(project.id, rules_of(project.id), [rule]) == {(rule.id, "delete"): 2}
        assert SessionMessage.objects.count() == 12
    assert purge_old() == {project.id: {"messages.delete": 2}}
    with bind(project.id):
        left = SessionMessage.objects.filter(session__external_id="long").order_by("id")
        assert list(left.values_list("external_id", flat=True)) == ["m1", "sum"]
        assert Session.objects.count() == 3 and SessionMessage.objects.count() == 10
    for hold in holds:
        release_hold(actor=user_actor(project, "privacy_officer"), project_id=project.id, hold_id=hold)
    assert purge_old() == {project.id: {"messages.delete": 4}}


def test_dream_runs_go_with_their_changes_and_what_they_made_stays(project: Project) -> None:
    agents = {name: make_agent(project, name) for name in ("applied", "undecided", "young", "open")}
    runs = {}
    for name, agent in agents.items():
        said(project, "Ships on Tuesdays", agent=agent)
        said(project, "Ships on Tuesdays.", agent=agent, days=1)
        if name != "open":
            runs[name] = dream(project, "agent", name)
    said(project, "Prefers tea", user="ada.k")
    said(project, "Prefers tea.", user="ada.k")
    runs["hers"] = dream(project, "user", "ada.k")
    runs["open"] = start(project, "agent", "open")
    curator, applied = user_actor(project, "curator"), runs["applied"]
    numbers = [one.id for one in changes(applied)]
    decide_changes(actor=curator, project_id=project.id, run_id=applied.id, change_ids=numbers, to="accepted")
    apply_changes(actor=curator, project_id=project.id, run_id=applied.id)
    with bind(project.id):
        old = [runs[name].id for name in ("applied", "undecided", "hers")]
        DreamRun.objects.filter(id__in=old).update(finished_at=now() - 40 * DAY)
        subject = Subject.objects.get(external_id="ada.k")
        facts = Fact.objects.order_by("id").values_list("id", "superseded_by_id", "retired_at")
        before = list(facts)
    hold = held(project, "subject", subject.id)
    rule = keep(project, "dreams", 30)
    with bind(project.id):
        assert due(project.id, rules_of(project.id), [rule]) == {(rule.id, "delete"): 2}
        assert DreamRun.objects.count() == 5
    assert purge_old() == {project.id: {"dreams.delete": 2}}
    with bind(project.id):
        assert set(DreamRun.objects.values_list("id", flat=True)) == {runs[n].id for n in ("young", "open", "hers")}
        kept = {runs["young"].id, runs["hers"].id}
        for model in (DreamChange, DreamPhase, DreamTarget):
            assert set(model.objects.values_list("run_id", flat=True)) == kept
        assert list(facts.all()) == before
    release_hold(actor=user_actor(project, "privacy_officer"), project_id=project.id, hold_id=hold)
    assert purge_old() == {project.id: {"dreams.delete": 1}}


def test_corrected_words_go_by_the_day_of_the_correction(project: Project) -> None:
    """However long the right ones are told, and with what they had replaced themselves."""
    oldest = make_fact(project, "Lives in Lisbon, Portugal.", user="ada.k")
    wrong = make_fact(project, "Lives in Lisbon.", user="ada.k")
    right = make_fact(project, "Lives in Porto.", user="ada.k")
    older = make_fact(project, "Prefers trains to buses.", user="ada.k")
    newer = make_fact(project, "Prefers trains.", user="ada.k")
    with bind(project.id):
        for old, new, days in ((oldest, wrong, 90), (wrong, right, 40), (older, newer, 40)):
            Fact.objects.filter(id=old.id).update(superseded_by_id=new.id, superseded_at=now() - days * DAY)
        Fact.objects.filter(id=wrong.id).update(restricted_at=now() - 40 * DAY, restricted_reason="correction")
        Fact.objects.filter(id__in=[right.id, newer.id]).update(last_seen_at=now())
    hold = held(project, "fact", oldest.id)
    rule = keep(project, "facts", 365, purge_days=30)
    assert purge_old() == {}
    release_hold(actor=user_actor(project, "privacy_officer"), project_id=project.id, hold_id=hold)
    with bind(project.id):
        assert due(project.id, rules_of(project.id), [rule])[rule.id, "purge"] == 1
    assert purge_old() == {project.id: {"facts.purge": 2}}
    assert stored(project) == {"Lives in Porto.", "Prefers trains to buses.", "Prefers trains."}
    assert told(project) == {"Lives in Porto.", "Prefers trains."}
    assert purge_old() == {}


def test_the_most_specific_rule_counts_and_a_fact_is_hidden_before_it_is_deleted(project: Project) -> None:
    old_fact(project, "Plain.", 40)
    old_fact(project, "Plain, young.", 5)
    old_fact(project, "A contract.", 40, category="contract")
    old_fact(project, "Of the user.", 40, user="ada.k")
    old_fact(project, "Special.", 8, user="ada.k", sensitivity="special")
    old_fact(project, "Special contract.", 40, user="ada.k", sensitivity="special", category="contract")
    keep(project, "facts", 30, purge_days=10)
    keep(project, "facts", None, category="contract")
    keep(project, "facts", 60, scope="user")
    keep(project, "facts", 7, sensitivity="special", purge_days=0)
    assert purge_old() == {project.id: {"facts.hide": 3, "facts.purge": 2}}
    # Sensitivity before category: a special contract goes by the rule of what is special.
    assert stored(project) == {"Plain.", "Plain, young.", "A contract.", "Of the user."}
    assert told(project) == {"Plain, young.", "A contract.", "Of the user."}
    assert purge_old() == {}
    with bind(project.id):
        Fact.objects.filter(content="Plain.").update(expires_at=now() - 11 * DAY)
    assert purge_old() == {project.id: {"facts.purge": 1}}
    assert stored(project) == {"Plain, young.", "A contract.", "Of the user."}


def test_deleting_takes_history_evidence_and_proposals_along(project: Project) -> None:
    make_agent(project, "support")
    (first,) = learned(project, "a", "Our refund window is 30 days.")
    with bind(project.id):
        old = Fact.objects.get(id=first)
    new = make_fact(project, "Our refund window is 14 days.")
    make_fact(project, "Stays.")
    with bind(project.id):
        Fact.objects.filter(id=old.id).update(superseded_by_id=new.id, superseded_at=now())
        Fact.objects.exclude(content="Stays.").update(last_seen_at=now() - 40 * DAY)
    keep(project, "facts", 30, purge_days=0)
    assert purge_old() == {project.id: {"facts.hide": 1, "facts.purge": 2}}
    assert stored(project) == {"Stays."}
    with bind(project.id):
        assert not Proposal.objects.exists() and not FactSource.objects.exists()
        # What a rule deletes may be learned again: nobody asked for it to be forgotten.
        assert not Tombstone.objects.exists()


def test_days_of_review_are_set_once(project: Project) -> None:
    old_fact(project, "Old.", 40)
    old_fact(project, "Young.", 5)
    keep(project, "facts", None, review_days=30)
    assert purge_old() == {project.id: {"facts.review": 1}}
    with bind(project.id):
        assert Fact.objects.get(content="Old.").review_at is not None
        assert Fact.objects.get(content="Young.").review_at is None
    assert purge_old() == {}


def test_what_is_held_waits_for_its_release(project: Project) -> None:
    one = old_fact(project, "Owes an invoice.", 40, user="ada.k")
    two = old_fact(project, "Lives in Porto.", 40, user="bea.m")
    old_fact(project, "Prefers trains.", 40, user="cyril")
    version = old_fact(project, "An older version.", 40)
    newest = old_fact(project, "The newest version.", 40)
    with bind(project.id):
        Fact.objects.filter(id=version.id).update(superseded_by_id=newest.id, superseded_at=now())
    holds = [
        held(project, "fact", one.id),
        held(project, "subject", two.subject_id),
        held(project, "fact", version.id),
    ]
    keep(project, "facts", 30, purge_days=0)
    assert purge_old() == {project.id: {"facts.hide": 1, "facts.purge": 1}}
    kept = {"Owes an invoice.", "Lives in Porto.", "An older version.", "The newest version."}
    assert stored(project) == kept
    for hold in holds:
        release_hold(actor=user_actor(project, "privacy_officer"), project_id=project.id, hold_id=hold)
    purge_old()
    assert stored(project) == set()


def test_another_project_keeps_everything(project: Project) -> None:
    other = make_project("other")
    for one in (project, other):
        old_fact(one, "Old.", 400)
    keep(project, "facts", 30, purge_days=0)
    purge_old()
    assert (stored(project), stored(other)) == (set(), {"Old."})


def test_without_rules_everything_stays(project: Project) -> None:
    learn(project, "old", "Our refund window is 30 days.")
    age(project, "old", 4000)
    old_fact(project, "Ancient.", 4000)
    assert purge_old() == {} and trace_id("old") in traces(project) and told(project) == {"Ancient."}


def test_rules_are_checked_recorded_changed_and_dropped(project: Project) -> None:
    for wrong in (0, -1, 3651):
        with pytest.raises(Invalid):
            keep(project, "traces", wrong)
    for more in ({"scope": "user"}, {"category": "x"}, {"purge_days": 1}, {"review_days": 1}):
        with pytest.raises(Invalid):
            keep(project, "traces", 30, **more)
    for more in ({"scope": "nowhere"}, {"sensitivity": "odd"}, {"category": "x" * 61}, {"purge_days": -1}):
        with pytest.raises(Invalid):
            keep(project, "facts", 30, **more)
    with pytest.raises(Invalid):
        keep(project, "everything", 1)
    with pytest.raises(Refused):
        change_retention(actor=user_actor(project, "curator"), project_id=project.id, store="traces", keep_days=1)
    with bind(project.id):
        assert not RetentionRule.objects.exists() and not AuditEvent.objects.filter(verb="retention.change").exists()
    rule = keep(project, "traces", 30)
    keep(project, "traces", 30)
    assert keep(project, "traces", 60).id == rule.id
    with pytest.raises(Refused):
        drop_retention(actor=user_actor(project, "curator"), project_id=project.id, rule_id=rule.id)
    admin = user_actor(project, "admin")
    drop_retention(actor=admin, project_id=project.id, rule_id=rule.id)
    with pytest.raises(NotFound):
        drop_retention(actor=admin, project_id=project.id, rule_id=rule.id)
    with bind(project.id):
        events = [event.data for event in AuditEvent.objects.filter(verb="retention.change").order_by("seq")]
        assert not RetentionRule.objects.exists()
    assert [event["keep_days"] for event in events] == [
        {"from": None, "to": 30},
        {"from": 30, "to": 60},
        {"from": 60, "to": None},
    ]
    with pytest.raises(IntegrityError, match="narrowed"), bind(project.id):
        RetentionRule.objects.create(project_id=project.id, store="reads", scope="user", changed_by="user:1")


def test_tombstones_end_unless_they_are_an_objections_or_a_backup_is_older(project: Project) -> None:
    old = now() - 500 * DAY
    with bind(project.id):
        bury(project.id, "fact", {fact_digest(project.id, "user", "ada.k", "Old.")}, until=old)
        bury(project.id, "subject", {subject_digest(project.id, "user", "bea.m")}, until=old, permanent=True)
        bury(project.id, "subject", {subject_digest(project.id, "user", "cyril")}, until=now())
    # What is in no log yet is needed for the next restore.
    assert purge_old() == {}
    with bind(project.id):
        Tombstone.objects.update(logged_at=now())
    backup = Backup.objects.create(taken_at=old - DAY, expires_at=now() + DAY, place="dump", sha256=b"0" * 32)
    assert purge_old() == {}
    Backup.objects.filter(id=backup.pk).update(removed_at=now())
    assert purge_old() == {project.id: {"tombstones.delete": 1}}
    with bind(project.id):
        assert sorted(Tombstone.objects.values_list("kind", "permanent")) == [("subject", False), ("subject", True)]
