"""What is too old goes, in batches and recorded; what is held, waits for a worker or is younger stays."""

from datetime import timedelta

import pytest

from apps.access.policies import Refused
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.core.transactions import bind
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.models import Proposal
from apps.facts.models import Fact, FactSource
from apps.privacy import retention
from apps.privacy.actions.change_retention import change_retention
from apps.privacy.actions.place_hold import place_hold
from apps.privacy.actions.purge_old import purge_old
from apps.privacy.models import RetentionSettings
from apps.privacy.retention import waiting
from apps.recall.models import ReadLedger
from apps.tenancy.models import Project
from apps.traces.models import Message, Trace
from tests.console.stage import learn, push
from tests.curation import stage as gate
from tests.factories import make_agent, make_fact, make_key, make_project, user_actor
from tests.recall.test_servings import read
from tests.spans import run_of, trace_id

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def project() -> Project:
    return make_project("acme")


def keep(project: Project, **days: int | None) -> list[str]:
    return change_retention(actor=user_actor(project, "admin"), project_id=project.id, days=dict(days))


def age(project: Project, name: str, days: int) -> None:
    with bind(project.id):
        Trace.objects.filter(trace_id=trace_id(name)).update(started_at=now() - days * DAY)


def traces(project: Project) -> set[str]:
    with bind(project.id):
        return set(Trace.objects.exclude(started_at=None).values_list("trace_id", flat=True))


def test_old_traces_go_with_what_hangs_on_them_and_facts_stay(project: Project) -> None:
    learn(project, "t", "Our returns are free.")
    fact = gate.learn(project, gate.wish(project, "Lives in Porto.", user="bea", attribute="home-city"))
    for name in ("old", "held", "young"):
        learn(project, name, "Our refund window is 30 days.")
        age(project, name, 29 if name == "young" else 40)
    push(project, run_of("waits", "Hello."))
    age(project, "waits", 40)
    officer = user_actor(project, "privacy_officer")
    place_hold(
        actor=officer,
        project_id=project.id,
        object_type="trace",
        object_id=trace_id("held"),
        ground="A lawsuit.",
        review_on=now().date() + 30 * DAY,
    )
    with bind(project.id):
        Trace.objects.filter(trace_id=fact.source_trace_id).update(started_at=now() - 40 * DAY, extracted_at=now())
        before = Message.objects.count()
        assert waiting(project.id, {"traces_days": 30, "reads_days": None})["traces_days"] >= 1
    keep(project, traces_days=30)
    gone = purge_old()[project.id]
    assert set(gone) == {"traces"}
    left = traces(project)
    assert {trace_id("held"), trace_id("young"), trace_id("waits")} <= left and trace_id("old") not in left
    with bind(project.id):
        assert Message.objects.count() < before and not Message.objects.filter(trace_id=trace_id("old")).exists()
        kept = Fact.objects.get(id=fact.id)
        assert kept.source_trace_id is None and kept.is_current
        assert not FactSource.objects.filter(fact_id=fact.id).exists()
        event = AuditEvent.objects.get(verb="retention.purge")
        assert (event.actor_id, event.data) == ("retention", {"traces": gone["traces"], "older_than_days": 30})
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
    keep(project, reads_days=7, rejected_days=7)
    assert purge_old() == {project.id: {"reads": 3, "rejected": 1}}
    with bind(project.id):
        assert list(ReadLedger.objects.values_list("id", flat=True)) == [first.id]
        assert set(Proposal.objects.values_list("id", flat=True)) == {one.id for one in proposals[1:]}


def test_without_settings_everything_stays(project: Project) -> None:
    learn(project, "old", "Our refund window is 30 days.")
    age(project, "old", 4000)
    assert purge_old() == {} and trace_id("old") in traces(project)


def test_settings_are_checked_and_recorded(project: Project) -> None:
    for wrong in (0, -1, 3651):
        with pytest.raises(Invalid):
            keep(project, traces_days=wrong)
    with pytest.raises(Refused):
        change_retention(actor=user_actor(project, "curator"), project_id=project.id, days={"traces_days": 1})
    with bind(project.id):
        assert not RetentionSettings.objects.exists()
    assert keep(project, traces_days=30, reads_days=None) == ["traces_days"]
    assert keep(project, traces_days=30) == []
    assert keep(project) == ["traces_days"]
    with bind(project.id):
        events = [event.data for event in AuditEvent.objects.filter(verb="retention.change").order_by("seq")]
    assert events == [{"traces_days": {"from": None, "to": 30}}, {"traces_days": {"from": 30, "to": None}}]
