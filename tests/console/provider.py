"""A small identity provider over real HTTP: it signs what a test tells it to, and notes what it was asked."""

import base64
import functools
import hashlib
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CLIENT, SECRET = "memoryplane", "of-the-client"
Change = Callable[[dict[str, Any]], None]


@functools.cache
def new_key(name: str) -> rsa.RSAPrivateKey:
    """Making one takes a while; each name has the same for all tests of a process."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Provider:
    """`url` is the issuer. `subject` is who signs in next; `change` alters the claims, `sign` makes the token."""

    def __init__(self) -> None:
        self.key, self.other_key = new_key("one"), new_key("two")
        self.subject = "7c9e-anna"
        self.change: Change = lambda claims: None
        self.sign: Callable[[dict[str, Any]], str] = self.signed
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.codes: dict[str, dict[str, str]] = {}
        self.discovery: dict[str, Any] = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.startswith("/authorize?"):
                    return self.send_back(*provider.come_back(self.path))
                self.answer(provider.get(self.path))

            def send_back(self, address: str, said: dict[str, str]) -> None:
                self.send_response(302)
                self.send_header("Location", f"{address}?{urlencode(said)}")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.answer(provider.token({name: values[0] for name, values in parse_qs(body).items()}))

            def answer(self, said: tuple[int, dict[str, Any]]) -> None:
                body = json.dumps(said[1]).encode()
                self.send_response(said[0])
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                """Nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def get(self, path: str) -> tuple[int, dict[str, Any]]:
        self.asked.append((path, {}))
        if path == "/.well-known/openid-configuration":
            return 200, {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            } | self.discovery
        if path == "/keys":
            return 200, {"keys": [jwk(self.key, "one"), jwk(self.other_key, "two")]}
        return 404, {}

    def come_back(self, address: str) -> tuple[str, dict[str, str]]:
        """Where a browser that came here is sent, and with what: whoever comes has signed in."""
        said = self.authorize(address)
        return self.codes[said["code"]]["redirect_uri"], said

    def authorize(self, address: str) -> dict[str, str]:
        """What a person's browser brings back after signing in there, from the address it was sent to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert (asked["client_id"], asked["response_type"], asked["scope"]) == (CLIENT, "code", "openid")
        assert asked["code_challenge_method"] == "S256" and len(asked["nonce"]) >= 32 and len(asked["state"]) >= 16
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def token(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        self.asked.append(("/token", form))
        asked = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (
            not asked
            or proof != asked["code_challenge"]
            or (form["client_id"], form["client_secret"], form["redirect_uri"])
            != (CLIENT, SECRET, asked["redirect_uri"])
        ):
            return 400, {"error": "invalid_grant"}
        at = int(time.time())
        claims: dict[str, Any] = {
            "iss": self.url,
            "aud": CLIENT,
            "sub": self.subject,
            "iat": at,
            "exp": at + 300,
            "nonce": asked["nonce"],
            "email": "olga@example.test",
            "email_verified": True,
            "name": "Olga Quist",
        }
        if "max_age" in asked:
            claims["auth_time"] = at
        self.change(claims)
        return 200, {"access_token": "of-no-use-here", "token_type": "Bearer", "id_token": self.sign(claims)}

    def signed(self, claims: dict[str, Any]) -> str:
        return jwt.encode(claims, self.key, "RS256", headers={"kid": "one"})

    def public_pem(self) -> bytes:
        return self.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def jwk(key: rsa.RSAPrivateKey, kid: str) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
    return said | {"kid": kid, "use": "sig", "alg": "RS256"}


def by_hand(header: dict[str, Any], claims: dict[str, Any], signature: Callable[[bytes], bytes]) -> str:
    """A token that no library would make."""

    def part(data: bytes) -> bytes:
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    head = part(json.dumps(header).encode()) + b"." + part(json.dumps(claims).encode())
    return (head + b"." + part(signature(head))).decode()
