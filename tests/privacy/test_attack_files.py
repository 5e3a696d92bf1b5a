"""What somebody left by every public way is, after her erasure, in no file: none that the processes keep or wrote, no log, and
no dump that was taken since."""

import os
import subprocess
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.management import call_command

from apps.core.transactions import bind
from apps.privacy.mentions import Identifier
from apps.privacy.models import Backup, PrivacyRequest
from apps.tenancy.models import Project
from apps.traces.models import Trace
from memoryplane.dumps import program
from tests.browserless import Person
from tests.factories import PASSWORD, make_agent, make_key, make_project, make_user
from tests.live import Live, run_server, run_worker
from tests.privacy.stage import approved, fresh
from tests.privacy.test_attack import NAME, WHO, signs
from tests.spans import run_of, span

SECONDS = 60


def test_no_file_log_or_later_dump_holds_a_sign(
    fresh_db: str, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    var = tmp_path / "var"
    (var / "backups").mkdir(parents=True)
    # The pages' own files, which nobody else writes.
    (var / "static").symlink_to(settings.STATIC_ROOT)
    settings.PURGE_WAITS, settings.VAR_DIR, settings.ERASURE_LOG = False, var, var / "erasures.jsonl"
    given = {
        "MEMORYPLANE_VAR": str(var),
        "MEMORYPLANE_PURGE_WAITS": "0",
        "MEMORYPLANE_ERASURE_LOG": str(settings.ERASURE_LOG),
        "MEMORYPLANE_SETTLE_SECONDS": "1",
    }
    project = make_project()
    make_agent(project, "support")
    live: list[Live] = []
    try:
        live.append(run_server(fresh_db, tmp_path, **given))
        live.append(run_worker(fresh_db, tmp_path, **given))
        leave_by_http(project, live[0].url)
        until(lambda: learned(project))
        call_command("backup", stdout=StringIO())
        before = Path(Backup.objects.using("owner").get().place)
        assert signs(plain(before, tmp_path)), "what is looked for is found where it is"
        request = approved(project, WHO, identities=(Identifier("name", NAME),))
        until(lambda: fresh(request).state not in AT_WORK)
        assert fresh(request).state == "completed", fresh(request).verification
        leave_by_http_again(project, live[0].url)
    finally:
        for process in live:
            process.stop()
    call_command("backup", stdout=StringIO())
    after = Path(Backup.objects.using("owner").exclude(place=str(before)).get().place)
    assert not signs(plain(after, tmp_path))
    # The dump of before is named on the receipt, and goes when its time is over.
    assert len(fresh(request).preview["backups"]) == 1
    (tmp_path / "plain.sql").unlink()
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path != before]
    assert {"server.log", "worker.log", "erasures.jsonl", after.name} <= {path.name for path in files}
    assert [path.name for path in files if signs(path.read_bytes().decode(errors="ignore"))] == []
    database = list(Path(os.environ["MPTEST_SOCKETS"]).parent.rglob("postgres.log"))
    assert database and not any(signs(path.read_text(errors="ignore")) for path in database)
    with bind(project.id):
        assert not PrivacyRequest.objects.filter(state="needs_attention").exists()


AT_WORK = {"suppressing", "erasing", "purging", "verifying"}


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.2)


def learned(project: Project) -> bool:
    with bind(project.id):
        return Trace.objects.exists() and not Trace.objects.filter(extracted_at=None).exists()


def leave_by_http(project: Project, url: str) -> None:
    """Conversations, sessions, dreams, facts, reads and faults, each with her in its words, its path, its query or its
    headers; a member who looks for her."""
    scopes = ["traces:write", "facts:read", "facts:read:user", "facts:write", "dreams:write", "privacy:open"]
    _, key = make_key(project, scopes)
    headers = {"Authorization": f"Bearer {key}", "X-Request-ID": "quetzalkoerner-41"}
    http = httpx.Client(base_url=url, headers=headers, timeout=30)
    spans = [
        *run_of("hers", f"I live in Lisbon. Call me {NAME}.", user=WHO),
        span("other", "run", attributes={"agent.name": "support", "agent.input": f"Write to {WHO}."}),
    ]
    sent = http.post("/public/v1/traces/ingest", json={"project": None, "spans": spans})
    assert sent.status_code == 201, sent.text
    said = {"messages": [{"role": "user", "content": f"Call {NAME}."}], "user_id": WHO}
    assert http.post(f"/v1/sessions/chat with {WHO}/messages", json=said).status_code == 200
    # And what is refused, which may be worth a line in a log.
    for path, body in (
        (f"/v1/sessions/{WHO}/messages", {"messages": [{"role": WHO, "content": NAME}]}),
        (f"/v1/facts/{WHO}", {"content": NAME}),
        (f"/v1/nowhere/{WHO}", {}),
        ("/v1/dreams", {"scope": WHO, NAME: WHO}),
        ("/public/v1/traces/ingest", {"spans": [{"trace_id": WHO, "name": NAME}]}),
        ("/v1/privacy/requests", {"kind": WHO, "user_id": WHO}),
    ):
        assert http.post(path, json=body).status_code < 500
        http.post(path, content=f'{{"broken": "{WHO}"'.encode(), headers={"Content-Type": "application/json"})
    for path in ("/public/v1/memory/facts", "/v1/memory/facts", "/v1/facts", f"/v1/facts/{NAME}", f"/{WHO}"):
        for query in ({"agent_id": "support", "user_id": WHO, "q": NAME, "query": NAME}, {"agent_id": WHO, NAME: WHO}):
            assert http.get(path, params=query).status_code < 500
    member = make_user(project, "privacy_officer", "curator")
    person = Person(url, member.email, PASSWORD)
    for path in (f"facts?q={WHO}", f"traces?user={WHO}", f"subjects?q={NAME}", f"subjects/{WHO}", f"facts/{WHO}"):
        assert person.http.get(f"/p/{project.slug}/{path}").status_code < 500
    wrong = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {WHO}".encode()}, timeout=30)
    assert wrong.get("/v1/facts", params={"q": WHO}).status_code == 401


def leave_by_http_again(project: Project, url: str) -> None:
    """Her conversation once more: it is told as suppressed, and her name goes nowhere."""
    _, key = make_key(project, ["traces:write"], name="again")
    http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=30)
    spans = run_of("hers", f"I live in Lisbon. Call me {NAME}.", user=WHO)
    assert http.post("/public/v1/traces/ingest", json={"project": None, "spans": spans}).json()["ingested"] == 0


def plain(dump: Path, folder: Path) -> str:
    """A dump as SQL."""
    path = folder / "plain.sql"
    subprocess.run([program("pg_restore"), f"--file={path}", str(dump)], check=True, timeout=120)
    return path.read_text(errors="replace")
