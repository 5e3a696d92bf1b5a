"""Review: what repeats a fact, contradicts one, or would retire one; and why each is there."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client

from apps.access.actor import system_actor
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.cap_learned import cap_learned
from apps.curation.models import Conflict, Proposal, ProposalTarget
from apps.facts.actions.retire_fact import retire_fact
from apps.facts.models import Fact
from apps.tenancy.models import Project
from tests.console.pages import between, link, text
from tests.console.stage import HX, login, moved, state
from tests.curation.stage import learn, propose_one, stage, told, wish
from tests.factories import make_agent, make_fact, user_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return stage("one", "two")


@pytest.fixture
def curator(project: Project) -> Client:
    return login(project, "curator")


def url(proposal: Proposal, verb: str = "") -> str:
    return f"/p/acme/review/{proposal.id}" + (f"/{verb}" if verb else "")


def fresh(proposal: Proposal) -> Proposal:
    with bind(proposal.project_id):
        return Proposal.objects.get(id=proposal.id)


def buttons(client: Client, proposal: Proposal) -> list[str]:
    """The ways to say yes, in order."""
    return [choice.label for choice in client.get(url(proposal)).context["detail"].decision.choices]


def post(client: Client, proposal: Proposal, label: str, **headers: str) -> int:
    """Press the button of that label."""
    choices = client.get(url(proposal)).context["detail"].decision.choices
    (choice,) = [one for one in choices if one.label == label]
    fields = {choice.name: choice.value} if choice.name else {}
    return client.post(url(proposal, "approve"), fields, **headers).status_code  # type: ignore[arg-type]


def repeats(project: Project) -> tuple[Fact, Proposal]:
    """A fact, and a proposal that seems to say it again."""
    fact = make_fact(project, "Returns take 45 days.", agent=make_agent(project, "support"))
    proposal = propose_one(project, wish(project, "Customers may send things back for 45 days."))
    with bind(project.id):
        Proposal.objects.filter(id=proposal.id).update(flags=["duplicate"], op="add")
        ProposalTarget.objects.create(project_id=project.id, proposal=proposal, fact=fact)
    return fact, proposal


def contradicts(project: Project, **fields: object) -> tuple[Fact, Proposal]:
    """A learned fact, and a proposal that says otherwise."""
    fact = learn(project, wish(project, "Lives in Porto.", user="ada", attribute="home-city"))
    later = {"at": now() + timedelta(minutes=1), "trace": "one"} | fields
    return fact, propose_one(project, wish(project, "Lives in Lisbon.", user="ada", attribute="home-city", **later))  # type: ignore[arg-type]


# --- why -----------------------------------------------------------------------------------------------------------


def test_the_rule_that_made_it_is_said_as_a_sentence(project: Project, curator: Client) -> None:
    kept = propose_one(project, wish(project, "Ships on Tuesdays.", policy_rule="lasting-fact"))
    held = propose_one(project, wish(project, "Has a nut allergy.", user="ada", policy_rule="special", held=True))
    assert "Kept: a lasting fact, which changes how the agent should act." in text(curator.get(url(kept)).text)
    page = text(curator.get(url(held)).text)
    assert "Held: health, belief or another special category needs a person's consent to keep it." in page


# --- the same again ------------------------------------------------------------------------------------------------


def test_a_duplicate_shows_the_difference_and_offers_to_merge(project: Project, curator: Client) -> None:
    fact, proposal = repeats(project)
    page = curator.get(url(proposal))
    assert f"Same as #{fact.id}" in text(page.text)
    said = re.sub(r"</?span>", "", page.text)
    assert "<del>Returns take</del><ins>Customers may send things back for</ins> 45" in said
    assert link(page, "open fact") == f"/p/acme/facts/{fact.id}"
    assert buttons(curator, proposal) == [f"Merge into #{fact.id}", "Approve as its own fact"]
    row = text(curator.get("/p/acme/review").text)
    assert f"says the same as #{fact.id} “Returns take 45 days.”" in row


def test_merging_adds_the_evidence_and_no_fact(project: Project, curator: Client) -> None:
    fact, proposal = repeats(project)
    answer = curator.post(url(proposal, "approve"), {"same_as": str(fact.id)}, follow=True)
    assert f"Merged {proposal.number} into #{fact.id}" in answer.text
    assert told(project) == ["Returns take 45 days."]
    with bind(project.id):
        fact.refresh_from_db()
    assert (fresh(proposal).state, fresh(proposal).fact_id, fact.corroborations) == ("applied", fact.id, 1)
    page = text(curator.get(url(proposal)).text)
    assert f"Approved by you, merged into #{fact.id}" in page


def test_a_duplicate_may_be_a_fact_of_its_own_as_it_stands_or_edited(project: Project, curator: Client) -> None:
    _, proposal = repeats(project)
    assert post(curator, proposal, "Approve as its own fact", **HX) == 200
    assert told(project) == ["Returns take 45 days.", "Customers may send things back for 45 days."]
    _, other = repeats_again(project)
    form = curator.get(url(other, "approve")).context["form"]
    assert "supersede" not in form.fields
    fields = {name: form[name].value() or "" for name in form.fields}
    assert curator.post(url(other, "approve"), fields).status_code == 302
    assert told(project)[-1] == "Sends things back within 45 days."


def repeats_again(project: Project) -> tuple[Fact, Proposal]:
    proposal = propose_one(project, wish(project, "Sends things back within 45 days.", trace="two"))
    with bind(project.id):
        fact = Fact.objects.order_by("id").first()
        assert fact is not None
        ProposalTarget.objects.get_or_create(project_id=project.id, proposal=proposal, fact=fact)
        Proposal.objects.filter(id=proposal.id).update(flags=["duplicate"], op="add")
    return fact, proposal


def test_what_it_repeats_may_be_gone_by_then(project: Project, curator: Client) -> None:
    fact, proposal = repeats(project)
    retire_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id, reason="stale")
    assert buttons(curator, proposal) == ["Approve as its own fact"]
    assert "it can no longer be merged into" in text(curator.get(url(proposal)).text)
    before = state(project)
    for extra in ({}, HX):
        answer = curator.post(url(proposal, "approve"), {"same_as": str(fact.id)}, **extra)  # type: ignore[arg-type]
        assert answer.status_code == 409 and "was changed by somebody else" in answer.text
    assert moved(before, state(project)) == set()


@pytest.mark.parametrize(("number", "status"), [("999999", 404), ("0x1", 404), ("9" * 40, 404), ("-1", 404)])
def test_a_fact_that_is_not_there(project: Project, curator: Client, number: str, status: int) -> None:
    _, proposal = repeats(project)
    before = state(project)
    assert curator.post(url(proposal, "approve"), {"same_as": number}).status_code == status
    assert moved(before, state(project)) == set()


def test_a_fact_that_is_told_to_others_is_refused_in_place(project: Project, curator: Client) -> None:
    _, proposal = repeats(project)
    other = make_fact(project, "Ships on Tuesdays.")
    before = state(project)
    answer = curator.post(url(proposal, "approve"), {"same_as": str(other.id)})
    assert answer.status_code == 422 and f"Fact #{other.id} is told to others than this would be." in answer.text
    assert moved(before, state(project)) == set()


# --- otherwise -----------------------------------------------------------------------------------------------------


def test_a_conflict_shows_both_sides_and_chooses_neither(project: Project, curator: Client) -> None:
    fact, proposal = contradicts(project)
    page = curator.get(url(proposal))
    decision = page.context["detail"].decision
    assert [(side.title, side.fact_id, side.content, side.quote) for side in decision.sides] == [
        ("Proposed here", None, "Lives in Lisbon.", "Lives in Lisbon."),
        ("Told now", fact.id, "Lives in Porto.", "Lives in Porto."),
    ]
    assert "the user's own words" in unescape(text(page.text))
    assert decision.advice == "This was said later, and is trusted no less."
    assert buttons(curator, proposal) == [f"Replace #{fact.id}", "Keep both"]
    assert not any(choice.main for choice in decision.choices) and 'data-hotkey="a"' not in page.text


@pytest.mark.parametrize(
    ("fields", "advice"),
    [
        ({"trust": 2}, "#{} is trusted more: the user's own words."),
        ({"at": now() - timedelta(days=9)}, "#{} was said later than this."),
    ],
)
def test_the_weaker_side_is_named_and_may_still_win(
    project: Project, curator: Client, fields: dict[str, object], advice: str
) -> None:
    fact, proposal = contradicts(project, **fields)
    assert proposal.op == "add"
    assert curator.get(url(proposal)).context["detail"].decision.advice == advice.format(fact.id)
    row = text(curator.get("/p/acme/review").text)
    assert "Conflict: says otherwise than what is told or waits; open it to choose." in row
    before = state(project)
    for extra in ({}, HX):
        answer = curator.post(url(proposal, "approve"), **extra)  # type: ignore[arg-type]
        assert answer.status_code == 422 and f"It contradicts #{fact.id}" in answer.text
    assert moved(before, state(project)) == set()
    assert post(curator, proposal, f"Replace #{fact.id}", **HX) == 200
    assert told(project) == ["Lives in Lisbon."]


@pytest.mark.parametrize(("label", "left"), [("Replace #{}", 1), ("Keep both", 2)])
def test_the_choice_settles_it(project: Project, curator: Client, label: str, left: int) -> None:
    fact, proposal = contradicts(project)
    assert post(curator, proposal, label.format(fact.id)) == 302
    assert len(told(project)) == left and "Lives in Lisbon." in told(project)
    with bind(project.id):
        settlement = Conflict.objects.get().settlement
    assert settlement == {1: "kept_one", 2: "kept_both"}[left]


def test_what_waits_beside_it_is_a_side_too(project: Project, curator: Client) -> None:
    first = propose_one(project, wish(project, "Lives in Porto.", user="ada", attribute="home-city"))
    second = propose_one(project, wish(project, "Lives in Lisbon.", user="ada", attribute="home-city", trace="one"))
    sides = curator.get(url(second)).context["detail"].decision.sides
    assert [side.content for side in sides] == ["Lives in Lisbon.", "Lives in Porto."]
    assert buttons(curator, second) == ["Approve"]
    assert f'href="{url(first)}"' in curator.get(url(second)).text


def test_editing_asks_for_the_choice_too(project: Project, curator: Client) -> None:
    fact, proposal = contradicts(project, trust=2)
    form = curator.get(url(proposal, "approve")).context["form"]
    fields = {name: form[name].value() or "" for name in form.fields} | {"content": "Lives in Lisbon, Portugal."}
    assert [value for value, _ in form.fields["supersede"].choices] == ["yes", "no"]
    before = state(project)
    answer = curator.post(url(proposal, "approve"), fields)
    assert answer.status_code == 422 and answer.context["form"].errors["supersede"]
    assert moved(before, state(project)) == set()
    assert curator.post(url(proposal, "approve"), fields | {"supersede": "yes"}).status_code == 302
    assert told(project) == ["Lives in Lisbon, Portugal."]
    with bind(project.id):
        fact.refresh_from_db()
    assert fact.superseded_by_id == fresh(proposal).fact_id


def test_a_side_that_changed_can_no_longer_be_replaced(project: Project, curator: Client) -> None:
    fact, proposal = contradicts(project)
    retire_fact(actor=user_actor(project, "curator"), project_id=project.id, fact_id=fact.id, reason="wrong")
    decision = curator.get(url(proposal)).context["detail"].decision
    assert decision.advice == f"#{fact.id} changed since this was proposed, so this can no longer replace it."
    assert post(curator, proposal, "Approve as its own fact") == 302
    assert told(project) == ["Lives in Lisbon."]


# --- over the cap --------------------------------------------------------------------------------------------------


@pytest.fixture
def retirement(project: Project) -> Proposal:
    """Two learned facts where one may be."""
    fact = learn(project, wish(project, "Likes tea.", user="ada"))
    learn(project, wish(project, "Plays chess.", user="ada"))
    (proposal,) = cap_learned(
        actor=system_actor("extraction", project.id),
        project_id=project.id,
        subject_id=fact.subject_id,  # type: ignore[arg-type]
        max_learned=1,
    )
    return proposal


def target(proposal: Proposal) -> int:
    with bind(proposal.project_id):
        return ProposalTarget.objects.get(proposal_id=proposal.id).fact_id


def test_a_retirement_says_why_and_offers_two_ways(project: Project, curator: Client, retirement: Proposal) -> None:
    number = target(retirement)
    page = curator.get(url(retirement))
    assert f"Would retire #{number}: over the cap of 200 learned facts about one subject." in text(page.text)
    assert buttons(curator, retirement) == [f"Retire #{number}"] and "Keep it" in page.text
    said = between(page, 'class="verdict"', "</article>")
    assert "Reject because" not in page.text.split("</article>")[0] and "Edit" not in said
    assert f"Retire: would no longer tell #{number}" in text(curator.get("/p/acme/review").text)
    # There is nothing to edit.
    assert "form" not in (curator.get(url(retirement, "approve")).context or {})


def test_retiring_and_keeping(project: Project, curator: Client, retirement: Proposal) -> None:
    number = target(retirement)
    before = state(project)
    answer = curator.post(url(retirement, "approve"), {"supersede": "no"})
    assert answer.status_code == 422 and moved(before, state(project)) == set()
    answer = curator.post(url(retirement, "approve"), follow=True)
    assert f"Retired #{number}: agents are no longer told it" in answer.text
    assert told(project) == ["Plays chess."]
    assert f"Approved by you: #{number} is no longer told" in text(curator.get(url(retirement)).text)


def test_what_was_kept_is_not_proposed_again(project: Project, curator: Client, retirement: Proposal) -> None:
    answer = curator.post(url(retirement, "reject"), {"reason": "other"}, follow=True)
    assert "Kept the fact" in answer.text and told(project) == ["Likes tea.", "Plays chess."]
    assert "Rejected by you: the fact is kept" in text(curator.get(url(retirement)).text)


# --- text from strangers -------------------------------------------------------------------------------------------


def test_ugly_text_on_every_side_is_shown_as_it_is(project: Project, curator: Client) -> None:
    ugly = "<script>alert(1)</script> {{ 7*7 }}"
    learn(project, wish(project, f"Lives in {ugly}.", user="ada", attribute="home-city"))
    later = now() + timedelta(minutes=1)
    proposal = propose_one(
        project, wish(project, f"Moved to <b>{ugly}</b>.", user="ada", attribute="home-city", at=later, trace="one")
    )
    for where in (url(proposal), url(proposal, "approve"), "/p/acme/review"):
        html = curator.get(where).text
        assert "<script>alert" not in html and "<b><script" not in html and ugly in unescape(html)


@pytest.mark.parametrize("role", ["viewer", "privacy_officer", "admin", "auditor"])
def test_only_curators_choose(project: Project, role: str) -> None:
    fact, proposal = repeats(project)
    other, before = login(project, role), state(project)
    for fields in ({"same_as": str(fact.id)}, {"supersede": "no"}):
        assert other.post(url(proposal, "approve"), fields).status_code == 403
    assert moved(before, state(project)) == {"audit_auditevent", "audit_audithead"}
