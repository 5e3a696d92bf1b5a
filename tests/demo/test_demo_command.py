"""`manage.py bootstrap`, `key` and `demo` on a real database."""

import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.access.actions.authenticate_key import authenticate_key
from apps.access.models import ApiKey, Membership, User
from apps.access.queries import actor_for_user
from apps.audit.queries import verify_chain
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.models import Conflict, DuplicateGroup, Proposal
from apps.dreaming.models import DreamChange, DreamRun
from apps.facts.models import Fact
from apps.privacy.actions.approve_request import approve_request
from apps.privacy.models import PrivacyRequest
from apps.recall.models import ReadLedger
from apps.tenancy.models import Agent, Project
from apps.traces.models import Trace
from memoryplane.demo.conversations import load
from memoryplane.demo.requests import TO_APPROVE

pytestmark = pytest.mark.django_db


def said_by(*command: str) -> str:
    out = StringIO()
    call_command(*command, stdout=out)
    return out.getvalue()


def test_bootstrap_prints_its_secrets_once() -> None:
    text = said_by("bootstrap", "--url", "http://127.0.0.1:9000")
    found = dict(re.findall(r"^export (\w+)=(\S+)$", text, re.MULTILINE))
    assert (found["MEMORYPLANE_URL"], found["MEMORYPLANE_AGENT"]) == ("http://127.0.0.1:9000", "support")
    key, no_facts = (authenticate_key(found[n]) for n in ("MEMORYPLANE_API_KEY", "MEMORYPLANE_KEY_NO_FACTS"))
    assert key.scopes == ["agent:write", "facts:read", "traces:write"]
    assert no_facts.scopes == ["agent:write", "traces:write"]
    password = re.search(r"password +(\S+)", text)
    user = User.objects.get()
    assert password is not None and user.check_password(password[1])
    assert sorted(Membership.objects.values_list("role", flat=True)) == ["admin", "curator", "privacy_officer"]
    project = Project.objects.get()
    with bind(project.id):
        assert [agent.name for agent in Agent.objects.all()] == ["support"]
        assert Fact.objects.active().count() == 6
        assert verify_chain(project.id).broken_at is None
    assert said_by("bootstrap") == ""
    assert (User.objects.count(), ApiKey.objects.count()) == (1, 2)


def test_key_prints_a_line_a_shell_can_read() -> None:
    said_by("bootstrap")
    line = said_by("key", "--agent", "support", "--scopes", "facts:read, facts:read:user")
    match = re.fullmatch(r"export MEMORYPLANE_API_KEY=(\S+)\n", line)
    assert match is not None
    key = authenticate_key(match[1])
    project = Project.objects.get()
    with bind(project.id):
        assert (key.scopes, key.agents) == (["facts:read", "facts:read:user"], [Agent.objects.get().id])
    for wrong in (["--agent", "nobody"], ["--scopes", "all"], ["--project", "other"], ["--scopes", ""]):
        with pytest.raises(CommandError):
            said_by("key", *wrong)
    assert ApiKey.objects.count() == 3


def test_demo_runs_its_conversations_through_the_product() -> None:
    with pytest.raises(CommandError, match="make up"):
        said_by("demo")
    assert Project.objects.count() == 0
    said_by("bootstrap")
    assert "conversations" in said_by("demo")
    assert "there already" in said_by("demo")
    project = Project.objects.get(slug="demo")
    with bind(project.id):
        assert Trace.objects.count() == sum(len(talk.exchanges()) for talk in load())
        assert Trace.objects.filter(extracted_at=None).count() == 0
        facts = Fact.objects.all()
        assert facts.count() >= 40
        assert facts.exclude(superseded_by=None).count() >= 3
        # Three copies and one that contradicts were written by hand, and nine wait to be tidied up.
        assert facts.filter(proposal_id=None).count() == 4 + 9
        run = DreamRun.objects.get()
        changes = DreamChange.objects.filter(run=run)
        assert (run.state, changes.exclude(state="pending").count()) == ("proposed", 0)
        assert {"merge", "redate", "retire"} <= set(changes.values_list("op", flat=True))
        assert Conflict.objects.filter(settled_at=None).count() >= 2
        assert Conflict.objects.exclude(opened_by="").count() == 1
        assert DuplicateGroup.objects.filter(alike=1).count() == 3
        waiting = Proposal.objects.waiting()
        assert waiting.filter(state="pending").count() >= 10
        assert waiting.filter(state="quarantined").count() >= 1
        assert Proposal.objects.filter(state="rejected").count() >= 3
        # Two were put off, three taken on by whoever looks at the demo; facts are pinned, about to expire, and disabled.
        assert Proposal.objects.snoozed().count() == 2
        mine = Proposal.objects.waiting().filter(assignee=User.objects.earliest("id").id)
        assert mine.count() == 3
        assert (facts.filter(pinned=True).count(), facts.filter(restricted_reason="disabled").count()) == (2, 1)
        ending = sorted((fact.expires_at - now()).days for fact in facts.exclude(expires_at=None) if fact.expires_at)
        assert ending == [2, 24]
        assert ReadLedger.objects.count() == 6
        # One is due in a few days, one waits for whoever looks at the demo, and workers are about to carry out one.
        asked = {request.state: request for request in PrivacyRequest.objects.order_by("number")}
        assert sorted(asked) == ["awaiting_approval", "received", "suppressing"]
        assert timedelta(days=1) < asked["received"].due_at - now() < timedelta(days=6)
        assert asked["suppressing"].approved_by == f"user:{User.objects.earliest('id').id}"
        he = actor_for_user(User.objects.earliest("id"), project)
        assert he is not None
        digest = bytes(asked["awaiting_approval"].preview_digest or b"").hex()
        shown = {"request_id": asked["awaiting_approval"].id, "digest": digest, "typed_id": TO_APPROVE}
        assert approve_request(actor=he, project_id=project.id, **shown).state == "suppressing"
        assert verify_chain(project.id).broken_at is None
