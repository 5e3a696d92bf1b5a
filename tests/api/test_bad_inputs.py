"""46 kinds of bad input over real HTTP: status, code and place exact, what was sent nowhere in the answer, nothing written."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import psycopg
import pytest
from django.core import signing
from django.db import connections
from pytest_django import DjangoDbBlocker

from tests.api.bad import MARK, TOLERANT, WRITES, Sent, rows, taken
from tests.api.helpers import make_span
from tests.api.world import Stage, staged
from tests.conftest import own_database
from tests.live import run_server
from tests.routes import api_rows
from tests.servers import database_urls

ROWS = rows()
ACCEPTED = {15, 16, 18, 37, 39}
"""Kinds that have tests of their own below: they are taken, or their answer depends on what is there."""


@pytest.fixture(scope="module")
def stage(django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with pytest.MonkeyPatch.context() as patch, own_database(django_db_blocker, patch) as name:
        server = run_server(name, tmp_path_factory.mktemp("bad"))
        try:
            with httpx.Client(base_url=f"{server.url}/v1/", timeout=60) as client:
                yield staged(client, server)
        finally:
            server.stop()


LATE = "uses of a key after its end"


def counts() -> dict[str, int]:
    """Rows of every table, by the owner; and of the audit trail those of uses of a key that is over."""
    with psycopg.connect(database_urls(str(connections["default"].settings_dict["NAME"]))["DATABASE_URL"]) as owner:
        tables = owner.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1"
        ).fetchall()
        union = " UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for (table,) in tables)
        union += f" UNION ALL SELECT '{LATE}', count(*) FROM audit_auditevent WHERE verb = 'keys.use'"
        return dict(owner.execute(union).fetchall())


def test_every_kind_is_here_and_every_path_that_reads_a_body() -> None:
    assert {row.kind for row in ROWS} | ACCEPTED == set(range(1, 47))
    reading = {(row.method, path) for path, row in api_rows() if row.method in {"POST", "PUT", "PATCH"}}
    assert reading == {(method, path.replace("{own}", "7")) for method, path in WRITES | TOLERANT}


@pytest.mark.parametrize("kind", sorted({row.kind for row in ROWS}))
def test_it_is_refused(stage: Stage, kind: int) -> None:
    before, mine = counts(), [row for row in ROWS if row.kind == kind]
    wrong = [f"{row}: {fault}" for row in mine if (fault := stage.fault_of(row))]
    assert wrong == [], "\n".join(wrong)
    after = counts()
    # A denial is recorded, and nothing else; of a key that is over, each once a minute.
    late = after.pop(LATE) - before.pop(LATE)
    assert late >= 2 if kind == 40 else late == 0
    denied = sum(row.status == 403 for row in mine) + late
    moved = {table: after[table] - before[table] for table in after if after[table] != before[table]}
    assert moved == ({"audit_auditevent": denied} if denied else {})
    print(f"\nkind {kind}: {len(mine)} requests refused, {sum(moved.values())} rows written")


def test_401_says_the_same_whatever_is_wrong_with_a_key(stage: Stage) -> None:
    told = set()
    for who in ("nobody", "malformed", "unknown", "revoked", "expired"):
        answer = stage.send(Sent("GET", "facts", key=who))
        told.add((answer.status_code, stage.body_of(answer), answer.headers["WWW-Authenticate"]))
    assert len(told) == 1


def test_404_says_the_same_of_what_is_not_there_not_ours_and_erased(stage: Stage) -> None:
    for method, path in (("GET", "facts/{}"), ("DELETE", "facts/{}"), ("GET", "dreams/{}")):
        names = ["{foreign}", "{erased}", "999999999"] if "facts" in path else ["{foreign_run}", "999999999"]
        assert len({stage.body_of(stage.send(Sent(method, path.format(name)))) for name in names}) == 1
    assert len({stage.body_of(stage.send(Sent("POST", f"facts/{{{name}}}/supersede", b'{"by":{own}}'))) for name in ("foreign", "erased")}) == 1  # fmt: skip


def test_a_method_in_a_header_changes_nothing(stage: Stage) -> None:
    for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
        answer = stage.send(Sent("GET", "facts/{own}", headers=((name, "DELETE"),)))
        assert answer.status_code == 200
        answer = stage.send(Sent("POST", "facts/{own}", b"{}", params=(("_method", "DELETE"),)))
        assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, PATCH, DELETE")


# 15–18, 37: text is taken as text.
@pytest.mark.parametrize(
    ("content", "kept"),
    [
        ("Prefers \u202egnihton", "Prefers gnihton"),
        ("Pays with p\u0430yp\u0430l", "Pays with p\u0430yp\u0430l"),
        ("Has a family 👩‍👩‍👧‍👦 and a flag 🇵🇹", "Has a family 👩‍👩‍👧‍👦 and a flag 🇵🇹"),
        ("<img src=x onerror=alert(1)> {{7*7}} {% load x %}", "<img src=x onerror=alert(1)> {{7*7}} {% load x %}"),
        ("=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0"),
        ("'; DROP TABLE facts_fact; -- %_\\", "'; DROP TABLE facts_fact; -- %_\\"),
    ],
)
def test_text_is_taken_as_text(stage: Stage, content: str, kept: str) -> None:
    made = stage.send(stage.fact(content, scope="agent", scope_id="support"))
    assert made.status_code == 201, made.text
    assert stage.send(Sent("GET", f"facts/{made.json()['id']}")).json()["content"] == kept


def test_one_fact_however_its_accents_are_composed(stage: Stage) -> None:
    first = stage.send(stage.fact("Trinkt Café au lait.", scope="agent", scope_id="support"))
    again = stage.send(stage.fact("Trinkt Cafe\u0301 au lait.", scope="agent", scope_id="support"))
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["id"] == first.json()["id"]


@pytest.mark.parametrize("name", ["%", "user_1", "User_1", "user:1:2", "../", "user_10", "lovelace%", "_ovelace"])
def test_a_name_is_taken_literally(stage: Stage, name: str) -> None:
    """Not a pattern, not a path: it finds its own rows or nothing."""
    told = stage.send(Sent("GET", "memory/facts", params=(("agent_id", "support"), ("user_id", name))))
    listed = stage.send(Sent("GET", "facts", params=(("scope", "user"), ("user_id", name))))
    assert [told.status_code, listed.status_code] == [200, 200]
    assert not [fact for fact in told.json()["facts"] + listed.json()["facts"] if fact["scope"] == "user"]


@pytest.mark.parametrize("words", ["", " ", "the of and", "'; DROP TABLE facts_fact; --", "%_\\", "\u0301" * 50, "😀"])
def test_a_question_of_any_words_is_answered(stage: Stage, words: str) -> None:
    answer = stage.send(Sent("GET", "memory/facts", params=(("agent_id", "support"), ("query", words))))
    assert answer.status_code == 200
    listed = stage.send(Sent("GET", "facts", params=(("q", words),)))
    assert listed.status_code == (422 if words.startswith("\u0301") else 200)


# 35: a cursor is of one list, one key, one set of filters, and one day.
LISTS: dict[str, dict[str, str]] = {
    "facts": {},
    "memory/revocations": {"since": "2026-01-01T00:00:00Z"},
    "memories": {"agent": "support", "scope": "user:lovelace"},
    "memories/keys": {"agent": "support", "scope": "user:lovelace"},
    "dreams": {},
}
OTHERWISE: dict[str, dict[str, str]] = {
    "facts": {"category": "general"},
    "memory/revocations": {"since": "2026-01-02T00:00:00Z"},
    "memories": {"scope": "user:hopper"},
    "memories/keys": {"scope": "user:hopper"},
    "dreams": {"scope": "agent"},
}


@pytest.mark.parametrize("path", LISTS)
def test_a_cursor_is_good_for_its_own_list_alone(stage: Stage, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {**LISTS[path], "limit": "1"}

    def ask(cursor: str, key: str = "direct", **changes: str) -> httpx.Response:
        return stage.send(Sent("GET", path, params=tuple({**asked, **changes, "cursor": cursor}.items()), key=key))

    cursor = stage.send(Sent("GET", path, params=tuple(asked.items()))).json()["next"]
    assert cursor and ask(cursor).status_code == 200
    middle = len(cursor) // 2
    edited = cursor[:middle] + ("A" if cursor[middle] != "A" else "B") + cursor[middle + 1 :]
    monkeypatch.setattr(signing.time, "time", lambda: (datetime.now(UTC) - timedelta(days=2)).timestamp())
    old = stage.inside(path, asked).json()["next"]
    monkeypatch.undo()
    answers = {
        "truncated": ask(cursor[:-3]),
        "edited": ask(edited),
        "of another filter": ask(cursor, **OTHERWISE[path]),
        "of another project": ask(cursor, key="stranger"),
        "of a key with other grants": ask(cursor, key="lower"),
        "expired": ask(old),
    }
    for what, answer in answers.items():
        assert stage.problem(answer) == (400, "invalid_cursor", ["?cursor"]), what


# 39: the SDK's batches are taken, whatever is wrong with a span of them.
GOOD = make_span(1, 1)
SPANS = [sent for kind, sent in taken() if kind == 39]


@pytest.mark.parametrize("number", range(len(SPANS)))
def test_a_batch_is_taken_with_a_bad_span_in_it(stage: Stage, number: int) -> None:
    spans = [make_span(7 + number, 1_000 + number), *json.loads(SPANS[number].body)["spans"]]
    answer = stage.send(Sent("POST", "traces/ingest", json.dumps({"spans": spans}).encode()))
    assert answer.status_code == 201, answer.text
    said = answer.json()
    assert said["ingested"] + sum(said["dropped"].values()) + said["differing"] == 2
    assert said["ingested"] >= 1 and MARK not in answer.text


def test_a_span_that_says_otherwise_is_counted_and_the_first_stays(stage: Stage) -> None:
    for sent, expected in ((GOOD, (201, 1, 0)), ({**GOOD, "name": "another"}, (200, 0, 1))):
        answer = stage.send(Sent("POST", "traces/ingest", json.dumps({"spans": [sent]}).encode()))
        assert (answer.status_code, answer.json()["ingested"], answer.json()["differing"]) == expected
    many = json.dumps({"spans": [{}] * 501}).encode()
    assert stage.problem(stage.send(Sent("POST", "traces/ingest", many))) == (413, "too_many_spans", ["/spans"])


@pytest.mark.parametrize(("method", "path"), TOLERANT)
def test_an_sdk_may_say_more_than_is_read(stage: Stage, method: str, path: str) -> None:
    body = json.dumps(TOLERANT[method, path] | {"brand_new": {"a": [1, None, "\x00"]}})
    raw = body[:-1].encode() + b',"brand_new":NaN,"huge":' + b"9" * 400 + b"}"
    answer = stage.send(Sent(method, path, raw))
    assert answer.status_code in {200, 201}, answer.text


# 43: a change says which version it began from.
def test_a_change_is_of_the_version_that_was_read(stage: Stage) -> None:
    def change(number: int, tag: str, content: str) -> httpx.Response:
        named = (("Content-Type", "application/json"), ("If-Match", tag))
        return stage.send(Sent("PATCH", f"facts/{number}", json.dumps({"content": content}).encode(), headers=named))

    first = stage.send(stage.fact("The desk opens at nine.", scope="agent", scope_id="support")).json()["id"]
    read = stage.send(Sent("GET", f"facts/{first}"))
    changed = change(first, read.headers["ETag"], "The desk opens at ten.")
    assert changed.status_code == 200, changed.text
    second = changed.json()["id"]
    assert stage.send(Sent("GET", f"facts/{second}")).headers["ETag"] == changed.headers["ETag"]
    guarded = stage.send(Sent("GET", "facts/{own}"))
    before = counts()
    for number, tag, expected in (
        (first, read.headers["ETag"], (412, "precondition_failed", [])),
        (second, read.headers["ETag"], (412, "precondition_failed", [])),
        (first, "*", (409, "fact_moved", [])),
    ):
        assert stage.problem(change(number, tag, "The desk opens at noon.")) == expected
    same = stage.problem(change(second, changed.headers["ETag"], "The desk opens at ten."))
    assert same == (422, "unchanged", [""])
    assert stage.problem(change(int(stage.ids["own"]), guarded.headers["ETag"], "Is else."))[:2] == (409, "protected")
    assert counts() == before
    old = stage.send(Sent("GET", f"facts/{first}")).json()
    assert (old["content"], old["superseded_by"]) == ("The desk opens at nine.", second)


def test_of_five_changes_from_one_version_one_is_made(stage: Stage) -> None:
    number = stage.send(stage.fact("The lift is slow.", scope="agent", scope_id="support")).json()["id"]
    tag = stage.send(Sent("GET", f"facts/{number}")).headers["ETag"]
    named = (("Content-Type", "application/json"), ("If-Match", tag))
    change = Sent("PATCH", f"facts/{number}", b'{"content":"The lift is quick."}', headers=named)
    assert Counter(answer.status_code for answer in stage.at_once(change, 5)) == {200: 1, 412: 4}


def test_a_key_that_proposes_has_a_person_asked(stage: Stage) -> None:
    number = stage.send(stage.fact("The gate is green.", scope="agent", scope_id="support")).json()["id"]
    named = (("Content-Type", "application/json"), ("If-Match", "*"))
    sent = Sent("PATCH", f"facts/{number}", b'{"content":"The gate is blue."}', headers=named, key="proposer")
    answer = stage.send(sent)
    assert (answer.status_code, answer.json()["id"]) == (202, number) and answer.json()["proposal_id"]
    assert stage.send(Sent("GET", f"facts/{number}")).json()["content"] == "The gate is green."


# 42: a name stands for one request.
def test_an_idempotency_key_stands_for_one_request(stage: Stage) -> None:
    once = (("Content-Type", "application/json"), ("Idempotency-Key", "run-1"))
    memory = {"agent": "support", "scope": "user:lovelace", "key": "once", "value": {"a": 1, "b": 2}}
    first = stage.send(Sent("PUT", "memories", json.dumps(memory).encode(), headers=once))
    respelled = json.dumps(memory | {"value": {"b": 2, "a": 1}}, indent=2).encode()
    again = stage.send(Sent("PUT", "memories", respelled, headers=once))
    assert (first.status_code, again.status_code, again.json()["id"]) == (201, 200, first.json()["id"])
    before = counts()
    other = stage.send(Sent("PUT", "memories", json.dumps(memory | {"value": MARK}).encode(), headers=once))
    assert stage.problem(other) == (422, "idempotency_key_reused", ["?Idempotency-Key"]) and MARK not in other.text
    dream = {"scope": "user", "scope_id": "lovelace"}
    answers = [
        stage.send(Sent("POST", "dreams", json.dumps(body).encode(), headers=once))
        for body in (dream, dream, dream | {"dry_run": True})
    ]
    assert [answer.status_code for answer in answers] == [202, 200, 422]
    assert stage.problem(answers[2]) == (422, "idempotency_key_reused", ["?Idempotency-Key"])
    moved = {table for table, count in counts().items() if count != before[table]}
    assert moved == {"dreaming_dreamrun", "dreaming_dreamphase", "audit_auditevent"} & moved | {"dreaming_dreamrun", "audit_auditevent"}  # fmt: skip


def test_one_name_sent_by_five_at_once_is_one_write(stage: Stage) -> None:
    named = (("Content-Type", "application/json"), ("Idempotency-Key", "at-once"))
    body = json.dumps({"agent": "support", "scope": "user:lovelace", "key": "race", "value": 1}).encode()
    answers = stage.at_once(Sent("PUT", "memories", body, headers=named), 5)
    assert Counter(answer.status_code for answer in answers) == {201: 1, 200: 4}
    assert len({answer.json()["id"] for answer in answers}) == 1


def test_nothing_is_said_of_a_value_in_the_log(stage: Stage) -> None:
    assert MARK not in stage.server.said() and "Traceback" not in stage.server.said()
