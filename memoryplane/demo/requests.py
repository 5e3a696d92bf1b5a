"""What people of the demo ask about what is remembered of them: one soon due, one to approve, one that was approved."""

import secrets
from datetime import datetime, timedelta
from typing import Any

from apps.access.actions.create_user import create_user
from apps.access.actions.grant_role import grant_role
from apps.access.actor import Actor, system_actor
from apps.access.models import Membership, Role, User
from apps.privacy.actions.approve_request import approve_request, submit_request
from apps.privacy.actions.open_request import open_request
from apps.privacy.actions.preview_request import preview_request
from apps.privacy.mentions import Identifier
from apps.tenancy.models import Project

SOON_DUE, TO_APPROVE, APPROVED = "priya.n", "staff.ines", "henrique.t"
IN_OFFICE = timedelta(days=40)


def second_officer() -> User:
    """An account whose password nobody knows: it is there so that two people can be."""
    return create_user(
        actor=system_actor("setup"),
        email="sofia.lindqvist@example.com",
        name="Sofia Lindqvist",
        password=secrets.token_urlsafe(24),
    )


def ask(project: Project, user: User, colleague: User, at: datetime) -> None:
    """Open the three as ``colleague``; ``user`` approves one, which workers carry out, and finds one to approve."""
    setup = system_actor("setup", project.id)
    grant_role(actor=setup, project_id=project.id, user=colleague, role=Role.PRIVACY_OFFICER)
    # Both have been in office since before the first of it came in: a new role approves nothing for a day.
    Membership.objects.filter(project_id=project.id).update(created_at=at - IN_OFFICE)
    hers, his = (
        Actor(kind="user", id=str(one.id), project_id=project.id, roles=frozenset({Role.PRIVACY_OFFICER.value}))
        for one in (colleague, user)
    )
    asked: dict[str, Any] = {"actor": hers, "project_id": project.id}
    open_request(
        **asked,
        kind="access",
        external_id=SOON_DUE,
        wish="What does your assistant know about me, and who told it?",
        received_at=at - timedelta(days=27),
    )
    for name, days, words, identities in (
        (APPROVED, 12, "I have moved away. Please delete my data.", []),
        (
            TO_APPROVE,
            9,
            "I have left the clinic. Please forget what I told the desk.",
            [Identifier("email", "ines@clinic.example")],
        ),
    ):
        request = open_request(
            **asked,
            kind="erasure",
            external_id=name,
            identities=identities,
            wish=words,
            identity_method="email_link",
            received_at=at - timedelta(days=days),
        )
        _, reach = preview_request(**asked, request_id=request.id)
        shown: dict[str, Any] = {"request_id": request.id, "digest": reach.digest().hex(), "typed_id": name}
        submit_request(**asked, **shown)
        if name == APPROVED:
            approve_request(actor=his, project_id=project.id, **shown)
