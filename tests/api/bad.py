"""Bad inputs by number: what is sent, and the answer to it to the last field.

Each row of `rows` belongs to one of 46 kinds; a kind that is about bodies is sent on every path that reads one. The same
rows, mutated, are what tests/faults/test_malformed.py floods a web process with.
"""

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.api.helpers import make_span

MARK = "zqxwvk"
"""Stands in every value that is at fault, where it can hold a text; no answer may repeat it."""
DEEP = b'{"content":' * 2_000 + b"1" + b"}" * 2_000
HUGE = "9" * 5_000
JSON = "application/json"


@dataclass(frozen=True)
class Sent:
    """One request, relative to /v1/; ``key`` names who asks."""

    method: str
    path: str
    body: bytes = b""
    params: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = (("Content-Type", JSON),)
    key: str = "direct"


@dataclass(frozen=True)
class Row:
    """The kind, the request, and the answer. ``place`` is a JSON pointer, or the name of a parameter with `?` before it;
    None where the fault is in no one place."""

    kind: int
    sent: Sent
    status: int
    code: str
    place: str | None = None
    what: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.kind}-{self.sent.method}-{self.sent.path}-{self.what or self.code}"


WRITES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "facts"): {"scope": "user", "scope_id": "lovelace", "content": "Prefers trains."},
    ("PATCH", "facts/{own}"): {"content": "Refunds take six days."},
    ("POST", "facts/{own}/supersede"): {"by": 1},
    ("PUT", "memories"): {"agent": "support", "scope": "user:lovelace", "key": "city", "value": "London"},
    ("POST", "privacy/requests"): {"kind": "access", "user_id": "lovelace"},
    ("POST", "dreams"): {"scope": "project"},
    ("POST", "sessions/chat/7/messages"): {"messages": [{"role": "user", "content": "Hello."}]},
    ("POST", "keys/revoke"): {"reason": "leaked"},
}
"""Paths of our own that read a body, with one that would be taken; nothing on them is forgiven."""
TOLERANT: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "sdk/agents"): {"name": "support"},
    ("POST", "governance/enroll"): {"instance_id": "e5be95db"},
    ("POST", "traces/ingest"): {"spans": []},
    ("POST", "traces"): {"resourceSpans": []},
}
"""Paths that an SDK or an exporter drives: unknown fields and odd numbers pass, and a bad span is dropped inside a 2xx."""

TEXTS = {  # pointer: blank is refused, line breaks are refused, its longest
    ("POST", "facts"): {
        "/scope_id": (False, True, 255),
        "/agent": (False, True, 200),
        "/label": (False, True, 255),
        "/content": (True, False, 2_000),
        "/category": (True, True, 60),
        "/source_trace_id": (True, True, 32),
    },
    ("PATCH", "facts/{own}"): {"/content": (True, False, 2_000), "/category": (True, True, 60)},
    ("PUT", "memories"): {
        "/agent": (True, False, 200),
        "/scope": (True, False, 270),
        "/key": (False, False, 512),
        "/category": (True, True, 60),
    },
    ("POST", "privacy/requests"): {
        "/user_id": (False, False, 1_000),
        "/message": (False, False, 4_000),
        "/correction": (False, False, 2_000),
        "/identities/0/value": (True, False, 255),
    },
    ("POST", "dreams"): {"/scope_id": (False, False, 255), "/session": (False, True, 255)},
    ("POST", "sessions/chat/7/messages"): {
        "/user_id": (False, False, 255),
        "/messages/0/id": (True, True, 120),
        "/messages/0/content": (False, False, 200_000),
        "/messages/0/stands_for/0": (True, True, 120),
    },
}
CHOICES = {
    ("POST", "facts"): ["/scope", "/memory_type", "/sensitivity", "/source"],
    ("PATCH", "facts/{own}"): ["/memory_type", "/sensitivity"],
    ("PUT", "memories"): ["/sensitivity"],
    ("POST", "privacy/requests"): ["/kind", "/identities/0/kind"],
    ("POST", "dreams"): ["/scope"],
    ("POST", "sessions/chat/7/messages"): ["/messages/0/role"],
    ("POST", "keys/revoke"): ["/reason"],
}
NUMBERS = {
    ("POST", "facts"): ["/confidence", "/importance"],
    ("PATCH", "facts/{own}"): ["/confidence", "/importance"],
}
INTEGERS = {("POST", "facts/{own}/supersede"): ["/by"], ("POST", "privacy/requests"): ["/fact_id"]}
BOOLEANS = {("POST", "dreams"): ["/dry_run"]}
MOMENTS = {  # pointer: the future is refused, the year before which it is refused
    ("POST", "facts"): {"/observed_at": (True, 1970), "/expires_at": (False, 2000)},
    ("PATCH", "facts/{own}"): {"/expires_at": (False, 2000)},
    ("POST", "sessions/chat/7/messages"): {"/messages/0/at": (True, 2000)},
}
LIMITS = {  # paths with a limit: its most, and what else they have to be told
    "memory/facts": (200, {"agent_id": "support"}),
    "memory/revocations": (5_000, {"since": "2026-01-01T00:00:00Z"}),
    "facts": (200, {}),
    "memories": (200, {"agent": "support", "scope": "user:lovelace"}),
    "memories/keys": (200, {"agent": "support", "scope": "user:lovelace"}),
    "dreams": (200, {}),
}


def with_value(body: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    """A copy in which ``value`` stands at ``pointer``; what is not there on the way is made."""
    whole: Any = copy.deepcopy(body)
    *way, last = pointer.strip("/").split("/")
    at = whole
    for step, following in zip(way, [*way, last][1:], strict=True):
        at = at[int(step)] if isinstance(at, list) else at.setdefault(step, [{}] if following == "0" else {})
    at[last] = value
    return whole  # type: ignore[no-any-return]


def put(body: dict[str, Any], pointer: str, value: Any) -> bytes:
    """The same as JSON; lists of texts are begun with the value itself."""
    if pointer.endswith("/0"):
        return json.dumps(with_value(body, pointer.removesuffix("/0"), [value])).encode()
    whole = with_value(body, pointer, value)
    if "identities" in whole:
        whole["identities"][0] = {"kind": "name", "value": "Ada"} | whole["identities"][0]
    return json.dumps(whole).encode()


def of_bodies() -> Iterator[Row]:
    """What is refused before a field is looked at, on every path that is strict."""
    for (method, path), body in WRITES.items():
        first = next(iter(body))
        inner = json.dumps(body)[1:]

        def sent(raw: bytes, method: str = method, path: str = path, **headers: str) -> Sent:
            named = {"Content-Type": JSON} | {name.replace("_", "-"): value for name, value in headers.items()}
            return Sent(method, path, raw, headers=tuple(named.items()))

        def text(raw: str, sent: Any = sent, **headers: str) -> Sent:
            made: Sent = sent(raw.encode(), **headers)
            return made

        yield Row(1, text(f'{{"{first}":"{MARK}\\u0000"}}'), 422, "null_character", f"/{first}")
        yield Row(2, text(f'{{"extra":{{"a":["{MARK}\\u0000"]}},{inner}'), 422, "null_character", "/extra/a/0")
        yield Row(2, text(f'{{"{MARK}\\u0000":1,{inner}'), 422, "null_character", "", "in a name")
        yield Row(3, text(f'{{"{first}":"{MARK}\\ud800"}}'), 422, "lone_surrogate", f"/{first}")
        yield Row(4, text(f'{{"extra":[{{"a":"{MARK}\\udfff"}}],{inner}'), 422, "lone_surrogate", "/extra/0/a")
        yield Row(5, sent(DEEP), 400, "too_deep")
        yield Row(5, sent(b"[" * 33 + b"]" * 33), 400, "too_deep", None, "a list")
        for word in ("NaN", "Infinity", "-Infinity"):
            yield Row(6, text(f'{{"extra":{word},{inner}'), 400, "non_finite", "/extra", word)
        yield Row(7, text(f'{{"extra":[1e999],{inner}'), 400, "non_finite", "/extra/0")
        yield Row(14, sent(b" " * 262_145), 413, "body_too_large", "", "262,145 bytes")
        yield Row(14, sent(json.dumps(body | {"extra": "x" * 10_000_000}).encode()), 413, "body_too_large", "", "10 MB")
        yield Row(19, text(f'{{"a/b~c":1,{inner}'), 422, "unknown_field", "/a~1b~0c")
        yield Row(20, text(f'{{"{first}":"{MARK}",{inner}'), 400, "duplicate_key", "")
        yield Row(20, text(f'{{"extra":{{"a":1,"a":"{MARK}"}},{inner}'), 400, "duplicate_key", "/extra", "inside")
        for top in ("[]", f'"{MARK}"', "null", "7", "true"):
            yield Row(21, text(top), 400, "object_expected", "", top)
        yield Row(22, sent(b""), 400, "empty_body")
        yield Row(22, sent(b" \r\n\t"), 400, "empty_body", None, "white space")
        yield Row(23, sent(b'{"extra":"\xff\xfe"}'), 400, "invalid_utf8")
        yield Row(24, sent(b"\xef\xbb\xbf" + json.dumps(body).encode()), 400, "byte_order_mark")
        utf16 = json.dumps(body).encode("utf-16")
        for charset in ("utf-16", "latin-1", f"{MARK}"):
            kind = f"application/json; charset={charset}"
            yield Row(25, sent(utf16, Content_Type=kind), 415, "unsupported_charset", None, charset)
        for kind in ("application/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""):  # fmt: skip
            answer = "unsupported_media_type"
            yield Row(26, sent(json.dumps(body).encode(), Content_Type=kind), 415, answer, None, kind or "none")
        for coding in ("gzip", "br", "deflate", "gzip, gzip"):
            yield Row(27, sent(b"\x1f\x8b\x08\x00", Content_Encoding=coding), 415, "content_encoding", None, coding)
        yield Row(28, text(f'{{"extra":{HUGE},{inner}'), 400, "number_too_long", "/extra")


def of_fields() -> Iterator[Row]:
    """What is wrong with one value, in every field of every strict path."""
    for (method, path), fields in TEXTS.items():
        for pointer, (no_blank, line, longest) in fields.items():

            def row(kind: int, value: Any, code: str, method: str = method, path: str = path, pointer: str = pointer, what: str = "") -> Row:  # fmt: skip
                sent = Sent(method, path, put(WRITES[method, path], pointer, value))
                return Row(kind, sent, 422, code, pointer, f"{pointer} {what}".strip())

            yield row(11, 123, "wrong_type", what="123")
            yield row(11, {"a": MARK}, "wrong_type", what="object")
            yield row(14, MARK + "x" * longest, "too_long", what=f"{longest}+")
            yield row(17, "e" + "\u0301" * 200, "too_many_marks" if longest > 200 else "too_long", what="marks")
            if no_blank:
                yield row(12, "\u200b\u2060\ufeff", "blank", what="zero width")
                yield row(13, " \u00a0\u3000", "blank", what="spaces")
                yield row(13, "", "blank", what="empty")
            if line:
                yield row(44, f"{MARK}\nb", "control_character", what="line break")
    for (method, path), pointers in CHOICES.items():
        for pointer in pointers:
            body = WRITES[method, path]
            made = Sent(method, path, put(body, pointer, MARK))
            yield Row(44, made, 422, "unknown_choice", pointer, pointer)
            made = Sent(method, path, put(body, pointer, ["user"]))
            yield Row(11, made, 422, "wrong_type", pointer, f"{pointer} list")
    for (method, path), pointers in NUMBERS.items():
        for pointer in pointers:
            for kind, value, code in (
                (8, "nan", "wrong_type"),
                (8, "inf", "wrong_type"),
                (9, True, "wrong_type"),
                (10, 1.5, "out_of_range"),
                (10, -0.1, "out_of_range"),
                (10, 10**30, "out_of_range"),
            ):
                made = Sent(method, path, put(WRITES[method, path], pointer, value))
                yield Row(kind, made, 422, code, pointer, f"{pointer} {value}")
    for (method, path), pointers in INTEGERS.items():
        for pointer in pointers:
            for kind, value, code in (
                (9, True, "wrong_type"),
                (11, "7", "wrong_type"),
                (11, 7.0, "wrong_type"),
                (10, 0, "out_of_range"),
                (10, 2**63, "out_of_range"),
            ):
                made = Sent(method, path, put(WRITES[method, path], pointer, value))
                yield Row(kind, made, 422, code, pointer, f"{pointer} {value}")
    for (method, path), pointers in BOOLEANS.items():
        for pointer in pointers:
            for value in ("true", 1, 0):
                made = Sent(method, path, put(WRITES[method, path], pointer, value))
                yield Row(9, made, 422, "wrong_type", pointer, f"{pointer} {value!r}")
    for (method, path), moments in MOMENTS.items():
        for pointer, (no_future, year) in moments.items():
            cases = [
                (29, "2026-05-28T14:03:00", "timezone_required"),
                (29, "2026-05-28", "invalid_timestamp"),
                (29, 1_779_976_980, "wrong_type"),
                (30, "0001-01-01T00:00:00+14:00", "out_of_range"),
                (30, "9999-12-31T23:59:59-14:00", "out_of_range"),
                (30, "2026-02-30T00:00:00Z", "invalid_timestamp"),
                (31, f"{year - 1}-12-31T23:59:59Z", "out_of_range"),
                (31, "1900-01-01T00:00:00Z", "out_of_range"),
            ]
            if no_future:
                cases.append((31, "2099-01-01T00:00:00Z", "out_of_range"))
            for kind, value, code in cases:
                made = Sent(method, path, put(WRITES[method, path], pointer, value))
                yield Row(kind, made, 422, code, pointer, f"{pointer} {value}")


def get(path: str, key: str = "direct", *headers: tuple[str, str], method: str = "GET", **params: str) -> Sent:
    return Sent(method, path, params=tuple(params.items()), headers=headers, key=key)


def of_queries() -> Iterator[Row]:
    """Subjects, limits, cursors, names of parameters, ids."""
    body = WRITES["POST", "facts"]
    for value in ("", " ", "\u200b", "*"):
        for scope in ("user", "session", "agent", "other"):
            made = Sent("POST", "facts", json.dumps(body | {"scope": scope, "scope_id": value}).encode())
            yield Row(33 if value == "*" else 32, made, 422, "subject_required", "/scope_id", f"{scope} {value!r}")
        made = Sent("POST", "dreams", json.dumps({"scope": "user", "scope_id": value}).encode())
        yield Row(33 if value == "*" else 32, made, 422, "subject_required", "/scope_id", f"dream {value!r}")
        made = Sent("POST", "privacy/requests", json.dumps({"kind": "access", "user_id": value}).encode())
        yield Row(33 if value == "*" else 32, made, 400, "subject_required", "/user_id", f"request {value!r}")
        made = Sent("PUT", "memories", json.dumps(WRITES["PUT", "memories"] | {"scope": f"user:{value}"}).encode())
        yield Row(33 if value == "*" else 32, made, 422, "subject_required", "/scope", f"memory {value!r}")
        made = get("memory/facts", agent_id="support", user_id=value)
        yield Row(33 if value == "*" else 32, made, 422, "subject_required", "?user_id", f"read {value!r}")
        made = get("facts", scope="user", user_id=value)
        yield Row(33 if value == "*" else 32, made, 422, "subject_required", "?user_id", f"list {value!r}")
    missing = {name: value for name, value in body.items() if name != "scope_id"}
    yield Row(32, Sent("POST", "facts", json.dumps(missing).encode()), 422, "subject_required", "/scope_id", "missing")
    for scope in ("user", "session", "other"):
        place = "?user_id" if scope == "user" else "?scope_id"
        yield Row(32, get("facts", scope=scope), 422, "subject_required", place, f"list {scope}")
    yield Row(33, get("facts", "narrow", scope="user", scope_id="*"), 403, "not_allowed", None, "everybody")
    yield Row(33, get("facts", scope_id="*"), 422, "required", "?scope", "of no scope")
    yield Row(33, get("memory/facts", agent_id="support", user_id=MARK * 50), 422, "too_long", "?user_id", "300")
    for path, (most, rest) in LIMITS.items():
        for value, code in (
            ("0", "out_of_range"), ("-1", "out_of_range"), (str(most + 1), "out_of_range"), ("1000000000", "out_of_range"),
            (MARK, "wrong_type"), ("1.0", "wrong_type"), ("١٢", "wrong_type"), ("", "wrong_type"), ("+5", "wrong_type"),
            ("1e2", "wrong_type"), (" 5", "wrong_type"), ("9" * 400, "wrong_type"),
        ):  # fmt: skip
            yield Row(34, get(path, limit=value, **rest), 422, code, "?limit", value[:12])
        made = Sent("GET", path, params=(*rest.items(), ("limit", "5"), ("limit", "6")))
        yield Row(34, made, 422, "repeated_parameter", "?limit", "twice")
    for path, (_, rest) in LIMITS.items():
        if path != "memory/facts":
            for value in (MARK, "x" * 1_900, "ImEi:1vabc:AAAA", "\u0661", "a:b", ":::"):
                yield Row(35, get(path, cursor=value, **rest), 400, "invalid_cursor", "?cursor", value[:12])
            for name in ("'; drop table facts_fact; --", "a->>'b'", f"{MARK}[0]"):
                yield Row(36, get(path, **rest, **{name: "1"}), 422, "unknown_parameter", f"?{name}", "of SQL")
    yield Row(35, get("dreams/{run}", cursor=MARK), 400, "invalid_cursor", "?cursor", "of a run")
    for value in ("id; drop table facts_fact", "content->>'a'", "-added", MARK):
        yield Row(36, get("facts", order=value), 422, "unknown_choice", "?order", value)
    for method, path, sent in (
        ("GET", "facts/{}", b""), ("DELETE", "facts/{}", b""), ("POST", "facts/{}/supersede", b'{"by":{own}}'),
        ("GET", "dreams/{}", b""), ("PATCH", "facts/{}", b'{"content":"Refunds take six days."}'),
    ):  # fmt: skip
        for name in ("no-number", "{foreign}", "{erased}", "999999999", "9" * 30, "-1", "1.0"):
            what = "{foreign_run}" if path.startswith("dreams") and name == "{foreign}" else name
            what = "999999998" if path.startswith("dreams") and name == "{erased}" else what
            any_version = (("Content-Type", JSON), ("If-Match", "*"))
            yield Row(38, Sent(method, path.format(what), sent, headers=any_version), 404, "not_found", None, name)
    made = Sent("POST", "facts/{own}/supersede", b'{"by":{foreign}}')
    yield Row(45, made, 404, "not_found", None, "of another project")


def of_headers() -> Iterator[Row]:
    """Keys, and what stands beside them, on a read and on a write."""
    for method, path, params, raw in (
        ("GET", "memory/facts", (("agent_id", "support"),), b""),
        ("GET", "facts", (), b""),
        ("GET", "dreams", (), b""),
        *((method, path, (), json.dumps(body).encode()) for (method, path), body in (WRITES | TOLERANT).items()),
    ):
        for who in ("nobody", "malformed", "unknown", "revoked", "expired"):
            yield Row(40, Sent(method, path, raw, params, key=who), 401, "invalid_key", None, who)
        if path != "keys/revoke":
            yield Row(40, Sent(method, path, raw, params, key="scopeless"), 403, "not_allowed", None, "scope")
        two = (("Content-Type", JSON), ("Authorization", "Bearer {narrow}"))
        yield Row(40, Sent(method, path, raw, params, two), 400, "two_keys", None, "two")
        twice = (("Content-Type", JSON), ("Authorization", "Bearer {direct}"), ("Authorization", "Bearer {narrow}"))
        yield Row(40, Sent(method, path, raw, params, twice, "nobody"), 400, "two_keys", None, "two Authorization")
        url = (*params, ("api_key", "{direct}"), ("X-API-Key", "{direct}"), ("key", "{direct}"))
        yield Row(40, Sent(method, path, raw, url, key="nobody"), 401, "invalid_key", None, "in the address")
        spoofed = (("Content-Type", JSON), ("Host", f"{MARK}.example"))
        yield Row(40, Sent(method, path, raw, params, spoofed), 400, "bad_request", None, "host")
        long = (("Content-Type", JSON), ("X-Long", MARK * 30_000))
        yield Row(40, Sent(method, path, raw, params, long), 431, "head_too_large", None, "180 kB")


def of_writes() -> Iterator[Row]:
    """Batches, repeats, tags and texts, and what a fact may be replaced by."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Message {n}."} for n in range(100)]
    for place, change, code in (
        ("/messages/57/role", {"role": MARK}, "unknown_choice"),
        ("/messages/57/content", {"content": 7}, "wrong_type"),
        ("/messages/57/at", {"at": "2026-05-28T14:03:00"}, "timezone_required"),
        ("/messages/57/extra", {"extra": MARK}, "unknown_field"),
    ):
        body = {"messages": [*messages[:57], messages[57] | change, *messages[58:]]}
        for path, more in (("sessions/chat/7/messages", {}), ("dreams", {"scope": "project", "session": "chat 7"})):
            made = Sent("POST", path, json.dumps(body | more).encode())
            yield Row(41, made, 422, code, place, f"{path} {code}")
    one = json.dumps({"messages": messages[:1]}).encode()
    for name, code in (("x" * 256, "too_long"), ("a%09b", "control_character"), ("%20%E2%80%8B", "blank")):
        yield Row(41, Sent("POST", f"sessions/{name}/messages", one), 422, code, "?session_id", f"session {code}")
    many = {"messages": [{"role": "user", "content": "x"}] * 1_001}
    yield Row(41, Sent("POST", "sessions/chat/7/messages", json.dumps(many).encode()), 422, "too_many", "/messages")
    no = {"messages": []}
    yield Row(41, Sent("POST", "sessions/chat/7/messages", json.dumps(no).encode()), 422, "too_few", "/messages")
    for method, path in (("PUT", "memories"), ("POST", "dreams")):
        raw = json.dumps(WRITES[method, path]).encode()
        for value, code in (("x" * 256, "too_long"), ("", "blank")):
            named = (("Content-Type", JSON), ("Idempotency-Key", value))
            made = Sent(method, path, raw, headers=named)
            yield Row(42, made, 422, code, "?Idempotency-Key", f"{value[:4]!r} {len(value)}")
    change = json.dumps(WRITES["PATCH", "facts/{own}"]).encode()
    yield Row(43, Sent("PATCH", "facts/{own}", change), 428, "precondition_required", None, "missing")
    for value in (
        '"{own}-2026-01-01T00:00:00.000000Z"',
        '"{other}-2026-01-01T00:00:00.000000Z"',
        '"{own}-9999-99-99T99:99:99.999999Z"',
        f'"{MARK}"',
        'W/"1"',
    ):
        stale = (("Content-Type", JSON), ("If-Match", value))
        yield Row(43, Sent("PATCH", "facts/{own}", change, headers=stale), 412, "precondition_failed", None, value)
    yield Row(44, Sent("PATCH", "facts/{own}", b"{}"), 422, "required", "", "nothing named")
    body = WRITES["POST", "facts"]
    yield Row(
        44, Sent("POST", "facts", json.dumps(body | {"tags": ["x"] * 1_000}).encode()), 422, "unknown_field", "/tags"
    )
    yield Row(45, Sent("POST", "facts/{own}/supersede", b'{"by":{own}}'), 422, "same_fact", "/by")
    yield Row(45, Sent("POST", "facts/{other}/supersede", b'{"by":{old}}'), 409, "fact_moved", None, "by a closed one")
    yield Row(45, Sent("POST", "facts/{old}/supersede", b'{"by":{other}}'), 409, "fact_moved", None, "superseded")
    yield Row(45, Sent("POST", "facts/{own}/supersede", b'{"by":{old}}'), 409, "fact_moved", None, "a circle")
    yield Row(46, get("facts", q="x" * 501), 422, "too_long", "?q")
    for value in ("NaN", "inf", "-0.1", "1.5", MARK, "١"):
        made = get("memory/facts", agent_id="support", score_threshold=value)
        yield Row(46, made, 422, "out_of_range", "?score_threshold", value)
    for name in ("vector", "embedding"):
        made = Sent("POST", "facts", json.dumps(body | {name: [0.0] * 384}).encode())
        yield Row(46, made, 422, "unknown_field", f"/{name}")


def taken() -> list[tuple[int, Sent]]:
    """The kinds that are no fault: text of any script and markup, spans that an SDK sends however they are."""
    texts = [
        (15, "Prefers \u202egnihton"),
        (16, "Pays with p\u0430yp\u0430l"),
        (17, "Has a family 👩‍👩‍👧‍👦 and a flag 🇵🇹"),
        (18, "Trinkt Cafe\u0301 au lait."),
        (36, "'; DROP TABLE facts_fact; -- %_\\"),
        (37, "<img src=x onerror=alert(1)> {{7*7}} {% load x %}"),
        (37, "=cmd|' /C calc'!A0"),
    ]
    body = {"scope": "agent", "scope_id": "support"}
    made = [(kind, Sent("POST", "facts", json.dumps(body | {"content": text}).encode())) for kind, text in texts]
    spans = [
        make_span(1, 2, end_time="2026-05-28T14:02:00+00:00", start_time="2026-05-28T14:03:00+00:00"),
        make_span(1, 3, parent_span_id=f"{3:016x}"),
        make_span(1, 4, trace_id=None),
        make_span(1, 5, span_id=""),
        MARK,
        None,
        make_span(1, 6, attributes={"agent.input": "a\x00b\ud800"}),
        make_span(1, 7, schema_version="1.99"),
        make_span(1, 8, attributes={"agent.cost": 1e300}),
    ]
    made += [(39, Sent("POST", "traces/ingest", json.dumps({"spans": [span]}).encode())) for span in spans]
    return made


def rows() -> list[Row]:
    return [row for made in (of_bodies, of_fields, of_queries, of_headers, of_writes) for row in made()]
