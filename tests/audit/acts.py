"""What every route that changes something leaves in the audit log: one row of its own verb, and those of the verbs inside.

tests/audit/test_every_route.py asks each of them and fails for a route without a row here. A set-up makes what the route
needs beyond the world of tests/console/test_routes.py, and answers with the form to send; `at` in it is the path, `who` the
browser.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from apps.access.actor import Actor
from apps.access.models import Membership, User
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.actions.compare_facts import compare_facts
from apps.curation.actions.edit_fact import edit_fact
from apps.curation.models import Conflict, DuplicateGroup
from apps.curation.standing import seen_as, standing
from apps.facts.actions.retire_category import retire_category
from apps.facts.statement import Statement
from apps.insight.actions.save_view import save_view
from apps.privacy.actions.approve_request import submit_request
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.preview_request import preview_request
from apps.privacy.models import PrivacyRequest
from apps.traces.models import Trace
from tests.console.test_recall_settings import DEFAULTS
from tests.console.test_routes import World
from tests.exchange.stage import as_file, line
from tests.factories import PASSWORD, make_fact, user_actor
from tests.privacy.stage import officer

Form = dict[str, Any]


@dataclass(frozen=True)
class Act:
    """``verbs`` that are recorded, the route's own first; ``make`` answers with the form where the usual one will not do."""

    verbs: tuple[str, ...]
    make: Callable[[World], Form] | None = None


def actor_of(world: World, role: str) -> Actor:
    user = User.objects.get(email=f"{role}@example.test")
    return user_actor(world.project, role, user=user)


def settled(world: World, role: str) -> None:
    """As if the role had been given long ago."""
    Membership.objects.filter(user__email=f"{role}@example.test").update(created_at=now() - timedelta(days=2))


def file(world: World) -> Form:
    data = io.BytesIO(as_file(line("Nobody knew this.")))
    data.name = "facts.jsonl"
    return {"file": data, "who": "curator"}


def own_view(world: World) -> Form:
    view = save_view(
        actor=actor_of(world, "curator"),
        project_id=world.project.id,
        name="Mine",
        query={"source": ["manual"]},
        shared=False,
    )
    return {"name": "Mine still", "at": f"/p/acme/facts/views/{view.id}", "who": "curator"}


def older(world: World) -> Form:
    fact = make_fact(world.project, "Parcels leave at noon.")
    said = Statement(content="Parcels leave at one.", scope="project", scope_id="acme")
    new, _ = edit_fact(actor=actor_of(world, "curator"), project_id=world.project.id, fact_id=fact.id, statement=said)
    return {"restore": fact.id, "current": new.id, "at": f"/p/acme/facts/{new.id}/history", "who": "curator"}


def pair(world: World) -> tuple[int, list[int]]:
    facts = [make_fact(world.project, f"Opens at seven{mark}", user="bea.k") for mark in (".", "!")]
    compare_facts()
    with bind(world.project.id):
        group = DuplicateGroup.objects.get(members__fact_id=facts[0].id)
    return group.id, [fact.id for fact in facts]


def keep(world: World) -> Form:
    _, (one, two) = pair(world)
    return {"merge": [f"{two} {one}"]}


def merge(world: World) -> Form:
    group, (one, two) = pair(world)
    form = {"act": "keep", "facts": f"{one} {two}", "keep": str(one)}
    return form | {"at": f"/p/acme/facts/duplicates/{group}", "who": "curator"}


def verdict(world: World) -> Form:
    with bind(world.project.id):
        conflict = Conflict.objects.filter(settled_at=None).latest("id")
        seen = seen_as(standing(world.project.id, conflict.id))
    return {"seen": seen, "verdict": seen.split()[0], "at": f"/p/acme/conflicts/{conflict.id}", "who": "curator"}


def assignee(world: World) -> Form:
    return {"assignee": str(User.objects.get(email="curator@example.test").id)}


def recent(world: World) -> Form:
    with bind(world.project.id):
        Trace.objects.filter(project_id=world.project.id).update(
            started_at=now() - timedelta(hours=2), last_arrival_at=now() - timedelta(hours=1)
        )
    return {"hours": "24", "who": "curator"}


def dead(world: World) -> Form:
    with bind(world.project.id):
        Trace.objects.filter(project_id=world.project.id).update(extracted_at=None, dead_reason="model_timeout")
    return {"reason": "model_timeout", "who": "curator"}


def retired(world: World) -> Form:
    retire_category(actor=actor_of(world, "curator"), project_id=world.project.id, name="policy")
    return {"name": "policy", "who": "curator"}


def request(world: World, kind: str, by: Actor | None = None) -> PrivacyRequest:
    make_fact(world.project, "Lives in Lisbon.", user="cleo.k")
    return open_request(
        actor=by or officer(world.project),
        project_id=world.project.id,
        kind=kind,
        external_id="cleo.k",
        identity_method="known_to_us",
    )


def extend(world: World) -> Form:
    asked = request(world, "access")
    form = {"do": "extend", "reason": "There is a lot of it."}
    return form | {"at": f"/p/acme/privacy/{asked.id}/act", "who": "privacy_officer"}


def approve(world: World) -> Form:
    settled(world, "privacy_officer")
    first = officer(world.project)
    asked = request(world, "erasure", first)
    asked, reach = preview_request(actor=first, project_id=world.project.id, request_id=asked.id)
    form = {"digest": reach.digest().hex(), "typed_id": "cleo.k"}
    submit_request(actor=first, project_id=world.project.id, request_id=asked.id, **form)
    return form | {"at": f"/p/acme/privacy/{asked.id}/approve", "who": "privacy_officer"}


ACTS: dict[str, Act] = {
    "account/login/": Act(("users.login",)),
    "account/logout/": Act(("users.logout",)),
    "account/reauthenticate/": Act((), lambda world: {"password": PASSWORD, "who": "viewer"}),
    "account/password/change/": Act(("users.change_password",)),
    "account/signup/": Act(()),
    "me": Act(("users.preferences",)),
    "me/set": Act(("users.preferences",)),
    "me/sign-out-elsewhere": Act(("users.end_sessions",)),
    # A mark of one's own: up to where one has read.
    "p/<slug:slug>/seen": Act(()),
    "p/<slug:slug>/undo/<uuid:change_id>": Act(("changes.undo", "facts.undo")),
    "p/<slug:slug>/facts/export": Act(("facts.export",)),
    "p/<slug:slug>/imports": Act(("imports.upload", "imports.check"), file),
    "p/<slug:slug>/imports/<int:import_id>": Act(("imports.cancel",)),
    "p/<slug:slug>/facts/masking": Act(("facts.unmask",), lambda world: {"show": "1"}),
    "p/<slug:slug>/facts/views": Act(("views.save",)),
    "p/<slug:slug>/facts/views/<int:view_id>": Act(("views.change",), own_view),
    "p/<slug:slug>/facts/views/<int:view_id>/delete": Act(("views.delete",)),
    "p/<slug:slug>/facts/new": Act(
        ("facts.add",), lambda world: world.form("p/<slug:slug>/facts/new") | {"content": "Nobody said this before."}
    ),
    "p/<slug:slug>/facts/bulk": Act(("facts.pin",)),
    "p/<slug:slug>/facts/<int:fact_id>/edit": Act(("facts.revise",)),
    "p/<slug:slug>/facts/<int:fact_id>/history": Act(("facts.revise",), older),
    "p/<slug:slug>/facts/<int:fact_id>/forget": Act(("privacy.forget_fact",)),
    "p/<slug:slug>/facts/duplicates/keep": Act(("duplicates.merge",), keep),
    "p/<slug:slug>/facts/duplicates/<int:group_id>": Act(("duplicates.merge",), merge),
    "p/<slug:slug>/conflicts/<int:conflict_id>": Act(("conflicts.settle",), verdict),
    "p/<slug:slug>/dreams/new": Act(("dreams.start",)),
    "p/<slug:slug>/dreams/<int:run_id>": Act(("dreams.cancel",)),
    "p/<slug:slug>/review/<uuid:proposal_id>/approve": Act(("proposals.approve",)),
    "p/<slug:slug>/review/<uuid:proposal_id>/reject": Act(("proposals.reject",)),
    "p/<slug:slug>/review/<uuid:proposal_id>/snooze": Act(("proposals.snooze",)),
    "p/<slug:slug>/review/<uuid:proposal_id>/assign": Act(("proposals.assign",), assignee),
    "p/<slug:slug>/review/batch": Act(("proposals.approve",)),
    "p/<slug:slug>/subjects/<int:subject_id>/aliases": Act(("subjects.add_alias",)),
    "p/<slug:slug>/subjects/<int:subject_id>/aliases/<int:alias_id>/remove": Act(("subjects.remove_alias",)),
    "p/<slug:slug>/traces/learn": Act(("traces.queue_stored",), recent),
    # What would be learned, and nothing is.
    "p/<slug:slug>/traces/<str:trace_id>/preview": Act(()),
    "p/<slug:slug>/traces/<str:trace_id>/extract": Act(("traces.extract_again",)),
    "p/<slug:slug>/health/retry": Act(("traces.extract_again",), dead),
    "p/<slug:slug>/health/gates/<int:gate_id>/open": Act(("dreams.reset_gate",)),
    "p/<slug:slug>/settings/extraction": Act(("extraction.settings",)),
    "p/<slug:slug>/settings/categories/add": Act(("categories.add",)),
    "p/<slug:slug>/settings/categories/rename": Act(
        ("categories.rename",),
        lambda world: {
            "name": "house rules",
            "at": "/p/acme/settings/categories/rename?name=policy",
            "who": "curator",
        },
    ),
    "p/<slug:slug>/settings/categories/retire": Act(("categories.retire",)),
    "p/<slug:slug>/settings/categories/enable": Act(("categories.enable",), retired),
    "p/<slug:slug>/settings/dreaming": Act(("dreams.settings",)),
    "p/<slug:slug>/settings/recall": Act(("recall.settings",), lambda world: DEFAULTS | {"keyword": "0.9"}),
    "p/<slug:slug>/privacy/new": Act(
        ("privacy.open", "privacy.previewed"),
        lambda world: {
            "external_id": "dora.k",
            "kind": "erasure",
            "identity_method": "document",
            "identities": "",
            "who": "privacy_officer",
        },
    ),
    "p/<slug:slug>/privacy/holds": Act(
        ("privacy.hold",),
        lambda world: {
            "object_type": "fact",
            "object_id": world.values["fact_id"],
            "ground": "a lawsuit",
            "review_on": "2099-01-01",
            "who": "privacy_officer",
        },
    ),
    "p/<slug:slug>/privacy/holds/<int:hold_id>/release": Act(("privacy.release",)),
    "p/<slug:slug>/privacy/<uuid:request_id>/act": Act(("privacy.extend",), extend),
    "p/<slug:slug>/privacy/<uuid:request_id>/approve": Act(("privacy.suppressing",), approve),
    "p/<slug:slug>/audit/export": Act(("audit.export",)),
    "p/<slug:slug>/audit/verify": Act(("audit.verify",)),
    "p/<slug:slug>/settings/keys/new": Act(("keys.issue",)),
    "p/<slug:slug>/settings/keys/<int:key_id>/roll": Act(("keys.roll",)),
    "p/<slug:slug>/settings/keys/<int:key_id>/limits": Act(("keys.limit",)),
    "p/<slug:slug>/settings/keys/<int:key_id>/revoke": Act(("keys.revoke",)),
    "p/<slug:slug>/settings/members/invite": Act(("members.invite",)),
    "p/<slug:slug>/settings/members/<int:user_id>": Act(("members.change",)),
    "p/<slug:slug>/settings/members/<int:user_id>/remove": Act(("members.remove",)),
    "p/<slug:slug>/settings/members/invitations/<int:invitation_id>/withdraw": Act(("members.withdraw",)),
    # What a rule would take, before it is one.
    "p/<slug:slug>/settings/retention": Act(()),
    "p/<slug:slug>/settings/retention/change": Act(("retention.change",)),
    "p/<slug:slug>/settings/webhooks/new": Act(("webhooks.add",)),
    "p/<slug:slug>/settings/webhooks/<int:webhook_id>/change": Act(("webhooks.change",)),
    "p/<slug:slug>/settings/webhooks/<int:webhook_id>/act": Act(("webhooks.disable",)),
    "p/<slug:slug>/settings/webhooks/<int:webhook_id>/secret": Act(("webhooks.roll_secret",)),
    "p/<slug:slug>/settings/webhooks/<int:webhook_id>/delete": Act(("webhooks.delete",)),
    "invitations/<str:token>": Act(("members.join", "users.create")),
}

STORIES = {
    "p/<slug:slug>/privacy/<uuid:request_id>/account",
    "package/<str:token>",
    "p/<slug:slug>/settings/wipe/ask",
    "p/<slug:slug>/settings/wipe/approve",
    "p/<slug:slug>/settings/wipe/reopen",
}
"""Acts that come only after others; each has a test of its own below the walk."""

ELSEWHERE = {
    "account/code/": ("tests/console/test_two_step.py", "users.login"),
    "me/two-step": ("tests/console/test_two_step.py", "users.enable_second_step"),
    "account/oidc/begin": ("tests/console/test_oidc.py", "users.link_identity"),
    "me/unlink": ("tests/console/test_oidc.py", "users.unlink_identity"),
}
"""Acts whose events are asked for where they are told whole, with their verbs."""
