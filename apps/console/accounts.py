"""How people log in: accounts are made by an administrator, and each login is recorded."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from apps.access.actions.record_login import record_login


class ClosedAccountAdapter(DefaultAccountAdapter):
    """allauth's hooks: no sign-up, and an audit event for every login and refused login."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def login(self, request: HttpRequest, user: Any) -> None:
        super().login(request, user)
        record_login(user_id=user.pk, succeeded=True)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        super().authentication_failed(request, **credentials)
        record_login(user_id=None, succeeded=False)
