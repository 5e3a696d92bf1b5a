"""Whatever is told, gives way, waits or is disputed since, by whichever path: webhooks are told of just that, once each."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from apps.access.actor import Actor
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.approve_proposal import Edits, approve_proposal
from apps.curation.actions.decide_proposal import decide_proposal
from apps.curation.actions.merge_facts import merge_facts
from apps.curation.actions.open_conflict import open_conflict
from apps.curation.actions.put_memory import put_memory
from apps.curation.actions.restore_version import restore_version
from apps.curation.actions.settle_conflict import Verdict, settle_conflict
from apps.curation.actions.supersede_fact import supersede_fact
from apps.curation.actions.undo_change import undo_change
from apps.curation.actions.write_fact import write_fact
from apps.curation.models import UNDECIDED, Conflict, Proposal
from apps.curation.standing import seen_as, standing
from apps.curation.writing import Word
from apps.exchange.models import Import, Webhook
from apps.facts.actions.move_fact import move_fact
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.append import Origin
from apps.facts.models import Fact, FactDerivation
from apps.facts.statement import Destination, Statement, statement_of
from apps.privacy.actions.fulfil_request import fulfil_request
from apps.privacy.actions.open_request import open_request
from apps.recall.queries import reader_for
from apps.tenancy.models import Project
from tests.console.stage import learn
from tests.exchange.hooks import added
from tests.exchange.stage import SAID_AT, as_file, brought_in, line
from tests.exchange.test_webhooks import URL, heard
from tests.factories import make_agent, make_fact, make_key, make_project, user_actor
from tests.privacy.stage import approved, officer, work

pytestmark = pytest.mark.django_db
Then = Callable[[], object]
WINDOW = "refund-window"


@pytest.fixture
def project(settings: Any) -> Project:
    settings.PURGE_WAITS = False
    project = make_project()
    make_agent(project, "support")
    return project


def key(project: Project, mode: str) -> Actor:
    return make_key(project, ["facts:write", "facts:read", "agent:write"], write_mode=mode)[0].actor


def said(project: Project, mode: str, content: str, **marks: Any) -> None:
    statement = Statement(content=content, **({"scope": "project"} | marks))
    write_fact(actor=key(project, mode), project_id=project.id, word=Word(statement=statement, observed_at=SAID_AT))


def put(project: Project, mode: str, value: Any) -> None:
    put_memory(actor=key(project, mode), project_id=project.id, agent="support", scope="pr:1", key="city", value=value)


def who(project: Project) -> dict[str, Any]:
    return {"actor": user_actor(project, "curator", "admin"), "project_id": project.id}


def window(project: Project, days: int = 14, **more: Any) -> Fact:
    return make_fact(project, f"The refund window is {days} days.", attribute=WINDOW, **more)


def last(project: Project) -> Proposal:
    with bind(project.id):
        return Proposal.objects.order_by("-created_at", "-id")[0]


# Each sets its scene and gives back what is then done.


def add(project: Project) -> Then:
    return lambda: make_fact(project, "Returns take 45 days.")


def write_direct(project: Project) -> Then:
    return lambda: said(project, "direct", "Returns take 45 days.")


def write_waiting(project: Project) -> Then:
    return lambda: said(project, "propose", "Returns take 45 days.")


def write_against_a_fact(project: Project) -> Then:
    window(project)
    return lambda: said(project, "propose", "The refund window is 30 days.", attribute=WINDOW)


def write_against_two_that_wait(project: Project) -> Then:
    said(project, "propose", "The refund window is 30 days.", attribute=WINDOW)
    said(project, "propose", "The refund window is 60 days.", attribute=WINDOW)
    return lambda: said(project, "propose", "The refund window is 90 days.", attribute=WINDOW)


def write_over_the_cap(project: Project) -> Then:
    for number in range(201):
        make_fact(project, f"Likes tea of kind {number}.", user="quentin", origin=Origin(source="learned", trust=2))
    return lambda: said(project, "propose", "Likes rowing.", scope="user", scope_id="quentin")


def put_direct(project: Project) -> Then:
    put(project, "direct", "Lisbon")
    return lambda: put(project, "direct", "Porto")


def put_waiting(project: Project) -> Then:
    put(project, "direct", "Lisbon")
    return lambda: put(project, "propose", "Porto")


def replace_by_a_client(project: Project) -> Then:
    writer = make_key(project, ["facts:write", "facts:read", "agent:write"], write_mode="direct")[0]
    ids = []
    for content in ("Opens at nine.", "Opens at ten."):
        word = Word(statement=Statement(content=content, scope="project"), observed_at=SAID_AT)
        written = write_fact(actor=writer.actor, project_id=project.id, word=word)
        assert written.fact is not None
        ids.append(written.fact.id)
    given = {"actor": writer.actor, "project_id": project.id, "reader": reader_for(writer, "", None, None)}
    return lambda: supersede_fact(**given, fact_id=ids[0], by_id=ids[1])


def revise(project: Project) -> Then:
    fact = make_fact(project, "Returns take 45 days.")
    statement = replace(statement_of(fact), content="Returns take 30 days.")
    return lambda: revise_fact(**who(project), fact_id=fact.id, statement=statement)


def move(project: Project) -> Then:
    fact = make_fact(project, "Returns take 45 days.")
    to = Destination(scope="agent", scope_id="support")
    return lambda: move_fact(**who(project), fact_id=fact.id, to=to)


def restore(project: Project) -> Then:
    fact = make_fact(project, "Returns take 45 days.")
    statement = replace(statement_of(fact), content="Returns take 30 days.")
    newer = revise_fact(**who(project), fact_id=fact.id, statement=statement)
    return lambda: restore_version(**who(project), version_id=fact.id, current_id=newer.id)


def merge(project: Project) -> Then:
    facts = [make_fact(project, f"Shelf {number} holds lamps.").id for number in range(2)]
    return lambda: merge_facts(**who(project), fact_ids=facts, content="Shelves hold lamps.")


def merge_taken_back(project: Project) -> Then:
    actor = who(project)["actor"]
    facts = [make_fact(project, f"Shelf {number} holds lamps.").id for number in range(2)]
    _, change = merge_facts(actor=actor, project_id=project.id, fact_ids=facts, content="Shelves hold lamps.")
    return lambda: undo_change(actor=actor, change_id=change.id)


def approve(project: Project) -> Then:
    said(project, "propose", "Returns take 45 days.")
    proposal = last(project)
    return lambda: approve_proposal(**who(project), proposal_id=proposal.id, edits=Edits(importance=0.9))


def approve_in_place_of_a_fact(project: Project) -> Then:
    window(project, origin=Origin(source="agent", trust=1))
    said(project, "propose", "The refund window is 30 days.", attribute=WINDOW)
    proposal = last(project)
    return lambda: approve_proposal(**who(project), proposal_id=proposal.id, supersede=True)


def approval_taken_back(project: Project) -> Then:
    window(project, origin=Origin(source="agent", trust=1))
    said(project, "propose", "The refund window is 30 days.", attribute=WINDOW)
    actor = who(project)["actor"]
    _, change = decide_proposal(actor=actor, project_id=project.id, proposal_id=last(project).id, supersede=True)
    return lambda: undo_change(actor=actor, change_id=change.id)


def mined(project: Project) -> Then:
    learn(project, "a", "Our refund window is 14 days.")
    return lambda: learn(project, "b", "Our refund window is 30 days. Our returns desk is closed on Mondays.")


def mined_against_what_is_disputed(project: Project) -> Then:
    learn(project, "a", "Our refund window is 14 days.")
    learn(project, "b", "Our refund window is 30 days.")
    return lambda: learn(project, "c", "Our refund window is 60 days.")


def disputed_by_a_person(project: Project) -> Then:
    facts = [make_fact(project, f"Returns take {days} days.").id for days in (10, 45)]
    return lambda: open_conflict(**who(project), fact_ids=facts)


def joined_by_a_person(project: Project) -> Then:
    one, two, three = (make_fact(project, f"Returns take {days} days.").id for days in (10, 45, 60))
    open_conflict(**who(project), fact_ids=[one, two])
    return lambda: open_conflict(**who(project), fact_ids=[two, three])


def settled(project: Project) -> Then:
    disputed = _disputed(project)
    return lambda: _settle(project, *disputed)


def settled_and_taken_back(project: Project) -> Then:
    actor, change = _settle(project, *_disputed(project))
    return lambda: undo_change(actor=actor, change_id=change)


def _disputed(project: Project) -> tuple[int, int]:
    facts = [make_fact(project, f"Returns take {days} days.").id for days in (10, 45)]
    conflict, _ = open_conflict(**who(project), fact_ids=facts)
    return conflict.id, facts[0]


def _settle(project: Project, conflict_id: int, kept: int) -> tuple[Actor, Any]:
    with bind(project.id):
        sides = standing(project.id, conflict_id)
    keep = next(side.ref for side in sides if side.fact and side.fact.id == kept)
    given = who(project)
    verdict = Verdict(kind="keep", keep=keep)
    done = settle_conflict(**given, conflict_id=conflict_id, seen=seen_as(sides), verdict=verdict)
    return given["actor"], done.change.id


def imported(project: Project) -> Then:
    window(project)
    data = as_file(
        line("The refund window is 30 days.", attribute=WINDOW), line("The refund window is 60 days.", attribute=WINDOW),
        line("Shelf 1 holds lamps."),
    )  # fmt: skip
    return lambda: brought_in(project, data, most=1)


def imported_with_limits(project: Project) -> Then:
    data = as_file(line("Shelf 1 holds lamps.", purposes=["sales"]), line("Shelf 2 holds lamps."))
    return lambda: brought_in(project, data)


def imported_directly(project: Project) -> Then:
    return lambda: brought_in(project, as_file(line("Shelf 1 holds lamps."), line("Shelf 2 holds lamps.")), direct=True)


def corrected(project: Project) -> Then:
    fact = make_fact(project, "Lives in Lisbon.", user="quentin")

    def then() -> None:
        officer_ = officer(project)
        request = open_request(
            actor=officer_, project_id=project.id, kind="correction", external_id="quentin", identity_method="document",
            fact_id=fact.id, correction="Lives in Porto.",
        )  # fmt: skip
        fulfil_request(actor=officer_, project_id=project.id, request_id=request.id)
        assert work(project) == ["completed"]

    return then


def told_again_after_an_erasure(project: Project) -> Then:
    theirs = make_fact(project, "Likes rowing.", user="bystander")
    hers = make_fact(project, "Both like rowing.", user="quentin-quillworth")
    with bind(project.id):
        # Something about somebody else went into what is hers.
        FactDerivation.objects.create(project_id=project.id, child=hers, parent=theirs)
        Fact.objects.filter(id=theirs.id).update(superseded_by=hers, superseded_at=now())

    def then() -> None:
        approved(project, "quentin-quillworth")
        for _ in range(6):
            work(project)

    return then


PATHS = [
    add, write_direct, write_waiting, write_against_a_fact, write_against_two_that_wait, write_over_the_cap, put_direct,
    put_waiting, replace_by_a_client, revise, move, restore, merge, merge_taken_back, approve, approve_in_place_of_a_fact, approval_taken_back,
    mined, mined_against_what_is_disputed, disputed_by_a_person, joined_by_a_person, settled, settled_and_taken_back,
    imported, imported_with_limits, imported_directly, corrected, told_again_after_an_erasure,
]  # fmt: skip
Seen = set[tuple[str, str, str]]


def standing_now(project: Project) -> Seen:
    """What each kind of event would be about."""
    with bind(project.id):
        told = Fact.objects.current().exclude(restricted_reason="erasure").values_list("id", flat=True)
        closed = Fact.objects.filter(superseded_at__isnull=False).values_list("id", flat=True)
        waiting = Proposal.objects.filter(state__in=UNDECIDED).values_list("id", flat=True)
        open_ones = Conflict.objects.filter(settled_at=None).values_list("id", flat=True)
        rows = {
            "fact.approved": ("fact", told), "fact.superseded": ("fact", closed), "proposal.waiting": ("proposal", waiting),
            "conflict.opened": ("conflict", open_ones),
        }  # fmt: skip
        return {(event, kind, str(one)) for event, (kind, ids) in rows.items() for one in ids}


def of_imports(project: Project, since: Seen) -> Seen:
    """A file's facts and proposals are told of as one."""
    with bind(project.id):
        facts = {
            ("fact.approved", "fact", str(one))
            for one in Fact.objects.filter(source="import").values_list("id", flat=True)
        }
        ids = Proposal.objects.filter(origin="import").values_list("id", flat=True)
        waiting = {("proposal.waiting", "proposal", str(one)) for one in ids}
        uploads = list(Import.objects.values_list("id", flat=True))
    found = since - facts - waiting
    for event, lines in (("fact.approved", facts), ("proposal.waiting", waiting)):
        if lines & since:
            found |= {(event, "import", str(one)) for one in uploads}
    return found


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.__name__)
def test_each_path_is_told_once(project: Project, path: Callable[[Project], Then]) -> None:
    webhook: Webhook = added(project, URL)[0]
    then = path(project)
    heard(webhook)
    before = standing_now(project)
    then()
    wanted = of_imports(project, standing_now(project) - before)
    assert wanted or path is joined_by_a_person, "this path does nothing"
    found = {one for one in heard(webhook) if one[0] not in {"fact.forgotten", "request.overdue"}}
    assert found == wanted
