"""POST keys/revoke: a key ends its own life; and, as the strict route, what every strict route refuses."""

import json

import pytest

from apps.access.models import ApiKey
from apps.access.scopes import SCOPES
from apps.audit.models import AuditEvent
from apps.core.transactions import bind
from apps.tenancy.models import Project
from tests.api.helpers import BAD_KEY, assert_problem, fault, get, post
from tests.factories import make_key

UTF8_BOM = b"\xef\xbb\xbf"


def events(project: Project) -> list[tuple[str, str, str, str]]:
    with bind(project.id):
        found = AuditEvent.objects.filter(verb="keys.revoke_own").order_by("seq")
        return list(found.values_list("actor_id", "object_id", "reason", "result"))


@pytest.mark.parametrize("scope", SCOPES)
def test_any_key_may_end_itself(project: Project, scope: str) -> None:
    key, text = make_key(project, [scope])
    other, _ = make_key(project)
    response = post("keys/revoke", text, {})
    key.refresh_from_db()
    other.refresh_from_db()
    assert key.revoked_at is not None
    assert response.status_code == 200
    assert json.loads(response.content) == {"revoked_at": key.revoked_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
    assert (key.revoke_reason, key.revoked_by, other.revoked_at) == ("leaked", None, None)
    assert events(project) == [(str(key.id), str(key.id), "leaked", "done")]
    assert_problem(get("auth/check", text), 401, "invalid_key", BAD_KEY)
    assert_problem(post("keys/revoke", text, {}), 401, "invalid_key", BAD_KEY)
    assert len(events(project)) == 1


@pytest.mark.parametrize("reason", ["replaced", "leaked", "unused", "other"])
def test_a_reason_is_kept(project: Project, reason: str) -> None:
    key, text = make_key(project)
    assert post("keys/revoke", text, {"reason": reason}).status_code == 200
    key.refresh_from_db()
    assert key.revoke_reason == reason


def test_null_counts_as_missing(project: Project) -> None:
    key, text = make_key(project)
    assert post("keys/revoke", text, {"reason": None}).status_code == 200
    key.refresh_from_db()
    assert key.revoke_reason == "leaked"


EMPTY = "The body is empty."
TOP = "The body has to be a JSON object."
LARGE = "The body is over 262144 bytes."
DEEP = "Objects and arrays are nested more than 32 deep."
NUMBER = "A number is NaN, infinite or too great."
TWICE = "A key stands twice in this object."
TYPE = "Has to be a text."
NUL = "A text holds the character U+0000."
HALF = "A text holds half of a surrogate pair."


@pytest.mark.parametrize(
    ("body", "status", "code", "detail", "pointer"),
    [
        (b"", 400, "empty_body", EMPTY, None),
        (b" \n", 400, "empty_body", EMPTY, None),
        (b"null", 400, "object_expected", TOP, ""),
        (b"[]", 400, "object_expected", TOP, ""),
        (b'"leaked"', 400, "object_expected", TOP, ""),
        (b"3", 400, "object_expected", TOP, ""),
        (b"{", 400, "invalid_json", "The body is not valid JSON: line 1, column 2.", None),
        (b"reason=leaked", 400, "invalid_json", "The body is not valid JSON: line 1, column 1.", None),
        (b"{'reason': 'leaked'}", 400, "invalid_json", "The body is not valid JSON: line 1, column 2.", None),
        (b'{"reason": "leaked",}', 400, "invalid_json", None, None),
        (b'{"reason": "a\nb"}', 400, "invalid_json", None, None),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00", 400, "invalid_utf8", "The body is not valid UTF-8.", None),
        (b'{"reason": "\xff"}', 400, "invalid_utf8", "The body is not valid UTF-8.", None),
        ('{"reason": "leaked"}'.encode("utf-16"), 400, "invalid_utf8", "The body is not valid UTF-8.", None),
        (UTF8_BOM + b"{}", 400, "byte_order_mark", "The body begins with a byte order mark. Send plain UTF-8.", None),
        (b'{"a":' * 2000 + b"1" + b"}" * 2000, 400, "too_deep", DEEP, None),
        (b'{"a":' + b"[" * 2000 + b"]" * 2000 + b"}", 400, "too_deep", DEEP, None),
        (b'{"a":' + b"[" * 100_000, 400, "too_deep", DEEP, None),
        (b'{"reason": NaN}', 400, "non_finite", NUMBER, "/reason"),
        (b'{"reason": -Infinity}', 400, "non_finite", NUMBER, "/reason"),
        (b'{"reason": 1e999}', 400, "non_finite", NUMBER, "/reason"),
        (
            b'{"reason": ' + b"9" * 5000 + b"}",
            400,
            "number_too_long",
            "An integer has more than 300 digits.",
            "/reason",
        ),
        (b'{"reason": "leaked", "reason": "other"}', 400, "duplicate_key", TWICE, ""),
        (b'{"a": [{"x~/": 1, "x~/": 2}]}', 400, "duplicate_key", TWICE, "/a/0"),
        (b'{"reason": "\\u0000"}', 422, "null_character", NUL, "/reason"),
        (b'{"reason": "\\ud800"}', 422, "lone_surrogate", HALF, "/reason"),
        (b'{"\\ud800": 1}', 422, "lone_surrogate", HALF, ""),
        (b'{"reason": 123}', 422, "wrong_type", TYPE, "/reason"),
        (b'{"reason": true}', 422, "wrong_type", TYPE, "/reason"),
        (b'{"reason": ["leaked"]}', 422, "wrong_type", TYPE, "/reason"),
        (b'{"reason": {"leaked": 1}}', 422, "wrong_type", TYPE, "/reason"),
        (
            b'{"reason": "secret"}',
            422,
            "unknown_choice",
            "Has to be one of: replaced, leaked, unused, other.",
            "/reason",
        ),
        (b'{"reason": "Leaked"}', 422, "unknown_choice", None, "/reason"),
        (b'{"reason": ""}', 422, "unknown_choice", None, "/reason"),
        (b'{"why": "leaked"}', 422, "unknown_field", "There is no field why here.", "/why"),
        (b'{"a/b~": 1}', 422, "unknown_field", "There is no field a/b~ here.", "/a~1b~0"),
        (b'{"reason": "' + b"x" * 10_000_000 + b'"}', 413, "body_too_large", LARGE, ""),
        (b" " * 262_145, 413, "body_too_large", LARGE, ""),
    ],
)
def test_a_bad_body_is_refused_and_nothing_happens(
    project: Project, body: bytes, status: int, code: str, detail: str | None, pointer: str | None
) -> None:
    _, text = make_key(project)
    response = post("keys/revoke", text, raw=body)
    sentence = json.loads(response.content)["detail"]
    errors = None if pointer is None else [fault(code, detail or sentence, pointer=pointer)]
    assert_problem(response, status, code, detail, errors)
    assert b"secret" not in response.content
    assert not ApiKey.objects.exclude(revoked_at=None).exists()
    assert events(project) == []


def test_every_fault_is_listed(project: Project) -> None:
    _, text = make_key(project)
    response = post("keys/revoke", text, {"reason": 1, "a": 1, "b": 2})
    assert_problem(
        response,
        422,
        "invalid",
        "3 things are not acceptable.",
        [
            fault("wrong_type", TYPE, pointer="/reason"),
            fault("unknown_field", "There is no field a here.", pointer="/a"),
            fault("unknown_field", "There is no field b here.", pointer="/b"),
        ],
    )
    many = post("keys/revoke", text, {f"field{number}": 1 for number in range(1000)})
    assert len(json.loads(many.content)["errors"]) == 20
    long = post("keys/revoke", text, {"x" * 100_000: 1})
    assert len(long.content) < 600


@pytest.mark.parametrize(
    ("content_type", "code"),
    [
        ("", "unsupported_media_type"),
        ("application/xml", "unsupported_media_type"),
        ("application/x-www-form-urlencoded", "unsupported_media_type"),
        ("multipart/form-data; boundary=x", "unsupported_media_type"),
        ("text/plain", "unsupported_media_type"),
        ("application/jsonp", "unsupported_media_type"),
        ("application/json; charset=utf-16", "unsupported_charset"),
        ("application/json; charset=nonsense", "unsupported_charset"),
        ("application/json; charset=hex", "unsupported_charset"),
    ],
)
@pytest.mark.parametrize("body", [b'{"reason": "leaked"}', b""])
def test_a_body_of_another_type_is_refused(project: Project, content_type: str, code: str, body: bytes) -> None:
    _, text = make_key(project)
    response = post("keys/revoke", text, raw=body, content_type=content_type)
    assert_problem(response, 415, code)
    assert response.get("Accept") == ("application/json" if code == "unsupported_media_type" else None)
    assert not ApiKey.objects.exclude(revoked_at=None).exists()


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "gzip, identity", "x"])
def test_a_compressed_body_is_refused(project: Project, encoding: str) -> None:
    _, text = make_key(project)
    response = post("keys/revoke", text, {}, headers={"Content-Encoding": encoding})
    assert_problem(response, 415, "content_encoding")
    assert response["Accept-Encoding"] == "identity"
    assert not ApiKey.objects.exclude(revoked_at=None).exists()


@pytest.mark.parametrize(
    "content_type", ["application/json", "Application/JSON; charset=UTF-8", "application/json;charset=utf8"]
)
def test_plain_json_is_read(project: Project, content_type: str) -> None:
    _, text = make_key(project)
    headers = {"Content-Encoding": "identity"}
    assert post("keys/revoke", text, raw=b"{}", content_type=content_type, headers=headers).status_code == 200
