"""A fact in dispute goes on being told, and that it is disputed is told with it, in no word of the other side."""

import json

from apps.core.transactions import bind
from apps.curation.actions.reject_proposal import reject_proposal
from apps.curation.models import Conflict
from apps.facts.actions.revise_fact import revise_fact
from apps.facts.models import Fact
from apps.facts.statement import Statement
from apps.recall.queries import reader_for, told_facts
from apps.tenancy.models import Project
from tests.curation.stage import learn, propose_one, stage, wish
from tests.factories import make_key, user_actor

HOME = {"user": "ada", "attribute": "home-city"}


def told(project: Project) -> list[tuple[str, str | None]]:
    key, _ = make_key(project, ["facts:read", "facts:read:user"])
    answer = json.loads(told_facts(reader_for(key, "support", "ada", None), limit=50) or b"")
    assert "Porto" not in json.dumps(answer)
    return [(fact["content"], fact["conflict"] and fact["conflict"]["question"]) for fact in answer["facts"]]


def test_the_mark_comes_and_goes_with_the_conflict_and_stays_through_an_edit(fresh_db: str) -> None:
    # Committed: inside one long transaction a read's binding would outlive it.
    project = stage("one", "two")
    fact = learn(project, wish(project, "Lives in Lisbon.", **HOME))
    assert told(project) == [("Lives in Lisbon.", None)]
    proposal = propose_one(project, wish(project, "Lives in Porto.", **HOME))
    asked = "Sources disagree on home city. Which one holds?"
    assert told(project) == [("Lives in Lisbon.", asked)]
    curator = user_actor(project, "curator")
    words = Statement(content="Lives in Lisbon, Alfama.", scope="user", scope_id="ada", attribute="home-city")
    revise_fact(actor=curator, project_id=project.id, fact_id=fact.id, statement=words)
    assert told(project) == [("Lives in Lisbon, Alfama.", asked)]
    reject_proposal(actor=curator, project_id=project.id, proposal_id=proposal.id, reason="not_said")
    assert told(project) == [("Lives in Lisbon, Alfama.", None)]
    with bind(project.id):
        assert Conflict.objects.get().settled_at is not None
        assert not Fact.objects.current().exclude(contested_at=None).exists()
