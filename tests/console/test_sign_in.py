"""Tries of a password: counted in the database, by account and address, and never the end for whoever is at home there."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from apps.access.models import SignInCount, User
from apps.access.tries import Try
from apps.audit.models import AuditEvent
from apps.core.clock import now
from apps.tenancy.models import Project
from tests.console.pages import text
from tests.console.stage import login
from tests.factories import PASSWORD, make_project, make_user

pytestmark = pytest.mark.django_db
HOME, ELSEWHERE = "198.51.100.7", "203.0.113.9"


@pytest.fixture(autouse=True)
def quick(settings: Settings) -> None:
    """Hundreds of tries: how each is hashed is another test's."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS]


@pytest.fixture
def project() -> Project:
    return make_project("acme")


@pytest.fixture
def olga(project: Project) -> User:
    """The last administrator."""
    return make_user(project, "admin", email="olga@example.test")


def sign_in(
    password: str = PASSWORD,
    *,
    at: str = HOME,
    email: str = "olga@example.test",
    client: Client | None = None,
    **headers: str,
) -> HttpResponse:
    browser = client or Client()
    form = {"login": email, "password": password}
    return browser.post("/account/login/", form, REMOTE_ADDR=at, headers=headers)  # type: ignore[return-value]


def hammer(*addresses: str, email: str = "olga@example.test", times: int = 5) -> list[int]:
    return [sign_in("wrong-wrong-wrong", at=one, email=email).status_code for one in addresses for _ in range(times)]


def over() -> None:
    """Every window ended a moment ago."""
    SignInCount.objects.update(window_ends_at=now() - timedelta(seconds=1))


def test_five_tries_from_one_address_and_then_a_page_that_says_how_long(olga: User) -> None:
    assert hammer(ELSEWHERE) == [200] * 5
    answer = sign_in(at=ELSEWHERE)  # with the right password: it is not looked at any more
    assert answer.status_code == 429 and 890 <= int(answer["Retry-After"]) <= 900
    assert "The password or code was wrong too often. Try again in 15 minutes." in text(answer.text)
    assert "olga" not in answer.text and answer["Cache-Control"] == "no-store"
    # Knocking on makes nobody wait longer, and is recorded once.
    assert [sign_in(at=ELSEWHERE).status_code for _ in range(3)] == [429] * 3
    assert list(AuditEvent.objects.filter(verb="users.throttle").values_list("object_id", "reason", "result")) == [
        ("unknown", "password", "denied")
    ]
    assert sign_in(at=HOME).status_code == 302
    over()
    assert sign_in(at=ELSEWHERE).status_code == 302


def test_somebody_nobody_knows_is_answered_alike(olga: User) -> None:
    ghost = "nobody.here@example.test"
    wrong = [sign_in("wrong-wrong-wrong", email=one, at=at) for one, at in ((ghost, HOME), (olga.email, ELSEWHERE))]
    pages = [re.sub(r'value="[^"]*"', "", one.text) for one in wrong]
    assert pages[0] == pages[1] and "are not correct" in pages[0]
    assert hammer(HOME, email=ghost) == [200] * 4 + [429]
    assert hammer(ELSEWHERE) == [200] * 4 + [429]
    refused = [
        re.sub(r"\d+", "#", sign_in(email=one, at=at).text) for one, at in ((ghost, HOME), (olga.email, ELSEWHERE))
    ]
    assert refused[0] == refused[1]


def test_the_same_work_is_done_for_somebody_nobody_knows(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time is hashing; what is counted is how often it is done."""
    settings.PASSWORD_HASHERS = settings.PASSWORD_HASHERS[1:]
    olga = make_user(None, email="olga@example.test")
    assert olga.password.startswith("argon2")
    done: list[str] = []
    real = {name: getattr(Argon2PasswordHasher, name) for name in ("encode", "verify")}

    def spy(name: str):  # type: ignore[no-untyped-def]
        def wrapped(self: Argon2PasswordHasher, *args: str) -> object:
            done.append(name)
            return real[name](self, *args)

        return wrapped

    for name in real:
        monkeypatch.setattr(Argon2PasswordHasher, name, spy(name))
    found = []
    for email in (olga.email, "nobody.here@example.test"):
        done.clear()
        sign_in("wrong-wrong-wrong", email=email)
        found.append(len(done))
    assert found == [1, 1]


def test_many_addresses_can_not_lock_the_last_administrator_out(olga: User) -> None:
    desk = Client()
    assert sign_in(client=desk).status_code == 302
    # Fifty wrong ones in an hour, from ten addresses: then the account is closed to all the world...
    assert hammer(*[f"203.0.113.{n}" for n in range(10)]) == [200] * 50
    assert sign_in(at="203.0.113.77").status_code == 429
    # ...but not to the address it signed in from, in any browser there, nor to its browser anywhere.
    assert sign_in(at=HOME).status_code == 302
    travelling = Client()
    travelling.cookies["mp_browser"] = desk.cookies["mp_browser"].value
    assert sign_in(at="192.0.2.50", client=travelling).status_code == 302
    # Who shares that address spends the address's tries, not the browser's.
    assert hammer(HOME) == [200] * 5 and sign_in(at=HOME).status_code == 429
    assert sign_in(at=HOME, client=travelling).status_code == 302
    # Whoever is signed in goes on, and is asked for the password without any of it.
    again = "/account/reauthenticate/?next=/me"
    assert desk.post(again, {"password": PASSWORD}, REMOTE_ADDR=HOME)["Location"] == "/me"


def test_a_known_browser_has_its_own_few_tries_and_is_known_for_ninety_days(olga: User) -> None:
    desk = Client()
    sign_in(client=desk)
    cookie = desk.cookies["mp_browser"]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 90 * 86400)
    thief = Client()
    thief.cookies["mp_browser"] = cookie.value
    assert [sign_in("wrong-wrong-wrong", client=thief, at=ELSEWHERE).status_code for _ in range(6)] == [200] * 5 + [429]
    # Of another account it is a browser like any.
    make_user(None, email="piotr@example.test")
    other = {"email": "piotr@example.test", "client": thief, "at": ELSEWHERE}
    assert [sign_in("wrong-wrong-wrong", **other).status_code for _ in range(6)] == [200] * 5 + [429]  # type: ignore[arg-type]
    SignInCount.objects.update(known_until=now() - timedelta(seconds=1))
    hammer(*[f"203.0.113.{n}" for n in range(10)])
    assert sign_in(at=HOME).status_code == 429


def test_an_account_of_ones_own_buys_no_tries(olga: User) -> None:
    make_user(None, email="piotr@example.test")
    found = []
    for n in range(25):
        found += hammer(ELSEWHERE, email=f"guess{n}@example.test", times=4)
        assert sign_in(email="piotr@example.test", at=ELSEWHERE).status_code == (302 if n < 24 else 429)
    assert found == [200] * 100
    assert sign_in(at=ELSEWHERE).status_code == 429 and sign_in(at=HOME).status_code == 302


def test_an_address_spelled_otherwise_is_the_same_account(olga: User) -> None:
    spelled = ["olga@example.test", "OLGA@EXAMPLE.TEST", " Olga@Example.Test "]
    assert [sign_in("wrong-wrong-wrong", email=one).status_code for one in spelled * 2] == [200] * 5 + [429]
    # The database compares by capitals, and these are the same.
    for one in ("olga@example.teſt", "olga@EXAMPLE.TEST"):
        assert Try("password", one, HOME).at_address == Try("password", olga.email, HOME).at_address


@pytest.mark.parametrize(
    ("proxies", "forwarded", "same"),
    [
        (0, "1.2.3.{n}", True),  # of a stranger nothing is believed
        (1, "1.2.3.{n}", False),
        (1, "1.2.3.{n}, 198.51.100.1", True),  # what stands before the proxy's own word
        (2, "9.9.9.9, 1.2.3.{n}, 10.0.0.1", False),
        (2, "1.2.3.{n}, 198.51.100.1, 10.0.0.1", True),
        (3, "1.2.3.{n}", True),  # past the proxies
        (1, "2001:db8::{n}", True),  # one network
        (1, "2001:db8:0:{n}::1", False),
        (1, "nonsense{n}", True),
    ],
)
def test_whose_address_is_counted(olga: User, settings: Settings, proxies: int, forwarded: str, same: bool) -> None:
    settings.TRUSTED_PROXIES = proxies
    found = [
        sign_in("wrong-wrong-wrong", **{"X-Forwarded-For": forwarded.format(n=n)}).status_code for n in range(1, 7)
    ]
    assert found == [200] * 5 + [429 if same else 200]


def test_redis_is_not_asked(olga: User, settings: Settings, tmp_path: Path) -> None:
    """Away, it neither lets anybody in uncounted nor keeps anybody out."""
    settings.CACHES = {
        "default": {
            "BACKEND": "apps.core.redis_cache.RedisCache",
            "LOCATION": f"unix://{tmp_path}/nobody.sock",
            "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
        }
    }
    assert hammer(ELSEWHERE, times=6) == [200] * 5 + [429]
    inside = Client()
    assert sign_in(client=inside).status_code == 302 and inside.get("/p/acme/facts").status_code == 200


def test_the_password_asked_again_is_counted_too(project: Project, olga: User) -> None:
    inside = login(project, user=olga)
    path = "/account/reauthenticate/?next=/me"
    assert [inside.post(path, {"password": "wrong"}).status_code for _ in range(5)] == [422] * 5
    assert inside.post(path, {"password": PASSWORD}).status_code == 429
    new = {"oldpassword": PASSWORD, "password1": "otter-91-Quiet-bay", "password2": "otter-91-Quiet-bay"}
    before = User.objects.get(id=olga.id).password
    assert inside.post("/account/password/change/", new).status_code == 429
    assert User.objects.get(id=olga.id).password == before
    assert sign_in().status_code == 302  # signing in anew is not in the way
    over()
    assert inside.post("/account/password/change/", new).status_code == 302
    assert AuditEvent.objects.filter(verb="users.change_password", object_id=str(olga.id)).count() == 1


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"oldpassword": "wrong"}, "This is not your password."),
        ({"password2": "another-91-bay"}, "The two passwords are not the same."),
        ({"password1": "short", "password2": "short"}, "at least 12 characters"),
        ({"password1": "olga@example.test", "password2": "olga@example.test"}, "too similar"),
        ({"password1": "password1234", "password2": "password1234"}, "too common"),
    ],
)
def test_a_password_that_will_not_do_changes_nothing(
    project: Project, olga: User, form: dict[str, str], said: str
) -> None:
    good = {"oldpassword": PASSWORD, "password1": "otter-91-Quiet-bay", "password2": "otter-91-Quiet-bay"}
    before = User.objects.get(id=olga.id).password
    answer = login(project, user=olga).post("/account/password/change/", good | form)
    assert answer.status_code == 422 and said in text(answer.text)
    assert User.objects.get(id=olga.id).password == before


def test_nothing_that_was_typed_is_stored_and_what_is_over_goes(olga: User) -> None:
    hammer("203.0.113.1", "203.0.113.2", email="nobody.here@example.test", times=1)
    rows = list(SignInCount.objects.all())
    assert len(rows) == 5 and all(re.fullmatch("[0-9a-f]{64}", row.digest) for row in rows)
    SignInCount.objects.update(window_ends_at=now() - timedelta(1), ends_at=now() - timedelta(1))
    hammer("203.0.113.3", times=1)
    assert SignInCount.objects.count() == 3
