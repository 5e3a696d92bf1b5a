"""Login sessions that end: some hours after the sign-in, and earlier when nobody has clicked for a while."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends import db
from django.contrib.sessions.middleware import SessionMiddleware as DjangosMiddleware
from django.http import HttpRequest, HttpResponse

from apps.core.clock import now, seconds

NOTED_EVERY = timedelta(minutes=1)


class SessionStore(db.SessionStore):
    """Django's database sessions. ``began`` in the data is when the sign-in was, in whole seconds; the row's own end is
    half an hour after the last request (MEMORYPLANE_SESSION_IDLE_MINUTES), or the end of all if that comes first."""

    row_ends: datetime | None = None

    def _get_session_from_db(self) -> Any:
        # Django asks by the clock of this machine, and the row's end was written by another's.
        row = self.model.objects.filter(session_key=self.session_key, expire_date__gt=now()).first()
        if row is None:
            self._session_key = None
        self.row_ends = row.expire_date if row else None
        return row

    def load(self) -> dict[str, Any]:
        data: dict[str, Any] = super().load()
        began = data.get("began")
        if data and (not isinstance(began, int) or seconds() >= began + settings.SESSION_COOKIE_AGE):
            self.delete(self.session_key)
            self._session_key = None
            return {}
        return data

    def save(self, must_create: bool = False) -> None:
        data = self._get_session(no_load=must_create)  # type: ignore[attr-defined]
        data.setdefault("began", int(seconds()))
        super().save(must_create)

    def get_expiry_age(self, **kwargs: Any) -> int:
        """Seconds until the end of all, for the cookie of a session that outlives its browser's window."""
        return max(0, int(self._began() + settings.SESSION_COOKIE_AGE - seconds()))

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        """When the row ends if nothing else is asked."""
        end = datetime.fromtimestamp(self._began() + settings.SESSION_COOKIE_AGE, UTC)
        return min(end, now() + timedelta(minutes=settings.SESSION_IDLE_MINUTES))

    def touch(self) -> None:
        """Somebody is there. Writes the row's end alone, at most once a minute: the data may be changed by another request."""
        end = self.get_expiry_date()
        if self.row_ends is not None and self.row_ends < end - NOTED_EVERY:
            self.model.objects.filter(session_key=self.session_key).update(expire_date=end)

    def _began(self) -> int:
        began = self.get("began")
        return began if isinstance(began, int) else int(seconds())


class SessionMiddleware(DjangosMiddleware):
    """Django's, which notes that somebody is there. What a page asks by itself is nobody's click: it says so by a header
    (`static/console.js`)."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        session = request.session
        signed_in = getattr(request, "user", None) is not None and session.accessed and "_auth_user_id" in session
        if signed_in and not session.modified and "X-Poll" not in request.headers:
            session.touch()  # type: ignore[attr-defined]
        return super().process_response(request, response)
