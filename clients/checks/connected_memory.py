"""The SDK's own end-to-end test of connected memory, unmodified, against a server that runs.

    connected_memory.py --target http://127.0.0.1:8000 --key mp_… --email admin@example.com --password … [--project main]

Takes fastaiagent's source archive from the package index, in the version that requirements-dev.txt names, and runs
`tests/e2e/test_connected_memory_e2e.py` out of it with this Python. It leaves an agent `ws3-mem-e2e` without facts behind.
The project may have no facts of its own scope: the test expects that an agent without facts is told nothing. A skip is a
failure. Exits with 0 when the test passed.
"""

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEST = "tests/e2e/test_connected_memory_e2e.py"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("target", "key", "email", "password"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--project", default="main", help="the project's slug, which is the domain too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = archive(Path(folder))
        given = {
            "PYTHONPATH": str(source),
            "FASTAIAGENT_TARGET": options.target,
            "FASTAIAGENT_API_KEY": options.key,
            "E2E_PLANE_EMAIL": options.email,
            "E2E_PLANE_PASSWORD": options.password,
            "E2E_PLANE_DOMAIN_ID": options.project,
            "E2E_PLANE_PROJECT_ID": options.project,
            "E2E_REQUIRED": "1",
            "E2E_PLATFORM_REQUIRED": "1",
            "OPENAI_API_KEY": "never called",
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("E2E_", "DJANGO_"))}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rs", TEST]
        done = subprocess.run(command, cwd=source, env=kept | given, capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr)
    passed = done.returncode == 0 and re.search(r"^1 passed\b(?!.*skipped)", done.stdout, re.MULTILINE) is not None
    print("passed" if passed else "failed")
    return 0 if passed else 1


def archive(folder: Path) -> Path:
    """The unpacked source."""
    pinned = re.search(r"^fastaiagent==\S+", (ROOT / "requirements-dev.txt").read_text(), re.MULTILINE)
    assert pinned is not None
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "fastaiagent"]
    subprocess.run([*pip, "--dest", str(folder), pinned[0]], check=True)
    (packed,) = folder.glob("fastaiagent-*.tar.gz")
    with tarfile.open(packed) as file:
        file.extractall(folder, filter="data")
    return packed.with_name(packed.name.removesuffix(".tar.gz"))


if __name__ == "__main__":
    sys.exit(main())
