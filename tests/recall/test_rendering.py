"""The block of facts is to the letter what the real SDK puts into a prompt."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlsplit

import fastaiagent as fa
import pytest
from fastaiagent.agent.memory_blocks import PlaneFactBlock

from apps.recall.rendering import block_text, token_estimate, within_budget


class Plane(HTTPServer):
    """Answers every read with ``contents``."""

    contents: list[str] = []


class Handler(BaseHTTPRequestHandler):
    server: Plane

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        answer: dict[str, object] = {"project_id": "p", "domain_id": "d", "scopes": ["agent:write"]}
        if path.endswith("/memory/facts"):
            answer = {"facts": [{"content": content} for content in self.server.contents]}
        self.say(answer)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.say({"id": "1", "fail_mode": "open"})

    def say(self, answer: dict[str, object]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""


@pytest.fixture
def plane(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> Iterator[Plane]:
    monkeypatch.setenv("FASTAIAGENT_LOCAL_DB", f"{tmp_path}/local.db")
    with Plane(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        fa.connect(api_key="mp_test", target=f"http://127.0.0.1:{server.server_address[1]}")
        yield server
        fa.disconnect()
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "contents",
    [
        [],
        ["Refunds take five days."],
        ["Refunds take five days.", "The release owner is Chen.", "  Two  spaces inside. "],
        ["Says it twice.", "says IT  twice.", "Another.", "Says it twice."],
        [
            "",
            "- begins with a dash",
            'quotes " and <b>tags</b> & {braces}',
            "茶が好き。",
            "Ünïcode – straße",
            "STRASSE",
        ],
    ],
)
def test_the_block_is_what_the_sdk_makes_of_the_same_facts(plane: Plane, contents: list[str]) -> None:
    plane.contents = contents
    theirs = [str(message.content) for message in PlaneFactBlock("support-bot").render("a question")]
    ours = block_text("support-bot", contents)
    assert theirs == ([ours] if ours else [])


def test_its_words() -> None:
    assert block_text("support", ["One.", "Two."]) == "Curated facts (agent:support):\n- One.\n- Two."
    assert block_text("support", []) == ""


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("茶が好き", 4), ("茶 tea", 2), ("ไทย", 3)]
)
def test_tokens_are_guessed_by_script(text: str, tokens: int) -> None:
    assert token_estimate(text) == tokens


def test_a_budget_takes_the_first_that_fit() -> None:
    contents = ["One.", "Two.", "Three."]
    whole = token_estimate(block_text("a", contents))
    assert within_budget("a", contents, whole) == contents
    assert within_budget("a", contents, whole - 1) == ["One.", "Two."]
    assert within_budget("a", contents, 3) == []
