"""Each shape is known by what is in the file, read to the last record, and refused where it is none."""

import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from apps.core.errors import Invalid
from apps.exchange.incoming import Incoming, Unfit
from apps.exchange.readers import lines
from apps.exchange.readers.shapes import READERS, shape_of
from apps.exchange.readers.table import guessed, header_of
from tests.exchange.stage import SAMPLES, as_file, line

EDGE = {
    "uuid": "1", "group_id": "zoe", "source_node_uuid": "a", "target_node_uuid": "b", "created_at": "2026-01-02T03:04:05Z",
    "name": "LIVES_IN", "fact": "Zoe lives in Lisbon", "episodes": [], "expired_at": None, "valid_at": "2025-05-01T00:00:00Z",
    "invalid_at": None, "attributes": {},
}  # fmt: skip
AGENT_FILE = {
    "agents": [{"id": "agent-0", "name": "support", "block_ids": ["block-0", "block-1"]}],
    "groups": [], "files": [], "sources": [], "tools": [], "mcp_servers": [],
    "blocks": [
        {"id": "block-0", "label": "human", "value": "Prefers email.\n\n- Lives in Lisbon.\n"},
        {"id": "block-1", "label": "persona", "value": "I am Sam."},
    ],
    "metadata": {}, "created_at": "2026-01-02T03:04:05Z",
}  # fmt: skip


def known(data: bytes, name: str = "file") -> str:
    return shape_of(io.BytesIO(data), name)


def read(data: bytes, name: str = "file") -> list[lines.Line]:
    file = io.BytesIO(data)
    shape = shape_of(file, name)
    file.seek(0)
    return list(READERS[shape].read(file))


def said(data: bytes, name: str = "file", **columns: Any) -> list[Incoming | str]:
    reader, found = READERS[known(data, name)], []
    for one in read(data, name):
        assert one.record is not None
        try:
            found.append(reader.said(one.record, columns))
        except Unfit as fault:
            found.append(fault.code)
    return found


def database(tmp_path: Path, sql: str) -> bytes:
    path = tmp_path / "made.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(sql)
    connection.close()
    return path.read_bytes()


LEARNED = """
CREATE TABLE learned_memory (id INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, scope_id TEXT NOT NULL DEFAULT '',
  fact TEXT NOT NULL, source_trace_id TEXT, confidence REAL DEFAULT 1.0, created_at REAL NOT NULL, superseded_by INTEGER,
  project_id TEXT NOT NULL DEFAULT '', source TEXT NOT NULL DEFAULT '');
INSERT INTO learned_memory (scope, scope_id, fact, confidence, created_at, superseded_by, project_id, source) VALUES
  ('user', 'zoe', 'Prefers email.', 0.6, 1767225600.5, NULL, '', 'learned'),
  ('agent', 'support', 'Refunds take five days.', 1.0, 0, NULL, '', ''),
  ('project', 'north', 'Ships on Tuesdays.', 1.0, 1767225600, NULL, 'team', ''),
  ('user', 'zoe', 'Prefers post.', 1.0, 1767225600, 1, '', ''),
  ('user', '', 'Nobody''s.', 1.0, 1767225600, NULL, '', '');
"""
FLUX = """
CREATE TABLE memory (agent TEXT, scope TEXT, key TEXT, value TEXT NOT NULL, PRIMARY KEY (agent, scope, key));
INSERT INTO memory VALUES ('support', 'user:zoe', 'city', '"Lisbon"'), ('support', 'user:zoe', 'nothing', 'null'),
  ('support', 'user:zoe', '_dream:failures', '2'), ('support', 'user:zoe', 'odd', '{not json'), ('support', 'user:zoe', 'x', 'NaN');
"""


def test_shapes_are_known_by_what_is_in_the_file(tmp_path: Path) -> None:
    memory = {"id": "1", "memory": "Likes tea.", "user_id": "zoe"}
    assert known(as_file(line("One."), line("Two."))) == "export"
    assert known(b"\xef\xbb\xbf" + as_file(line("One."))) == "export"
    assert known(b"{broken\n" + as_file(line("One."))) == "export"
    for wrapped in (
        {"results": [memory]},
        {"memories": [memory]},
        [memory],
        {"count": 1, "results": [memory], "relations": []},
    ):
        assert known(json.dumps(wrapped).encode()) == "mem0"
        assert known(json.dumps(wrapped, indent=2).encode()) == "mem0"
    assert known(as_file(memory, memory)) == "mem0-lines"
    assert known(as_file(EDGE)) == "graphiti-lines"
    assert known(json.dumps([EDGE], indent=1).encode()) == known(json.dumps({"edges": [EDGE]}).encode()) == "graphiti"
    assert known(json.dumps(AGENT_FILE).encode()) == known(json.dumps(AGENT_FILE, indent=2).encode()) == "letta"
    assert known(b"text;who\nLikes tea.;zoe\n") == known(b"memory\nLikes tea.\n", "one.csv") == "csv"
    assert known(database(tmp_path, LEARNED)) == "fastaiagent"
    (tmp_path / "made.db").unlink()
    assert known(database(tmp_path, FLUX)) == "flux"


@pytest.mark.parametrize(
    "data",
    [
        b"", b" \n ", b"\x89PNG\x00\x00", b"Dear Zoe\nI write to you", b"{}", b"[]", b'{"results": []}', b'{"results": {}}',
        b'{"things": [{"memory": "x", "user_id": "y"}]}', b'[{"a": 1}]', b'{"results": [{"memory": "x", "user_id": "y"}',
        b'{"results": null}', b'"text"', b"[1, 2]", b"PK\x03\x04\x00zip", b"SQLite format 3\x00broken", b'{"a": "\xff"}',
    ],
)  # fmt: skip
def test_what_nobody_knows_is_refused(data: bytes) -> None:
    with pytest.raises(Invalid) as refused:
        found = io.BytesIO(data)
        list(READERS[shape_of(found, "file")].read(found))
    assert refused.value.code == "unknown_shape"


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    for sql in (
        "CREATE TABLE other (x)",
        "CREATE TABLE t (x); CREATE VIEW memory AS SELECT x agent, x scope, x key, x value FROM t",
    ):
        with pytest.raises(Invalid) as refused:
            known(database(tmp_path, sql))
        assert refused.value.code == "unknown_shape"
        (tmp_path / "made.db").unlink()


def test_the_samples_of_mem0_are_read_whole() -> None:
    small = [one for one in said((SAMPLES / "mem0_export.json").read_bytes()) if isinstance(one, Incoming)]
    assert [(one.statement.scope, one.statement.scope_id, one.statement.category) for one in small] == [
        ("user", "alice", "preferences"), ("user", "alice", "infrastructure"), ("user", "alice", "people"), ("user", "alice", "goals"),
    ]  # fmt: skip
    large = [one for one in said((SAMPLES / "mem0_sample_export.json").read_bytes()) if isinstance(one, Incoming)]
    assert [(one.statement.confidence, one.statement.agent_name) for one in large] == [
        (0.95, ""), (0.98, ""), (0.92, ""), (0.88, ""), (0.97, "")
    ]  # fmt: skip
    assert large[0].observed_at is not None and large[0].observed_at.isoformat() == "2024-03-15T10:30:00+00:00"


def test_a_memory_is_filed_under_whom_it_names() -> None:
    memories = [
        {"memory": "A.", "user_id": "zoe", "agent_id": "support"}, {"memory": "B.", "agent_id": "support", "run_id": "r1"},
        {"memory": "C.", "run_id": "r1"}, {"memory": "D.", "user_id": "  "},
    ]  # fmt: skip
    found = said(json.dumps({"results": memories}).encode())
    assert [one if isinstance(one, str) else (one.statement.scope, one.statement.scope_id) for one in found] == [
        ("user", "zoe"), ("agent", "support"), ("session", "r1"), "subject_required",
    ]  # fmt: skip


def test_learned_memory_keeps_what_it_says(tmp_path: Path) -> None:
    data = database(tmp_path, LEARNED)
    found = said(data)
    rows = [
        one if isinstance(one, str) else (one.statement.scope, one.statement.scope_id, one.label, one.trust)
        for one in found
    ]
    assert rows == [
        ("user", "zoe", "", 2), ("agent", "support", "", 3), ("other", "project:north", "team", 3), "closed", "subject_required",
    ]  # fmt: skip
    first, second = found[:2]
    assert isinstance(first, Incoming) and isinstance(second, Incoming)
    assert (first.statement.confidence, first.observed_at and first.observed_at.isoformat()) == (
        0.6, "2026-01-01T00:00:00.500000+00:00",
    )  # fmt: skip
    assert second.observed_at is not None and second.observed_at.year == 1970


def test_values_of_flux_are_any_json(tmp_path: Path) -> None:
    found = said(database(tmp_path, FLUX))
    rows = [
        one if isinstance(one, str) else (one.key, one.value, one.statement.content, one.statement.scope_id)
        for one in found
    ]
    assert rows == [
        "operational", ("city", "Lisbon", "city: Lisbon", "user:zoe"), ("nothing", None, "nothing: null", "user:zoe"), "not_json",
        "not_json",
    ]  # fmt: skip


def test_edges_and_agent_files() -> None:
    closed = EDGE | {"expired_at": "2026-02-01T00:00:00Z"}
    found = said(as_file(EDGE, closed))
    assert isinstance(found[0], Incoming) and found[1] == "closed"
    assert (found[0].statement.content, found[0].statement.scope_id, str(found[0].statement.valid_from)) == (
        "Zoe lives in Lisbon", "zoe", "2025-05-01 00:00:00+00:00",
    )  # fmt: skip
    blocks = said(json.dumps(AGENT_FILE).encode())
    assert [one if isinstance(one, str) else (one.statement.content, one.statement.category) for one in blocks] == [
        ("Prefers email.", "human"), ("Lives in Lisbon.", "human"), "instructions",
    ]  # fmt: skip


def test_a_table_is_read_as_a_person_says() -> None:
    data = b'text;who;sure\n\'=1+1 is two;zoe;0.5\n\n"two\nlines";;\n;ana;\na;b;c;d\n'
    assert header_of(io.BytesIO(data)) == ["text", "who", "sure"]
    found = read(data)
    assert [(one.number, one.fault) for one in found] == [(2, ""), (4, ""), (5, ""), (6, "uneven")]
    chosen = {
        "columns": {"content": "text", "scope_id": "who", "confidence": "sure"},
        "scope": "user",
        "scope_id": "all",
    }
    reader = READERS["csv"]
    first, second = (reader.said(one.record or {}, chosen) for one in found[:2])
    assert (first.statement.content, first.statement.scope_id, first.statement.confidence) == (
        "=1+1 is two",
        "zoe",
        0.5,
    )
    assert (second.statement.content, second.statement.scope_id, second.statement.confidence) == (
        "two\nlines",
        "all",
        1.0,
    )
    with pytest.raises(Unfit, match="blank"):
        reader.said(found[2].record or {}, chosen)
    assert guessed(["Memory", "user_id", "Other"]) == {"content": "Memory", "scope_id": "user_id"}
    with pytest.raises(Invalid, match="header"):
        header_of(io.BytesIO(b"a,a\n1,2\n"))


def test_broken_lines_are_told_apart() -> None:
    pieces = [
        as_file(line("Good.")), b"{half\n", b"[1]\n", b"\n", b'{"content": "\xff"}\n', b'{"a": ' + b"[" * 30 + b"]" * 30 + b"}\n",
        b'{"content": "' + b"x" * 70_000 + b'"}\n', b'{"content": "\\u0000"}\n', as_file(line("Last.")).rstrip(),
    ]  # fmt: skip
    found = read(b"".join(pieces))
    assert [(one.number, one.fault) for one in found] == [
        (1, ""), (2, "not_json"), (3, "not_an_object"), (5, "not_utf8"), (6, "too_deep"), (7, "too_long_line"), (8, "unstorable"),
        (9, ""),
    ]  # fmt: skip


def test_a_document_is_read_in_pieces_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    memories = [{"memory": f'Fact {n} 日本語 🙂 \\ " [}}', "user_id": "zoe", "n": -1.5e3} for n in range(40)]
    data = json.dumps({"n": 12345, "s": "[{", "results": memories, "after": {"x": [1]}}, ensure_ascii=False).encode()
    for size in (1, 2, 3, 7, 64, 1000):
        monkeypatch.setattr(lines, "PIECE", size)
        found = list(lines.items(io.BytesIO(data), ("results",)))
        assert [one.record for one in found] == memories, size


def test_text_in_another_encoding_is_told_apart() -> None:
    table_ = "text,who\nTee für Zoë.,zoe\n"
    with pytest.raises(Invalid, match="not_utf8"):
        known(table_.encode("utf-16"), "people.csv")
    with pytest.raises(Invalid, match="not_utf8"):
        known("Größe,who\nL.,zoe\n".encode("latin-1"), "people.csv")
    assert [(one.number, one.fault) for one in read(table_.encode("latin-1"), "people.csv")] == [(2, "not_utf8")]
    assert [(one.number, one.fault) for one in read(b"\xef\xbb\xbf" + table_.encode(), "people.csv")] == [(2, "")]


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (b"\x00\xff", "wrong_type"), ("[" * 17 + "]" * 17, "too_deep"), ("[" * 5_000 + "]" * 5_000, "too_deep"),
        ("1e999", "unstorable"), ('"\\u0000"', "unstorable"), ('"\\ud800"', "unstorable"), ("9" * 400, "unstorable"),
        ("9" * 5_000, "not_json"), ('"' + "x" * 70_000 + '"', "too_long_line"), ("[" * 16 + "]" * 16, ""),
    ],
)  # fmt: skip
def test_what_a_cell_of_a_database_may_hold(tmp_path: Path, value: str | bytes, fault: str) -> None:
    path = tmp_path / "made.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE memory (agent TEXT, scope TEXT, key TEXT, value TEXT)")
        connection.execute("INSERT INTO memory VALUES ('support', 'user:zoe', 'k', ?)", [value])
    connection.close()
    data = path.read_bytes()
    (one,) = read(data)
    found: Any = one.fault or said(data)[0]
    assert (found if isinstance(found, str) else "") == fault


def test_a_record_of_a_document_may_be_nested_no_deeper_than_a_line() -> None:
    memory = '{"memory": "Likes tea.", "user_id": "zoe", "metadata": %s}'
    for depth, fault in ((15, ""), (16, "too_deep"), (900, "too_deep")):
        deep = memory % ("[" * depth + "]" * depth)
        found = list(lines.items(io.BytesIO(f"[{deep}]".encode()), ()))
        assert [one.fault for one in found] == [fault], depth
        assert [one.fault for one in lines.objects(io.BytesIO(deep.encode()))] == [fault], depth
