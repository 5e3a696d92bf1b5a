"""The headers that every answer has, whoever gives it: the API, a page, a file, an error, the HTTP server itself."""

import re
import socket
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from apps.api.middleware import HEADERS
from tests.browserless import Person
from tests.factories import PASSWORD, make_project, make_user
from tests.live import Live
from tests.servers import ROOT

INLINE = re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*type=\"application/json\")[^>]*>|\son[a-z]+=\"|\sstyle=\"|<style\b")
SAME = {name: value for name, value in HEADERS.items() if name != "Content-Security-Policy"}


def secure(answer: httpx.Response) -> None:
    assert {name: answer.headers.get(name) for name in SAME} == SAME, answer.url
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy, answer.url
    assert "unsafe" not in policy and "*" not in policy and "data:" not in policy, answer.url


def test_every_answer_has_them(fresh_db: str, server: Live) -> None:
    project = make_project("acme")
    person = Person(server.url, make_user(project, "curator").email, PASSWORD)
    page = person.get("/p/acme/facts")
    script = re.search(r'src="(/static/[^"]+\.js)"', page.text)
    assert script is not None
    with httpx.Client(base_url=server.url, timeout=20) as stranger:
        answers = {
            "page": page,
            "login": stranger.get("/account/login/"),
            "to the login": stranger.get("/p/acme/facts"),
            "no page": person.http.get("/nowhere"),
            "no token": person.http.post("/account/logout/"),
            "file": stranger.get(script[1]),
            "no file": stranger.get("/static/nothing.js"),
            "alive": stranger.get("/healthz"),
            "ready": stranger.get("/readyz"),
            "another host": stranger.get("/", headers={"Host": "evil.example"}),
            "no key": stranger.get("/v1/facts"),
            "no path": stranger.get("/v1/nothing"),
        }
    for answer in answers.values():
        secure(answer)
    found = {name: answer.status_code for name, answer in answers.items()}
    assert found == {
        "page": 200, "login": 200, "to the login": 302, "no page": 404, "no token": 403, "file": 200, "no file": 404,
        "alive": 200, "ready": 200, "another host": 400, "no key": 401, "no path": 404,
    }  # fmt: skip


def test_what_the_http_server_refuses_itself_has_them_too(server: Live) -> None:
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port), timeout=20) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nno colon\r\n\r\n")
        head = connection.recv(65536).decode().partition("\r\n\r\n")[0]
    assert re.match(r"HTTP/1\.\d 400 ", head)
    said = dict(line.split(": ", 1) for line in head.splitlines()[1:])
    assert {name: said.get(name) for name in HEADERS} == HEADERS


def test_no_template_has_anything_inline() -> None:
    """What the policy forbids would be silently dead: scripts, handlers and styles are in files."""
    templates = sorted((ROOT / "templates").rglob("*.html"))
    assert len(templates) > 100
    found = {str(path.relative_to(ROOT)): INLINE.findall(path.read_text()) for path in templates}
    assert {name: inline for name, inline in found.items() if inline} == {}


def test_htmx_neither_evaluates_nor_keeps_pages() -> None:
    head = (ROOT / "templates/console/_head.html").read_text()
    for option in (
        '"allowEval":false',
        '"allowScriptTags":false',
        '"selfRequestsOnly":true',
        '"historyCacheSize":0',
        '"refreshOnHistoryMiss":true',
        '"includeIndicatorStyles":false',
    ):
        assert option in head
    sources = [path.read_text() for path in [*Path(ROOT / "templates").rglob("*.html"), ROOT / "static/console.js"]]
    assert not [text for text in sources if re.search(r"\bhx-on\b|hx-vals=.js:|\beval\(|new Function\(", text)]
