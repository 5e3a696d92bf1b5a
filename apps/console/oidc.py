"""Signing in through the operator's identity provider: OpenID Connect, code flow with PKCE, by django-allauth.

Ours is what it leaves open: the signature, algorithm, issuer, audience and nonce of each ID token are checked, nothing of
what the provider says about a person is kept but who it is (issuer and subject), and nobody comes in by an e-mail address.
"""

import hmac
import time
from typing import Any
from urllib.parse import urlsplit

import jwt
import structlog
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.adapter import get_adapter as get_social_adapter
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.access.actions.record_login import record_login
from memoryplane.env import is_local

log = structlog.get_logger(__name__)
# Those with a key pair alone: with HS… whoever knows the public key could sign, and "none" signs nothing.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
LEEWAY = 60
KEPT_SECONDS = 300
ASKED_WITHIN = 300
_discovered: dict[str, tuple[float, dict[str, Any]]] = {}


class Provider(OpenIDConnectProvider):
    """What the environment names. Of a person it knows the subject and nothing else."""

    def __init__(self, request: HttpRequest) -> None:
        app = SocialApp(
            provider="openid_connect",
            # What an identity is kept under: the issuer, so that another provider's subjects are never taken for this one's.
            provider_id=settings.OIDC_ISSUER,
            name=settings.OIDC_NAME,
            client_id=settings.OIDC_CLIENT_ID,
            secret=settings.OIDC_CLIENT_SECRET,
            settings={"server_url": settings.OIDC_ISSUER, "oauth_pkce_enabled": True, "scope": ["openid"]},
        )
        super().__init__(request, app=app)

    def get_oauth2_adapter(self, request: HttpRequest) -> "Adapter":
        return Adapter(request)

    def extract_uid(self, data: dict[str, Any]) -> str:
        return str(data["sub"])

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        return {}

    def extract_common_fields(self, data: dict[str, Any]) -> dict[str, Any]:
        return {}

    def extract_email_addresses(self, data: dict[str, Any]) -> list[Any]:
        return []


class Adapter(OpenIDConnectOAuth2Adapter):
    """Talks to the provider, and believes an ID token only when all of it is right."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request, settings.OIDC_ISSUER)
        self.state: dict[str, Any] = {}

    def get_provider(self) -> Provider:
        return Provider(self.request)

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        return f"{settings.PUBLIC_URL}{reverse('oidc-callback')}"

    @property
    def openid_config(self) -> dict[str, Any]:
        """What the provider says of itself, kept for five minutes. Raises OAuth2Error, and requests' errors."""
        until, kept = _discovered.get(settings.OIDC_ISSUER, (0.0, {}))
        if until < time.monotonic():
            kept = _json(f"{settings.OIDC_ISSUER}/.well-known/openid-configuration")
            if str(kept.get("issuer", "")).rstrip("/") != settings.OIDC_ISSUER:
                raise OAuth2Error("other issuer")
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                url = urlsplit(str(kept.get(name, "")))
                if url.scheme != "https" and not (url.scheme == "http" and is_local(url.hostname)):
                    raise OAuth2Error(f"{name} is no https address")
            _discovered[settings.OIDC_ISSUER] = (time.monotonic() + KEPT_SECONDS, kept)
        return kept

    def complete_login(self, request: HttpRequest, app: SocialApp, token: Any, **kwargs: Any) -> Any:
        claims = verified(
            kwargs["response"].get("id_token"),
            keys=_json(self.openid_config["jwks_uri"]).get("keys"),
            issuer=self.openid_config["issuer"],
            nonce=self.state["nonce"],
        )
        if self.state["data"]["how"] == "again":
            asked = claims.get("auth_time")
            if not isinstance(asked, int) or not time.time() - ASKED_WITHIN < asked < time.time() + LEEWAY:
                raise OAuth2Error("not asked again")
        return self.get_provider().sociallogin_from_response(request, claims)


def verified(token: Any, *, keys: Any, issuer: str, nonce: str) -> dict[str, Any]:
    """The claims of an ID token that this issuer signed for us, for this very sign-in, a moment ago. Raises OAuth2Error."""
    try:
        header = jwt.get_unverified_header(token)
        if header.get("alg") not in ALGORITHMS:
            raise OAuth2Error("algorithm")
        fitting = [one for one in keys if one.get("kid") == header.get("kid") and one.get("kty") != "oct"]
        if len(fitting) != 1:
            raise OAuth2Error("key")
        claims: dict[str, Any] = jwt.decode(
            token,
            key=jwt.PyJWK(fitting[0], algorithm=header["alg"]),
            algorithms=[header["alg"]],
            issuer=issuer,
            audience=settings.OIDC_CLIENT_ID,
            leeway=LEEWAY,
            options={"require": ["exp", "iat", "iss", "aud", "sub"]},
        )
    except (jwt.PyJWTError, TypeError, AttributeError, ValueError, KeyError) as error:
        raise OAuth2Error(type(error).__name__) from error
    others = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if (others or "azp" in claims) and claims.get("azp") != settings.OIDC_CLIENT_ID:
        raise OAuth2Error("party")
    if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
        raise OAuth2Error("nonce")
    if not 1 <= len(claims["sub"]) <= 191:
        raise OAuth2Error("subject")
    return claims


def _json(url: str) -> dict[str, Any]:
    """Raises requests' errors and OAuth2Error."""
    with get_social_adapter().get_requests_session() as session:
        answer = session.get(url, allow_redirects=False)
        answer.raise_for_status()
        said = answer.json()
    if not isinstance(said, dict):
        raise OAuth2Error("answer")
    return said


class Callback(OAuth2CallbackView):
    """Where the provider sends people back to."""

    def _get_state(self, request: HttpRequest, provider: Provider) -> tuple[dict[str, Any] | None, HttpResponse | None]:
        state, response = super()._get_state(request, provider)
        self.adapter.state = state or {}
        return state, response


class SocialAdapter(DefaultSocialAccountAdapter):
    """allauth's hooks: one provider, from the environment; no sign-up; what an identity may be used for."""

    def list_apps(self, request: HttpRequest, provider: Any = None, client_id: Any = None) -> list[SocialApp]:
        return [Provider(request).app] if settings.OIDC_ISSUER else []

    def get_provider(self, request: HttpRequest, provider: Any, client_id: Any = None) -> Provider:
        return Provider(request)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return False

    def serialize_instance(self, instance: Any) -> Any:
        """While a second step is waited for, this lies in the session: without the hash of a password."""
        kept = super().serialize_instance(instance)
        kept.pop("password", None)
        return kept

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        from apps.console.identities import use_identity

        use_identity(request, sociallogin)

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, exception: Any = None, extra_context: Any = None
    ) -> None:
        """What was wrong is for the log; a stranger is told nothing that would help him."""
        log.warning(
            "identity refused",
            reason=str(exception) if isinstance(exception, OAuth2Error) else type(exception).__name__,
        )
        record_login(user_id=None, succeeded=False)
        raise ImmediateHttpResponse(
            refused(request, f"{settings.OIDC_NAME} did not confirm who you are, or it took too long. Begin again.")
        )


def refused(request: HttpRequest, reason: str, status: int = 403) -> HttpResponse:
    """The page of a sign-in through the provider that came to nothing."""
    response = render(request, "account/oidc_refused.html", {"reason": reason}, status=status)
    response["Cache-Control"] = "no-store"
    return response
