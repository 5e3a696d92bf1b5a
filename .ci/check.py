"""`make check`: everything that is known without running the product. Exit code 1 when one step fails.

The settings come from env.production.example with random values for its placeholders, so that the deploy
check looks at what an operator would start from.
"""

import difflib
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPENAPI = ROOT / "docs" / "openapi.yaml"
PYTHON = sys.executable
# No database is there for `makemigrations` to compare the history with; the files are what is checked.
MANAGE = [PYTHON, "-W", "ignore::RuntimeWarning", "manage.py"]

IMPORTS = "from importlinter.cli import lint_imports_command as run; run()"
SHOWN = 60  # lines of a failed step

STEPS = {
    "types": [PYTHON, "-m", "mypy"],
    "lint": [PYTHON, "-m", "ruff", "check", "--output-format", "concise", "."],
    "format": [PYTHON, "-m", "ruff", "format", "--check", "."],
    "import order": [PYTHON, "-c", IMPORTS, "--no-cache"],
    "templates": [PYTHON, "-m", "djlint", "templates", "--check", "--lint"],
    "deploy check": [*MANAGE, "check", "--deploy", "--fail-level", "WARNING"],
    "migrations": [*MANAGE, "makemigrations", "--check", "--dry-run"],
}


def production_environment(var: str) -> dict[str, str]:
    """env.production.example with every placeholder filled, on top of nothing else of the product's."""
    values = {}
    for line in (ROOT / "env.production.example").read_text().splitlines():
        name, sign, value = line.partition("=")
        if sign and not line.startswith("#"):
            values[name] = re.sub("change-me", lambda _: secrets.token_urlsafe(48), value)
    names = ("MEMORYPLANE_", "DATABASE_", "REDIS_URL", "SECRET_KEY", "DJANGO_")
    rest = {name: value for name, value in os.environ.items() if not name.startswith(names)}
    # An empty var folder: the secrets of an installation in this checkout are not what is checked.
    return {**rest, **values, "MEMORYPLANE_VAR": var}


def run(command: list[str], environment: dict[str, str]) -> tuple[int, str, float]:
    start = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.returncode, done.stdout, time.monotonic() - start


def shortened(said: str) -> list[str]:
    lines = said.strip().splitlines()
    return lines if len(lines) <= SHOWN else [*lines[: SHOWN - 10], "…", *lines[-9:]]


def openapi(environment: dict[str, str]) -> tuple[int, str, float]:
    """The committed file against the one the code describes now."""
    now = Path(environment["MEMORYPLANE_VAR"]) / "openapi.yaml"
    code, said, seconds = run([*MANAGE, "spectacular", "--file", str(now), "--fail-on-warn"], environment)
    if code:
        return code, said, seconds
    committed = OPENAPI.read_text().splitlines() if OPENAPI.exists() else []
    described = now.read_text().splitlines()
    difference = list(difflib.unified_diff(committed, described, "committed", "code", lineterm=""))
    if not difference:
        return 0, "", seconds
    advice = f"\nWrite it anew: {Path(PYTHON).name} manage.py spectacular --file {OPENAPI.relative_to(ROOT)}"
    return 1, "\n".join(difference[:60]) + advice, seconds


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="mp-check-") as var:
        failed = run_all(production_environment(var))
    if failed:
        print(f"{len(failed)} checks failed: {', '.join(failed)}")
        return 1
    print("all checks passed")
    return 0


def run_all(environment: dict[str, str]) -> list[str]:
    """Print each step's outcome; returns the names of those that failed."""
    failed = []
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        results = {name: pool.submit(run, command, environment) for name, command in STEPS.items()}
        results["OpenAPI file"] = pool.submit(openapi, environment)
        for name, result in results.items():
            code, said, seconds = result.result()
            print(f"{'ok    ' if code == 0 else 'FAILED'} {name} ({seconds:.1f} s)", flush=True)
            if code:
                failed.append(name)
                print("\n".join(f"       {line}" for line in shortened(said)))
    return failed


if __name__ == "__main__":
    sys.exit(main())
