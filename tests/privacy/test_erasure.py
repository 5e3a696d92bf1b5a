"""An erasure reaches every store, leaves everybody else's rows as they were, and what is gone stays gone."""

from typing import Any

import pytest
from django.db import connection

from apps.audit.models import AuditEvent
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.extraction.models import ExtractionRun
from apps.facts.models import Fact, FactSource
from apps.insight.actions.save_view import save_view
from apps.insight.models import SavedView
from apps.privacy.mentions import Identifier
from apps.privacy.models import Receipt, RequestIdentity
from apps.privacy.receipts import public_key, verify_receipt
from apps.tenancy.models import Project, Subject, Tombstone
from apps.traces.models import Message, Span, Trace
from tests.extraction.test_extract_trace import mine, push
from tests.factories import make_agent, make_fact, make_project, user_actor
from tests.privacy.stage import approved, fresh, learned, work
from tests.spans import run_of, span

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(settings: Any) -> Project:
    settings.PURGE_WAITS = False
    project = make_project()
    make_agent(project, "support")
    return project


def everything_of(project: Project, *subjects: int | None) -> list[tuple[str, str]]:
    """All rows that belong to these subjects, whole."""
    rows = []
    with bind(project.id), connection.cursor() as cursor:
        for table in ("facts_fact", "traces_trace", "traces_span", "traces_message", "curation_proposal"):
            cursor.execute(
                f"SELECT to_jsonb(t)::text FROM {table} t WHERE project_id = %s AND subject_id = ANY (%s) ORDER BY 1",
                [project.id, list(subjects)],
            )
            rows += [(table, row[0]) for row in cursor.fetchall()]
    return rows


def test_one_person_goes_and_those_of_similar_names_stay(project: Project) -> None:
    for user in ("user_1", "user_10", "User_1"):
        assert len(learned(project, f"t-{user}", f"I live in Lisbon. I prefer email. Call me {user}.", user=user)) >= 2
    with bind(project.id):
        ids = dict(Subject.objects.values_list("external_id", "id"))
    others = everything_of(project, ids["user_10"], ids["User_1"])
    assert len(others) >= 8

    request = approved(project, "user_1")
    assert work(project) == ["completed"]

    assert everything_of(project, ids["user_10"], ids["User_1"]) == others
    with bind(project.id):
        assert not Subject.objects.filter(external_id="user_1").exists()
        assert set(Trace.objects.values_list("subject_id", flat=True)) == {ids["user_10"], ids["User_1"]}
        assert set(Fact.objects.values_list("scope_id", flat=True)) == {"user_10", "User_1"}
        assert set(Proposal.objects.values_list("scope_id", flat=True)) == {"user_10", "User_1"}
        assert RequestIdentity.objects.count() == 0
        assert Tombstone.objects.filter(kind="subject").count() == 1
        assert Tombstone.objects.filter(kind="trace").count() == 1
    done = fresh(request)
    assert (done.state, done.residue, done.subject_id, done.error_code) == ("completed", 0, None, "")
    before = done.progress["before"]
    assert before["traces"] == 1 and before["facts"] >= 2 and before["subject"] == 1
    erased = done.progress["erased"]
    assert {name: count for name, count in erased.items() if name != "conflicts"} == {
        name: count for name, count in before.items() if name != "conflicts"
    }


def test_it_does_not_come_back_with_the_same_trace_or_another_run(project: Project) -> None:
    learned(project, "t", "I live in Lisbon.", user="ada")
    approved(project, "ada")
    assert work(project) == ["completed"]
    push(project, run_of("t", "I live in Lisbon.", user="ada"))
    # A conversation of the same time that had not come in yet, and spans that no longer say whose they are.
    push(project, run_of("late", "I live in Porto.", user="ada"))
    push(project, run_of("t", "I live in Lisbon."))
    mine(project)
    with bind(project.id):
        assert (Trace.objects.count(), Span.objects.count(), Message.objects.count()) == (0, 0, 0)
        assert (Fact.objects.count(), Proposal.objects.count(), ExtractionRun.objects.count()) == (0, 0, 0)
        assert not Subject.objects.filter(external_id="ada").exists()


def test_who_returns_later_may_be_learned_again_and_who_objected_may_not(project: Project) -> None:
    later = [
        span | {"start_time": "2099-01-01T00:00:00Z", "end_time": "2099-01-01T00:00:01Z"}
        for span in run_of("later", "I live in Porto.", user="ada")
    ]
    learned(project, "t", "I live in Lisbon.", user="ada")
    learned(project, "u", "I live in Rome.", user="bo")
    approved(project, "ada")
    approved(project, "bo", kind="objection")
    assert work(project) == ["completed", "completed"]
    push(project, later)
    push(
        project,
        [
            span | {"start_time": "2099-01-01T00:00:00Z", "end_time": "2099-01-01T00:00:01Z"}
            for span in run_of("later-bo", "I live in Pisa.", user="bo")
        ],
    )
    with bind(project.id):
        assert list(Trace.objects.values_list("subject__external_id", flat=True)) == ["ada"]


def test_a_conversation_that_went_on_stays_gone_and_a_new_one_beside_it_is_taken(project: Project) -> None:
    learned(project, "t", "I live in Lisbon.", user="ada")
    approved(project, "ada")
    assert work(project) == ["completed"]
    after = {"start_time": "2099-01-01T00:00:00Z", "end_time": "2099-01-01T00:00:01Z"}
    gone_on = span("t", "tool.more", attributes={"tool.output": "She lives in Lisbon."})
    batch = [gone_on | after, *run_of("old", "I live in Lisbon.", user="ada")]
    push(project, [*batch, *(one | after for one in run_of("new", "I live in Porto.", user="ada"))])
    with bind(project.id):
        assert [trace.root_name for trace in Trace.objects.all()] == ["agent.support"]
        assert list(Message.objects.filter(role="user").values_list("content", flat=True)) == ["I live in Porto."]
        assert Span.objects.filter(name="tool.more").count() == 0


def test_mentions_in_others_words_go_too_and_by_whole_words_only(project: Project) -> None:
    named = make_fact(project, "Ask ada.lovelace for the release notes.")
    longer = make_fact(project, "Ask ada.lovelace-smith about the budget.")
    learned(project, "t", "I live in Lisbon.", user="ada.lovelace")
    push(project, run_of("other", "Please write to ada.lovelace today.", user="bo"))
    request = approved(project, "ada.lovelace")
    assert fresh(request).preview["reasons"] == {"direct": 1, "mention": 1}
    assert (work(project), [c for c in fresh(request).verification["checks"] if c["hits"]]) == (["completed"], [])
    with bind(project.id):
        assert set(Fact.objects.values_list("id", flat=True)) == {longer.id}
        assert named.id not in set(Fact.objects.values_list("id", flat=True))
        # The run of the other person stays, without the span that named her.
        assert Trace.objects.get().subject is not None
        assert not Message.objects.filter(content__contains="ada.lovelace").exists()
        assert not Span.objects.filter(attributes__icontains="ada.lovelace").exists()


def test_identities_are_looked_for_as_well(project: Project) -> None:
    make_fact(project, "Invoices go to Ada.L@Example.org.")
    learned(project, "t", "I live in Lisbon.", user="u-4711")
    approved(project, "u-4711", identities=(Identifier("email", "ada.l@example.org"),))
    assert work(project) == ["completed"]
    with bind(project.id):
        assert Fact.objects.count() == 0


def test_a_fact_of_nobody_that_rests_on_the_persons_words_stays_without_them(project: Project) -> None:
    (fact,) = learned(project, "t", "Our refund window is 30 days.", user="ada")
    request = approved(project, "ada")
    assert fresh(request).preview["shared"] == [{"fact": fact, "alone": True}]
    assert work(project) == ["completed"]
    with bind(project.id):
        kept = Fact.objects.get()
        assert (kept.id, kept.source_trace_id, kept.is_current) == (fact, None, True)
        assert FactSource.objects.count() == 0


def test_a_shared_fact_goes_where_somebody_decided_so(project: Project) -> None:
    (fact,) = learned(project, "t", "Our refund window is 30 days.", user="ada")
    approved(project, "ada", also=(fact,))
    assert work(project) == ["completed"]
    with bind(project.id):
        assert Fact.objects.count() == 0


def test_what_is_excepted_stays_and_the_receipt_says_on_what_ground(project: Project) -> None:
    kept = make_fact(project, "Ask ada.lovelace for the release notes.")
    learned(project, "t", "I live in Lisbon.", user="ada.lovelace")
    request = approved(project, "ada.lovelace", exceptions={kept.id: "named in a contract"})
    assert work(project) == ["completed_with_exceptions"]
    with bind(project.id):
        assert list(Fact.objects.values_list("id", flat=True)) == [kept.id]
        receipt = Receipt.objects.get(request_id=request.id)
    assert receipt.body["exceptions"] == [{"what": "fact", "count": 1, "ground": "named in a contract"}]


def test_nobody_known_is_an_answer_too(project: Project) -> None:
    request = approved(project, "never-seen")
    assert work(project) == ["completed"]
    with bind(project.id):
        receipt = Receipt.objects.get(request_id=request.id)
    assert receipt.body["matched"] == 0


def test_the_receipt_names_nobody_and_verifies_without_a_database(project: Project) -> None:
    learned(project, "t", "I live in Lisbon.", user="ada.lovelace")
    request = approved(project, "ada.lovelace")
    assert work(project) == ["completed"]
    with bind(project.id):
        receipt = Receipt.objects.get(request_id=request.id)
        said = [str(event.data) for event in AuditEvent.objects.filter(object_type="privacy_request")]
    assert "lovelace" not in str(receipt.body) and not any("lovelace" in text for text in said)
    signature = bytes(receipt.signature)
    assert verify_receipt(receipt.body, signature, public_key())
    assert not verify_receipt(receipt.body | {"matched": 0}, signature, public_key())
    erased = {store["store"]: (store["before"], store["erased"]) for store in receipt.body["stores"]}
    assert erased["facts"] == (1, 1)


def test_extraction_in_flight_writes_nothing_afterwards(project: Project) -> None:
    learned(project, "t", "I live in Lisbon.", user="ada")
    curator_trace = run_of("t2", "I prefer email.", user="ada")
    push(project, curator_trace)
    approved_request = approved(project, "ada")
    assert work(project) == ["completed"]
    mine(project)
    with bind(project.id):
        assert (Fact.objects.count(), Proposal.objects.count(), Trace.objects.count()) == (0, 0, 0)
    assert fresh(approved_request).state == "completed"


def test_saved_views_that_name_the_person_go(project: Project) -> None:
    learned(project, "t", "I prefer email.", user="ada.k")
    curator = user_actor(project, "curator")
    for name, query in [
        ("By id", {"scope": "user", "scope_id": "ada.k"}),
        ("By words", {"q": "what ada.k said"}),
        ("Of ada.k", {"source": ["manual"]}),
        ("By address", {"category": ["x", "Ada@Example.test"]}),
        ("Another", {"scope": "user", "scope_id": "ada.k2"}),
        ("Case", {"scope": "user", "scope_id": "Ada.k"}),
        ("Short", {"scope": "user", "scope_id": "ab"}),
    ]:
        save_view(actor=curator, project_id=project.id, name=name, query=query)
    request = approved(project, "ada.k", identities=(Identifier("email", "ada@example.test"),))
    assert fresh(request).preview["stores"]["views"] == 4
    assert work(project) == ["completed"]
    with bind(project.id):
        assert list(SavedView.objects.order_by("id").values_list("name", flat=True)) == ["Another", "Case", "Short"]
    report = fresh(request).verification
    assert {check["check"]: check["hits"] for check in report["checks"] if "view" in check["check"]} == {
        "store:views": 0,
        "text:insight_savedview": 0,
    }
    # An id too short to be looked for in words is found where it is all that is said.
    learned(project, "t2", "I prefer phone.", user="ab")
    assert fresh(approved(project, "ab")).preview["stores"]["views"] == 1
    assert work(project) == ["completed"]
    with bind(project.id):
        assert list(SavedView.objects.order_by("id").values_list("name", flat=True)) == ["Another", "Case"]
