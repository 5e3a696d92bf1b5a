"""The image and the services as they are written down, and their start commands run bare."""

import ast
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.faults.plane import Plane
from tests.running.conftest import bare_environment
from tests.servers import ROOT

DOCKER = ROOT / "docker"
LINES = (DOCKER / "Dockerfile").read_text().replace("\\\n", "").splitlines()


def line_of(word: str) -> str:
    """The last instruction of this name."""
    return [line.partition(" ")[2] for line in LINES if line.startswith(f"{word} ")][-1]


def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text())["services"]
    return found


def test_the_image_runs_as_nobody_in_particular_and_says_whether_it_is_well() -> None:
    assert re.fullmatch(r"[1-9]\d+", line_of("USER"))
    places = [number for number, line in enumerate(LINES) if line.startswith(("COPY", "RUN", "USER"))]
    assert LINES[places[-1]].startswith("USER"), "nothing is made after the user was changed"
    assert line_of("HEALTHCHECK") and not any(line.startswith("ADD") for line in LINES)
    assert not line_of("FROM").endswith(("latest", "python"))
    assert not re.search(r"(SECRET|PASSWORD|KEY)\w*=\S", "\n".join(LINES))
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert {".git", "var", "docker/.env"} <= set(ignored)


def test_only_the_proxy_is_reached_from_outside_and_each_service_waits_for_what_it_needs() -> None:
    found = services()
    assert [name for name, service in found.items() if "ports" in service] == ["proxy"]
    ours = found["memoryplane"]
    assert ours["cap_drop"] == ["ALL"] and ours["security_opt"] == ["no-new-privileges:true"]
    for name in ("db", "redis", "memoryplane"):
        assert "healthcheck" in found[name] or name == "memoryplane"  # that one's is in the image
    assert {how["condition"] for how in ours["depends_on"].values()} == {"service_healthy"}
    grace = int(ours["stop_grace_period"].rstrip("s"))
    from memoryplane.supervisor import PATIENCE

    assert grace >= sum(PATIENCE.values())
    assert "noeviction" in found["redis"]["command"]
    assert "reverse_proxy memoryplane:8000" in (DOCKER / "Caddyfile").read_text()


@pytest.mark.skipif(
    not (shutil.which("hadolint") or (Path(sys.executable).parent / "hadolint").exists()), reason="make setup-dev"
)
def test_the_linter_of_images_finds_nothing() -> None:
    program = shutil.which("hadolint") or str(Path(sys.executable).parent / "hadolint")
    done = subprocess.run([program, DOCKER / "Dockerfile"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_start_command_the_health_check_and_the_end(plane: Plane) -> None:
    """What the image starts, on servers of addresses as compose gives them: the application role's is left empty."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    given = {**plane.environment(), "DATABASE_APP_URL": "", "MEMORYPLANE_HTTPS": "1"}
    given |= {"MEMORYPLANE_ALLOWED_HOSTS": "memory.example.com", "MEMORYPLANE_EMBEDDER": "none"}
    given |= {"MEMORYPLANE_PUBLIC_URL": "https://memory.example.com"}
    var = plane.folder / "image"
    environment = bare_environment(var, **given)
    start = [*ast.literal_eval(line_of("ENTRYPOINT")), *ast.literal_eval(line_of("CMD"))]
    assert start[0] == "python"
    with (plane.folder / "up.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *start[1:], "--port", port], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
    try:
        check = json.loads(line_of("HEALTHCHECK").partition("CMD ")[2])
        check = [sys.executable, *(part.replace(":8000/", f":{port}/") for part in check[1:])]
        end = time.monotonic() + 120
        while subprocess.run(check, env=environment, capture_output=True).returncode:
            assert process.poll() is None and time.monotonic() < end, (plane.folder / "up.log").read_text()
            time.sleep(0.5)
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(int(services()["memoryplane"]["stop_grace_period"].rstrip("s"))) == 0
    finally:
        process.kill()
        process.wait()
    said = (plane.folder / "up.log").read_text()
    for name in ("worker1", "worker2"):
        assert re.search(rf"^{name} .* ready\.", said + (var / "log" / "memoryplane.log").read_text(), re.MULTILINE), (
            name
        )
