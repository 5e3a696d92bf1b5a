"""Who is a second person: somebody else, who has had the role for a day."""

from datetime import timedelta

from django.conf import settings

from apps.access.actor import Actor
from apps.access.models import Membership, Role
from apps.access.policies import Refused
from apps.core.clock import now
from apps.privacy.models import PrivacyRequest

SETTLED = timedelta(hours=24)
"""How long somebody must have had the role: who has just given it to himself is no second person."""


def check_second_person(actor: Actor, request: PrivacyRequest) -> bool:
    """Whether the installation says that one person runs it alone, in which case nobody is refused. Raises NotAllowed
    ``second_person`` and ``role_too_new``; the database holds the first too."""
    if settings.SINGLE_OPERATOR:
        return True
    if actor.name == request.opened_by:
        detail = "Somebody else has to approve what you opened."
        raise Refused(actor, "privacy.approve", detail, request.project_id, code="second_person")
    held = Membership.objects.filter(
        user_id=int(actor.id), project_id=request.project_id, role=Role.PRIVACY_OFFICER, created_at__lte=now() - SETTLED
    )
    if not held.exists():
        detail = "The role was given less than 24 hours ago."
        raise Refused(actor, "privacy.approve", detail, request.project_id, code="role_too_new")
    return False
