"""Signing in through an identity provider: a real one over HTTP, and everything a false one could say."""

import hashlib
import hmac
import re
import time
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

import jwt
import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from apps.access.actions.enable_second_step import enable_second_step
from apps.access.actions.invite_member import invite_member
from apps.access.actions.link_identity import link_identity
from apps.access.actor import Actor
from apps.access.models import Invitation, Membership, User
from apps.audit.models import AuditEvent
from apps.core.transactions import bind
from apps.tenancy.models import Project
from tests.console import provider as providers
from tests.console.pages import text, told
from tests.console.provider import CLIENT, Provider
from tests.console.stage import give_password, login, moved, state
from tests.console.test_two_step import SECRET, Clock, clock, shown  # noqa: F401
from tests.factories import make_project, make_user, setup_actor

pytestmark = pytest.mark.django_db
CALLBACK = "/account/oidc/callback"


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    running = Provider()
    settings.OIDC_ISSUER, settings.OIDC_NAME = running.url, "Example login"
    settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT, providers.SECRET
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS]
    yield running
    running.stop()


@pytest.fixture
def project() -> Project:
    return make_project("acme")


@pytest.fixture
def olga(project: Project, provider: Provider) -> User:
    """Linked to the provider's subject, and with a password."""
    user = make_user(project, "admin", email="olga@example.test")
    link_identity(actor=own(user), user_id=user.id, issuer=provider.url, subject=provider.subject)
    return user


def own(user: User) -> Actor:
    return Actor(kind="user", id=str(user.id))


def begin(browser: Client, **form: str) -> str:
    """Where the browser is sent."""
    answer = browser.post("/account/oidc/begin", {"how": "login"} | form)
    assert answer.status_code == 200, answer
    onward = answer["Refresh"].removeprefix("0; url=")
    assert f'href="{onward}"' in unescape(answer.text) and answer["Cache-Control"] == "no-store"
    return onward


def come(browser: Client, provider: Provider, **form: str) -> HttpResponse:
    """There and back."""
    return browser.get(CALLBACK, provider.authorize(begin(browser, **form)))  # type: ignore[return-value]


def is_in(browser: Client) -> bool:
    return browser.get("/me").status_code == 200


def refused(answer: HttpResponse, said: str = "did not confirm who you are") -> None:
    assert answer.status_code in {403, 409} and said in text(answer.text), answer
    assert answer["Cache-Control"] == "no-store"


def test_the_button_is_there_only_when_there_is_a_provider(project: Project, settings: Settings) -> None:
    page = Client().get("/account/login/").text
    assert "oidc" not in page and Client().post("/account/oidc/begin").status_code == 404
    settings.OIDC_ISSUER, settings.OIDC_NAME = "https://login.example.com", "Example login"
    assert "Sign in with Example login" in text(Client().get("/account/login/?next=/me").text)


def test_somebody_linked_signs_in_and_nothing_is_kept_of_what_was_said(
    provider: Provider, project: Project, olga: User
) -> None:
    browser = Client()
    before = browser.session.session_key
    answer = come(browser, provider, next="/p/acme/facts")
    assert (answer.status_code, answer["Location"], answer["Referrer-Policy"]) == (302, "/p/acme/facts", "no-referrer")
    assert is_in(browser) and browser.session.session_key != before
    (linked,) = SocialAccount.objects.all()
    assert (linked.provider, linked.uid, linked.extra_data) == (provider.url, provider.subject, {})
    assert AuditEvent.objects.filter(verb="users.login", result="done", actor_id=str(olga.id)).count() == 1
    form = next(form for path, form in provider.asked if path == "/token")
    assert form["redirect_uri"] == f"http://127.0.0.1:8000{CALLBACK}" and len(form["code_verifier"]) >= 43
    # One's own word to the provider some time ago is no password given now.
    assert browser.get("/p/acme/settings/keys/new")["Location"].startswith("/account/reauthenticate/")


def tampered(token: str) -> str:
    head, body, signature = token.split(".")
    return f"{head}.{body}.{'A' * len(signature)}"


def without(*names: str) -> Callable[[dict[str, Any]], None]:
    return lambda claims: [claims.pop(name) for name in names] and None


WRONG_CLAIMS: dict[str, Any] = {
    "audience of another": lambda claims: claims.update(aud="another"),
    "audiences without a party": lambda claims: claims.update(aud=[CLIENT, "another"]),
    "party is another": lambda claims: claims.update(aud=[CLIENT, "another"], azp="another"),
    "party is another, one audience": lambda claims: claims.update(azp="another"),
    "issuer of another": lambda claims: claims.update(iss="https://login.example.com"),
    "issuer with more at its end": lambda claims: claims.update(iss=claims["iss"] + "/other"),
    "expired": lambda claims: claims.update(exp=int(time.time()) - 120, iat=int(time.time()) - 500),
    "not yet": lambda claims: claims.update(iat=int(time.time()) + 3600, nbf=int(time.time()) + 3600),
    "nonce of another": lambda claims: claims.update(nonce="x" * 43),
    "nonce is a number": lambda claims: claims.update(nonce=7),
    "no nonce": without("nonce"),
    "no end": without("exp"),
    "no audience": without("aud"),
    "no issuer": without("iss"),
    "no subject": without("sub"),
    "empty subject": lambda claims: claims.update(sub=""),
    "subject is a list": lambda claims: claims.update(sub=["7c9e-anna"]),
    "subject is too long": lambda claims: claims.update(sub="x" * 300),
}


@pytest.mark.parametrize("wrong", WRONG_CLAIMS)
def test_wrong_claims_let_nobody_in(provider: Provider, project: Project, olga: User, wrong: str) -> None:
    browser = Client()
    address = begin(browser)
    provider.change = WRONG_CLAIMS[wrong]
    before = state(project)
    refused(browser.get(CALLBACK, provider.authorize(address)))  # type: ignore[arg-type]
    assert not is_in(browser) and moved(before, state(project)) <= {"audit_auditevent", "audit_audithead"}
    assert AuditEvent.objects.filter(verb="users.login", result="denied").count() == 1


WRONG_TOKENS: dict[str, Callable[[Provider, dict[str, Any]], Any]] = {
    "no algorithm": lambda p, claims: jwt.encode(claims, None, "none", headers={"kid": "one"}),
    "no algorithm in capitals": lambda p, claims: providers.by_hand(
        {"alg": "NONE", "kid": "one"}, claims, lambda head: b""
    ),
    "signed with the public key as a secret": lambda p, claims: providers.by_hand(
        {"alg": "HS256", "kid": "one"}, claims, lambda head: hmac.digest(p.public_pem(), head, hashlib.sha256)
    ),
    "signed with the client's secret": lambda p, claims: jwt.encode(
        claims, providers.SECRET, "HS256", headers={"kid": "one"}
    ),
    "signed by a stranger": lambda p, claims: jwt.encode(
        claims, providers.new_key("stranger"), "RS256", headers={"kid": "one"}
    ),
    "signed with another of its keys": lambda p, claims: jwt.encode(
        claims, p.other_key, "RS256", headers={"kid": "one"}
    ),
    "a key nobody has": lambda p, claims: jwt.encode(claims, p.key, "RS256", headers={"kid": "three"}),
    "no key named": lambda p, claims: jwt.encode(claims, p.key, "RS256"),
    "another algorithm than its key's": lambda p, claims: providers.by_hand(
        {"alg": "ES256", "kid": "one"}, claims, lambda head: b"x" * 64
    ),
    "signature changed": lambda p, claims: tampered(p.signed(claims)),
    "no token": lambda p, claims: None,
    "no token but words": lambda p, claims: "not.a.token",
    "a number": lambda p, claims: 7,
}


@pytest.mark.parametrize("wrong", WRONG_TOKENS)
def test_wrong_signatures_let_nobody_in(provider: Provider, project: Project, olga: User, wrong: str) -> None:
    provider.sign = lambda claims: WRONG_TOKENS[wrong](provider, claims)
    browser, before = Client(), state(project)
    refused(come(browser, provider))
    assert not is_in(browser) and moved(before, state(project)) <= {"audit_auditevent", "audit_audithead"}


def test_an_answer_is_good_once_for_its_own_browser_and_ten_minutes(provider: Provider, olga: User) -> None:
    browser = Client()
    back = provider.authorize(begin(browser))
    stranger = Client()
    begin(stranger)  # he has a session of his own
    refused(stranger.get(CALLBACK, back))  # type: ignore[arg-type]
    refused(browser.get(CALLBACK, back | {"state": "made-up-0123456789"}))  # type: ignore[arg-type]
    refused(browser.get(CALLBACK, {"code": back["code"]}))  # type: ignore[arg-type]
    assert browser.get(CALLBACK, back).status_code == 302 and is_in(browser)
    browser.post("/account/logout/")
    refused(browser.get(CALLBACK, back))  # type: ignore[arg-type]
    assert not is_in(browser)
    # A code of another sign-in: the proof does not fit.
    mine, other = provider.authorize(begin(browser)), provider.authorize(begin(stranger))
    refused(browser.get(CALLBACK, {"state": mine["state"], "code": other["code"]}))  # type: ignore[arg-type]
    late = provider.authorize(begin(browser))
    session = browser.session
    session["socialaccount_states"] = {
        name: (held, at - 601, whose) for name, (held, at, whose) in session["socialaccount_states"].items()
    }
    session.save()
    refused(browser.get(CALLBACK, late))  # type: ignore[arg-type]
    assert not is_in(browser)


def test_an_error_from_there_is_a_page(provider: Provider, olga: User) -> None:
    browser = Client()
    back = provider.authorize(begin(browser))
    answer = browser.get(
        CALLBACK, {"state": back["state"], "error": "access_denied", "error_description": "A quiet otter."}
    )
    refused(answer)  # type: ignore[arg-type]
    assert "quiet otter" not in answer.text and "access_denied" not in answer.text
    assert browser.post(CALLBACK).status_code == 405


def test_the_same_address_is_nobody(provider: Provider, project: Project, olga: User) -> None:
    """It says olga's address, verified, and is somebody else."""
    provider.subject = "another-subject"
    browser, before = Client(), state(project)
    refused(come(browser, provider), "Nobody here signs in with this identity.")
    assert not is_in(browser) and moved(before, state(project)) <= {"audit_auditevent", "audit_audithead"}
    assert SocialAccount.objects.count() == 1 and User.objects.count() == 1


def test_another_issuer_with_the_same_subject_is_nobody(
    provider: Provider, olga: User, settings: Settings, project: Project
) -> None:
    second = Provider()
    try:
        second.subject = provider.subject
        settings.OIDC_ISSUER = second.url
        browser = Client()
        refused(come(browser, second), "Nobody here signs in with this identity.")
        assert not is_in(browser)
    finally:
        second.stop()


@pytest.mark.parametrize(
    "said",
    [
        {"issuer": "https://login.example.com"},
        {"token_endpoint": "http://login.example.com/token"},
        {"jwks_uri": "file:///etc/keys"},
        {"authorization_endpoint": ""},
    ],
)
def test_a_provider_that_says_strange_things_of_itself(provider: Provider, said: dict[str, str]) -> None:
    provider.discovery = said
    answer = Client().post("/account/oidc/begin", {"how": "login"})
    assert answer.status_code == 503 and answer["Retry-After"] == "30"


def test_a_provider_that_is_away(provider: Provider, settings: Settings) -> None:
    settings.OIDC_ISSUER = "http://127.0.0.1:9"
    answer = Client().post("/account/oidc/begin", {"how": "login"})
    assert answer.status_code == 503 and "Example login does not answer as it should." in text(answer.text)


def invited(project: Project, email: str = "new@example.test") -> str:
    return invite_member(actor=setup_actor(project), project_id=project.id, email=email, roles=["curator"])[1]


def test_an_invitation_is_joined_with_an_identity(provider: Provider, project: Project) -> None:
    token = invited(project)
    browser = Client()
    page = browser.get(f"/invitations/{token}")
    assert "Join with Example login" in text(page.text)
    answer = come(browser, provider, how="join", token=token, next="/p/acme")
    assert (answer.status_code, answer["Location"]) == (302, "/p/acme") and is_in(browser)
    made = User.objects.get()
    # The invited address, not what the provider says.
    assert (made.email, made.has_usable_password()) == ("new@example.test", False)
    assert list(Membership.objects.values_list("user_id", "role")) == [(made.id, "curator")]
    assert not any(token in held.session_data for held in Session.objects.all())
    assert Invitation.objects.get().accepted_by_id == made.id
    verbs = AuditEvent.objects.filter(verb__startswith="users.").values_list("verb", flat=True)
    assert sorted(verbs) == ["users.create", "users.link_identity", "users.login"]
    with bind(project.id):
        assert sorted(AuditEvent.objects.filter(verb__startswith="members.").values_list("verb", flat=True)) == [
            "members.invite",
            "members.join",
        ]
    # And again by the button.
    browser.post("/account/logout/")
    assert come(browser, provider).status_code == 302 and is_in(browser)


def test_an_invitation_opens_no_account_that_there_is(provider: Provider, project: Project, olga: User) -> None:
    token, before = invited(project), User.objects.count()
    browser = Client()
    refused(come(browser, provider, how="join", token=token), "This identity signs in to an account already.")
    assert User.objects.count() == before and Invitation.objects.get().accepted_at is None and not is_in(browser)
    # An address that has an account is joined by signing in with that.
    make_user(None, email="piotr@example.test")
    provider.subject = "somebody-else"
    answer = come(browser, provider, how="join", token=invited(project, "piotr@example.test"))
    refused(answer, "There is an account with this address.")
    assert SocialAccount.objects.count() == 1 and not is_in(browser)
    assert browser.post("/account/oidc/begin", {"how": "join", "token": "made-up"}).status_code == 404
    # One that was withdrawn meanwhile.
    late = invited(project, "late@example.test")
    back = provider.authorize(begin(browser, how="join", token=late))
    Invitation.objects.filter(email="late@example.test").delete()
    assert (
        browser.get(CALLBACK, back).status_code == 404 and not User.objects.filter(email="late@example.test").exists()
    )


def test_linked_from_ones_own_page_after_the_password(provider: Provider, project: Project) -> None:
    user = make_user(project, "viewer", email="olga@example.test")
    browser = login(project, user=user)
    give_password(browser, user, seconds_ago=301)
    asked = browser.post("/account/oidc/begin", {"how": "link"})
    assert asked["Location"].startswith("/account/reauthenticate/") and not SocialAccount.objects.exists()
    give_password(browser, user)
    answer = come(browser, provider, how="link")
    assert answer["Location"] == "/me" and "from now on" in told(browser.get("/me"))
    assert SocialAccount.objects.get().user_id == user.id
    assert AuditEvent.objects.filter(verb="users.link_identity", actor_id=str(user.id)).count() == 1
    refused(come(browser, provider, how="link"), "This identity signs in to an account already.")
    provider.subject = "a-second-one"
    refused(come(browser, provider, how="link"), "Another identity is linked to this account.")
    give_password(browser, user, seconds_ago=301)
    assert browser.post("/me/unlink")["Location"].startswith("/account/reauthenticate/")
    give_password(browser, user)
    assert browser.post("/me/unlink")["Location"] == "/me" and not SocialAccount.objects.exists()
    unlinked = AuditEvent.objects.filter(project_id=None).order_by("-seq").values_list("verb", "actor_id", "result")
    assert unlinked[0] == ("users.unlink_identity", str(user.id), "done")
    assert browser.post("/me/unlink").status_code == 404
    assert unlinked.filter(verb="users.unlink_identity").count() == 1


def test_an_identity_is_linked_to_whoever_began(provider: Provider, project: Project, olga: User) -> None:
    """Somebody else has signed in, or nobody is any more, when the answer comes."""
    provider.subject = "a-second-one"
    piotr = make_user(project, "viewer", email="piotr@example.test")
    browser = login(project, user=piotr)
    back = provider.authorize(begin(browser, how="link"))
    browser.force_login(olga)
    session = browser.session
    assert session["_auth_user_id"] == str(olga.id)
    refused(browser.get(CALLBACK, back), "")  # type: ignore[arg-type]
    assert SocialAccount.objects.count() == 1
    assert Client().post("/account/oidc/begin", {"how": "link"})["Location"].startswith("/account/login/")


def without_password(user: User) -> User:
    user.set_unusable_password()
    user.save()
    return user


def test_dangerous_acts_without_a_password_ask_the_provider_again(
    provider: Provider, project: Project, olga: User
) -> None:
    without_password(olga)
    browser = Client()
    come(browser, provider)
    asked = browser.get("/p/acme/settings/keys/new")
    page = browser.get(asked["Location"])
    assert "Ask Example login" in text(page.text) and 'type="password"' not in page.text
    onward = begin(browser, how="again", next="/p/acme/settings/keys/new")
    assert "prompt=login" in onward and "max_age=0" in onward
    answer = browser.get(CALLBACK, provider.authorize(onward))
    assert answer["Location"] == "/p/acme/settings/keys/new"
    assert browser.get("/p/acme/settings/keys/new").status_code == 200
    assert browser.post("/me/unlink").status_code == 409 and SocialAccount.objects.count() == 1
    # A password is set without one.
    new = {"password1": "otter-91-Quiet-bay", "password2": "otter-91-Quiet-bay"}
    assert browser.post("/account/password/change/", new)["Location"] == "/me"


@pytest.mark.parametrize(
    "change",
    [
        lambda claims: claims.update(auth_time=int(time.time()) - 3600),
        lambda claims: claims.update(auth_time=int(time.time()) + 3600),
        lambda claims: claims.update(auth_time="now"),
        without("auth_time"),
    ],
)
def test_a_provider_that_did_not_ask_again_is_not_believed(
    provider: Provider, project: Project, olga: User, change: Any
) -> None:
    without_password(olga)
    browser = Client()
    come(browser, provider)
    provider.change = change
    refused(come(browser, provider, how="again", next="/me"))
    assert browser.get("/p/acme/settings/keys/new")["Location"].startswith("/account/reauthenticate/")


def test_the_word_of_another_identity_is_not_ones_own(provider: Provider, project: Project, olga: User) -> None:
    without_password(olga)
    browser = Client()
    come(browser, provider)
    provider.subject = "another-subject"
    refused(come(browser, provider, how="again"), "This is not the identity of who is signed in.")
    assert browser.get("/p/acme/settings/keys/new")["Location"].startswith("/account/reauthenticate/")
    assert is_in(browser)


def test_whoever_has_a_password_gives_that(provider: Provider, project: Project, olga: User) -> None:
    browser = Client()
    come(browser, provider)
    assert come(browser, provider, how="again", next="/me").status_code == 302
    assert browser.get("/p/acme/settings/keys/new")["Location"].startswith("/account/reauthenticate/")


def test_the_second_step_comes_after_the_provider_too(
    provider: Provider,
    project: Project,
    olga: User,
    clock: Clock,  # noqa: F811
) -> None:
    enable_second_step(actor=own(olga), user_id=olga.id, secret=SECRET, code=shown(clock))
    clock.at += 30
    without_password(User.objects.get(id=olga.id))
    browser = Client()
    assert come(browser, provider, next="/me")["Location"] == "/account/code/" and not is_in(browser)
    assert browser.post("/account/code/", {"code": shown(clock)})["Location"] == "/me" and is_in(browser)
    # A code just given is as good as a password; later it is asked for again.
    assert browser.get("/p/acme/settings/keys/new").status_code == 200
    session = browser.session
    session["account_authentication_methods"] = [{"method": "mfa", "at": time.time() - 301}]
    session.save()
    path = browser.get("/p/acme/settings/keys/new")["Location"]
    assert re.search(r'name="code"', browser.get(path).text)
    clock.at += 30
    assert browser.post(path, {"code": "000000"}).status_code == 422
    assert browser.post(path, {"code": shown(clock)})["Location"] == "/p/acme/settings/keys/new"


def test_somebody_switched_off_stays_out(provider: Provider, olga: User) -> None:
    User.objects.filter(id=olga.id).update(is_active=False)
    browser = Client()
    assert come(browser, provider)["Location"] == "/account/inactive/" and not is_in(browser)


def test_nobody_is_sent_to_another_site(provider: Provider, olga: User) -> None:
    for address in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        browser = Client()
        assert come(browser, provider, next=address)["Location"] == "/"
