"""Run fastaiagent's own FactStore conformance suite, taken from its source archive, over this client.

    python checks/fact_store.py --url http://127.0.0.1:8000 --key mp_…

The API key writes directly and has the scopes agent:write, facts:read, facts:read:user, facts:read:all, facts:history,
facts:write and facts:clear; the project may be any, since the suite makes up the ids it uses.
"""

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

SUITE = "tests/integration/test_faststore_conformance.py"
EXPECTED = 14
OURS = """
import os
import pytest
from memoryplane_client import Client
from memoryplane_client.fastaiagent import FactStore as PlaneFacts
from test_faststore_conformance import *  # noqa

@pytest.fixture
def store():
    with Client(os.environ["PLANE_URL"], os.environ["PLANE_KEY"]) as client:
        yield PlaneFacts(client)
"""


def archive(folder: Path, version: str) -> Path:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary",
        ":all:",
        "-d",
        str(folder),
    ]
    subprocess.run([*command, f"fastaiagent=={version}"], check=True)
    return next(folder.glob("fastaiagent-*.tar.gz"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--version", default="1.94.0")
    parser.add_argument("--archive", type=Path, help="the source archive, if it is there already")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(asked.archive or archive(folder, asked.version)) as packed:
            suite = next(one for one in packed.getmembers() if one.name.endswith(SUITE))
            taken = packed.extractfile(suite)
            assert taken is not None
            (folder / "test_faststore_conformance.py").write_bytes(taken.read())
        (folder / "test_ours.py").write_text(OURS)
        here = str(Path(__file__).resolve().parent.parent)
        environment = {**os.environ, "PLANE_URL": asked.url, "PLANE_KEY": asked.key, "PYTHONPATH": f"{here}:{folder}"}
        command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "test_ours.py"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    print(done.stdout, done.stderr)
    passed = sum(line.startswith("PASSED") for line in done.stdout.splitlines())
    print(f"{passed} of {EXPECTED} passed")
    return 0 if done.returncode == 0 and passed == EXPECTED else 1


if __name__ == "__main__":
    sys.exit(main())
