"""Two-step sign-in: set up, asked at each sign-in, good once, counted, demanded of roles, and reset for a lost phone."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.management import CommandError, call_command
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from apps.access import second_step
from apps.access.actions.disable_second_step import disable_second_step
from apps.access.actions.enable_second_step import enable_second_step
from apps.access.actions.renew_recovery_codes import renew_recovery_codes
from apps.access.actions.use_code import use_code
from apps.access.actor import Actor
from apps.access.models import SignInCount, User
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.core.errors import Conflict, Invalid, Unavailable
from apps.tenancy.models import Project
from tests.console.pages import text, told
from tests.console.stage import give_password, login, moved, state
from tests.factories import PASSWORD, make_project, make_user, user_actor

PAGE = "/me/two-step"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


class Clock:
    """The app's and the server's: seconds since 1970."""

    def __init__(self) -> None:
        self.at = time.time() // 30 * 30 + 10

    def time(self) -> float:
        return self.at


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(second_step, "seconds", clock.time)
    return clock


@pytest.fixture(autouse=True)
def quick(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS]


def shown(clock: Clock, *, ahead: int = 0, secret: str = SECRET) -> str:
    """What the app shows, so many half minutes ahead."""
    return format_hotp_value(hotp_value(secret, int(clock.at) // 30 + ahead))


def field(answer: HttpResponse, name: str) -> str:
    return re.search(rf'name="{name}"\s+value="([^"]+)"', answer.text)[1]  # type: ignore[index]


def set_up(user: User, clock: Clock) -> list[str]:
    codes = enable_second_step(
        actor=Actor(kind="user", id=str(user.id)), user_id=user.id, secret=SECRET, code=shown(clock)
    )
    clock.at += 30
    return codes


def sign_in(user: User, client: Client | None = None) -> Client:
    """The password given, the code not yet."""
    browser = client or Client()
    answer = browser.post("/account/login/?next=/me", {"login": user.email, "password": PASSWORD})
    assert answer["Location"].startswith("/account/code/")
    return browser


def answer(browser: Client, code: str) -> int:
    return browser.post("/account/code/", {"code": code}).status_code


@pytest.fixture
def project(db: None) -> Project:
    return make_project("acme")


@pytest.fixture
def olga(project: Project) -> User:
    return make_user(project, "admin", email="olga@example.test")


def test_set_up_on_its_page_and_used_at_the_next_sign_in(project: Project, olga: User, clock: Clock) -> None:
    desk, phone = login(project, user=olga), login(project, user=olga)
    page = desk.get(PAGE)
    assert page["Cache-Control"] == "no-store" and "<svg" in page.text and "data:" not in page.text
    secret = re.search(r'class="mono">([A-Z2-7 ]+)<', page.text)[1].replace(" ", "")  # type: ignore[index]
    setup = field(page, "setup")
    wrong = desk.post(PAGE, {"setup": setup, "code": "000000"})
    assert wrong.status_code == 422 and "This code is not right." in wrong.text
    assert secret in wrong.text.replace(" ", "") and not Authenticator.objects.exists()
    done = desk.post(PAGE, {"setup": setup, "code": shown(clock, secret=secret)})
    codes = re.findall(r"\b\d{4} \d{4}\b", done.text)
    assert done.status_code == 200 and len(set(codes)) == 10
    # Here one goes on, elsewhere one is out; neither page shows a secret or a code again.
    assert desk.get("/me").status_code == 200 and phone.get("/me").status_code == 302
    later = desk.get(PAGE).text
    assert "10 left" in text(later) and secret not in later.replace(" ", "") and codes[0] not in later
    stored = " ".join(str(one.data) for one in Authenticator.objects.all())
    assert secret not in stored and codes[0].replace(" ", "") not in stored
    clock.at += 30
    browser = sign_in(olga)
    assert browser.get("/me").status_code == 302  # not in yet
    assert browser.get("/account/code/").status_code == 200
    assert browser.post("/account/code/", {"code": shown(clock, secret=secret)})["Location"] == "/me"
    assert browser.get("/me").status_code == 200
    assert AuditEvent.objects.filter(verb="users.enable_second_step", object_id=str(olga.id)).count() == 1


def test_a_code_is_good_once_and_for_about_a_minute(olga: User, clock: Clock) -> None:
    set_up(olga, clock)
    assert answer(sign_in(olga), shown(clock, ahead=-1)) == 422  # the one it was set up with
    assert answer(sign_in(olga), shown(clock)) == 302
    assert answer(sign_in(olga), shown(clock)) == 422
    assert answer(sign_in(olga), shown(clock, ahead=1)) == 302
    assert answer(sign_in(olga), shown(clock)) == 422  # earlier than one that was used
    clock.at += 120
    SignInCount.objects.update(tries=0)
    assert answer(sign_in(olga), shown(clock, ahead=-2)) == 422
    assert answer(sign_in(olga), shown(clock, ahead=2)) == 422
    assert answer(sign_in(olga), f" {shown(clock)[:3]} {shown(clock)[3:]} ") == 302


def test_a_recovery_code_is_good_once(olga: User, clock: Clock) -> None:
    codes = set_up(olga, clock)
    assert answer(sign_in(olga), codes[3]) == 302 and answer(sign_in(olga), codes[3]) == 422
    assert answer(sign_in(olga), f"{codes[4][:4]} {codes[4][4:]}") == 302
    assert AuditEvent.objects.filter(verb="users.recovery_code", object_id=str(olga.id)).count() == 2
    new = renew_recovery_codes(actor=Actor(kind="user", id=str(olga.id)), user_id=olga.id)
    assert not set(new) & set(codes)
    assert answer(sign_in(olga), codes[5]) == 422 and answer(sign_in(olga), new[0]) == 302


def test_codes_are_counted_apart_from_passwords(olga: User, clock: Clock) -> None:
    set_up(olga, clock)
    browser = sign_in(olga)
    assert [answer(browser, "000000") for _ in range(5)] == [422] * 5
    refused = browser.post("/account/code/", {"code": shown(clock)})
    assert refused.status_code == 429 and int(refused["Retry-After"]) > 800
    # A new sign-in buys no new tries, nor does the right password.
    assert answer(sign_in(olga), shown(clock)) == 429
    assert not AuditEvent.objects.filter(verb="users.login", result="done").exists()
    SignInCount.objects.update(window_ends_at=now() - timedelta(seconds=1))
    assert answer(sign_in(olga), shown(clock)) == 302


def test_guessing_from_everywhere_ends_after_twenty_and_not_for_whom_it_knows(olga: User, clock: Clock) -> None:
    set_up(olga, clock)
    desk = sign_in(olga)
    assert answer(desk, shown(clock)) == 302
    found = []
    for n in range(5):
        stranger = Client(REMOTE_ADDR=f"203.0.113.{n}")
        sign_in(olga, stranger)
        found += [answer(stranger, "000000") for _ in range(5)]
    assert found == [422] * 20 + [429] * 5
    clock.at += 30
    desk.post("/account/logout/")
    assert answer(sign_in(olga, desk), shown(clock)) == 302


def test_a_new_password_asks_for_the_code_too(olga: User, clock: Clock) -> None:
    """Whatever leads to a session leads over the code."""
    set_up(olga, clock)
    browser = sign_in(olga)
    for path in ("/me", "/p/acme", "/account/password/change/", "/account/reauthenticate/", PAGE):
        assert browser.get(path)["Location"].startswith(("/account/login/", "/account/code/")), path
    # The stage is of this browser alone.
    assert Client().post("/account/code/", {"code": shown(clock)})["Location"] == "/account/login/"


def test_each_change_asks_for_the_password_again(project: Project, olga: User, clock: Clock) -> None:
    set_up(olga, clock)
    olga.refresh_from_db()
    desk = login(project, user=olga)
    give_password(desk, olga, seconds_ago=301)
    before = state(project)
    for act in ("renew", "off", ""):
        assert desk.post(PAGE, {"act": act})["Location"].startswith("/account/reauthenticate/")
    assert desk.get(PAGE)["Location"].startswith("/account/reauthenticate/")
    assert moved(before, state(project)) == set()
    give_password(desk, olga)
    assert "Two-step sign-in is off." in told(desk.post(PAGE, {"act": "off"}, follow=True))
    assert not Authenticator.objects.exists()
    assert desk.post(PAGE, {"act": "off"}).status_code == 409
    assert AuditEvent.objects.filter(verb="users.disable_second_step").count() == 1


def test_a_secret_is_taken_only_from_the_page_of_its_own_account(project: Project, olga: User, clock: Clock) -> None:
    piotr = make_user(project, "viewer", email="piotr@example.test")
    setup = field(login(project, user=piotr).get(PAGE), "setup")
    desk = login(project, user=olga)
    for said in (setup, setup[:-2], "nonsense"):
        refused = desk.post(PAGE, {"setup": said, "code": "123456"})
        assert refused.status_code == 422 and "This took too long." in refused.text
    assert not Authenticator.objects.exists()


def test_the_installation_demands_it_of_administrators(
    project: Project, olga: User, clock: Clock, settings: Settings
) -> None:
    settings.REQUIRE_SECOND_STEP = True
    desk = login(project, user=olga)
    assert desk.get("/p/acme/facts")["Location"] == PAGE
    part = desk.get("/p/acme/facts", HTTP_HX_REQUEST="true")
    assert (part.status_code, part["HX-Redirect"]) == (204, PAGE)
    assert "Your role needs two-step sign-in here. Set it up to go on." in text(desk.get(PAGE).text)
    assert login(project, "privacy_officer").get("/p/acme/facts")["Location"] == PAGE
    assert login(project, "curator").get("/p/acme/facts").status_code == 200
    set_up(olga, clock)
    olga.refresh_from_db()
    desk = login(project, user=olga)
    assert desk.get("/p/acme/facts").status_code == 200
    assert "Switch off" not in desk.get(PAGE).text
    assert desk.post(PAGE, {"act": "off"}).status_code == 409 and Authenticator.objects.count() == 2


def test_administrators_see_who_has_it(project: Project, olga: User, clock: Clock) -> None:
    make_user(project, "viewer", email="piotr@example.test")
    set_up(olga, clock)
    olga.refresh_from_db()
    page = login(project, user=olga).get("/p/acme/settings/members")
    rows = [text(row.split("</tr>")[0].partition(">")[2]) for row in page.text.split("<tr data-row")[1:]]
    assert ["two-step" in row for row in rows] == [True, False]


def test_a_lost_phone_is_reset_by_whoever_runs_the_machine(project: Project, olga: User, clock: Clock) -> None:
    set_up(olga, clock)
    waiting, desk = sign_in(olga), login(project, user=User.objects.get(id=olga.id))
    out = StringIO()
    call_command("reset-two-step", "Olga@example.test", stdout=out)
    assert "signs in with the password alone" in out.getvalue() and not Authenticator.objects.exists()
    assert desk.get("/me").status_code == 302
    assert waiting.get("/account/code/")["Location"] == "/account/login/"
    event = AuditEvent.objects.get(verb="users.reset_second_step")
    assert (event.actor_kind, event.actor_id, event.object_id) == ("system", "setup", str(olga.id))
    for email in ("olga@example.test", "nobody.here@example.test"):
        with pytest.raises(CommandError):
            call_command("reset-two-step", email, stdout=out)


def test_whose_it_is_and_what_is_refused(project: Project, olga: User, clock: Clock, settings: Settings) -> None:
    other: Any = user_actor(project, "admin")
    own: Any = user_actor(project, user=olga)
    calls: list[Any] = [
        lambda who: enable_second_step(actor=who, user_id=olga.id, secret=SECRET, code=shown(clock)),
        lambda who: disable_second_step(actor=who, user_id=olga.id),
        lambda who: renew_recovery_codes(actor=who, user_id=olga.id),
    ]
    for call in calls:
        with pytest.raises(ValueError):
            call(other)
    for call in calls[1:]:
        with pytest.raises(Conflict):
            call(own)
    with pytest.raises(Invalid):
        enable_second_step(actor=own, user_id=olga.id, secret=SECRET, code="12345")
    assert not Authenticator.objects.exists()
    set_up(olga, clock)
    with pytest.raises(Conflict):
        calls[0](own)
    settings.SECRET_KEY = "another-key-" * 8
    with pytest.raises(Unavailable):
        use_code(actor=own, user_id=olga.id, code=shown(clock))


def test_one_code_sent_ten_times_at_once_is_good_once(fresh_db: str, clock: Clock) -> None:
    project = make_project("acme")
    olga = make_user(project, "admin", email="olga@example.test")
    codes = set_up(olga, clock)
    actor = user_actor(project, user=olga)

    def use(code: str) -> bool:
        try:
            return use_code(actor=actor, user_id=olga.id, code=code)
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        assert sum(pool.map(use, [shown(clock)] * 10)) == 1
        assert sum(pool.map(use, [codes[0]] * 10)) == 1
