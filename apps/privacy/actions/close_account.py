"""Take a person's name off an account of staff, and end it."""

from uuid import UUID

from django.db import connection
from django.db.models import F

from apps.access.actor import Actor
from apps.access.locks import lock_members
from apps.access.models import Invitation, Membership, Role, User
from apps.access.policies import Refused, require
from apps.audit.actions.record import record
from apps.core.errors import Conflict
from apps.core.transactions import bind
from apps.privacy.actions.keep_account import locked_account_request
from apps.privacy.models import PrivacyRequest


def close_account(*, actor: Actor, project_id: int, request_id: UUID, user_id: int) -> PrivacyRequest:
    """No address, no name, no role, no session: only the number stays, which the audit log knows. Once the erasure was
    approved, and never one's own account, one of another project too, or the last administrator's.

    Raises NotFound, NotAllowed ``own_account``, Conflict ``wrong_state``, ``works_elsewhere`` and ``last_admin``.
    """
    require(actor, "privacy.close_account", project_id=project_id)
    if actor.id == str(user_id):
        detail = "Nobody closes his own account here."
        raise Refused(actor, "privacy.close_account", detail, project_id, code="own_account")
    with bind(project_id):
        request = locked_account_request(project_id, request_id, user_id)
        if not request.approved_by:
            raise Conflict("wrong_state", "An account is closed only after the erasure was approved.")
        lock_members(project_id)
        user = User.objects.select_for_update().get(id=user_id)
        roles = Membership.objects.filter(user_id=user_id)
        if roles.exclude(project_id=project_id).exists():
            raise Conflict("works_elsewhere", "This account works in other projects too. Keep it, on a ground.")
        admins = Membership.objects.filter(project_id=project_id, role=Role.ADMIN, user__is_active=True)
        if roles.filter(role=Role.ADMIN).exists() and not admins.exclude(user_id=user_id).exists():
            raise Conflict("last_admin", "This is the project's last administrator. Make somebody else one first.")
        roles.delete()
        Invitation.objects.filter(project_id=project_id, email__iexact=user.email).delete()
        with connection.cursor() as cursor:
            for table in ("account_emailaddress", "mfa_authenticator", "socialaccount_socialaccount"):
                cursor.execute(f"DELETE FROM {table} WHERE user_id = %s", [user_id])  # noqa: S608
        user.set_unusable_password()
        user.email, user.name, user.is_active = f"closed-{user_id}@account.invalid", "", False
        user.session_round = F("session_round") + 1
        user.save(update_fields=["email", "name", "is_active", "password", "session_round"])
        request.accounts = {number: ground for number, ground in request.accounts.items() if number != str(user_id)}
        request.save(update_fields=["accounts"])
        record(
            actor=actor,
            verb="privacy.close_account",
            object_type="user",
            object_id=user_id,
            data={"request": str(request.id), "number": request.number},
        )
    return request
