"""What a run found, as JSON for the next one to be compared with: benchmarks/results/<name>.json."""

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "results"
PACKAGES = ("Django", "psycopg", "orjson", "waitress", "pgvector", "fastapi", "asyncpg")


@dataclass
class Board:
    """Figures beside their goals, printed as they come. ``failed`` once one falls short."""

    failed: bool = False
    figures: list[dict[str, Any]] = field(default_factory=list)

    def at_most(self, name: str, figure: float, goal: float, *, unit: str = "") -> None:
        self._show(name, figure, f"<= {goal:g}", goal, figure <= goal, unit)

    def at_least(self, name: str, figure: float, goal: float, *, unit: str = "") -> None:
        self._show(name, figure, f">= {goal:g}", goal, figure >= goal, unit)

    def note(self, name: str, figure: float | str, *, unit: str = "") -> None:
        """A figure without a goal."""
        shown = f"{figure:.3g}" if isinstance(figure, float) else str(figure)
        print(f"  {name:<64}{shown:>9} {unit}", flush=True)
        self.figures.append({"name": name, "figure": figure, "unit": unit})

    def check(self, name: str, ok: bool, *, found: str = "") -> None:
        """Something that either holds or does not, such as which plan was chosen."""
        self.failed |= not ok
        print(f"  {name:<64}{'holds' if ok else 'FAILS':>9}{f'  {found}' if found and not ok else ''}", flush=True)
        self.figures.append({"name": name, "ok": ok, "found": found})

    def _show(self, name: str, figure: float, sign: str, goal: float, ok: bool, unit: str) -> None:
        self.failed |= not ok
        said = "" if ok else "  SHORT OF THE GOAL"
        print(f"  {name:<64}{figure:>9.4g} {unit:<9} goal {sign}{said}", flush=True)
        self.figures.append({"name": name, "figure": figure, "unit": unit, "goal": sign, "ok": ok})


def write(name: str, figures: list[dict[str, Any]] | Board, seed: int, *, control: bool = False) -> Path:
    """Keep one run's ``figures`` (see Board) with what they depend on, and return the file.

    A run of the broken variant goes into a file of its own. Called while the database of the run is up; outside of
    Django the versions of the servers are left out.
    """
    path = FOLDER / f"{name}{'-control' if control else ''}.json"
    FOLDER.mkdir(exist_ok=True)
    document = {
        "name": name,
        "control": control,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": seed,
        "load_average": [round(load, 2) for load in os.getloadavg()],
        "cpus": os.cpu_count(),
        "versions": versions(),
        "figures": asdict(figures)["figures"] if isinstance(figures, Board) else figures,
    }
    path.write_text(json.dumps(document, indent=1) + "\n")
    return path


def versions() -> dict[str, str]:
    """Python, the packages that matter, and, inside Django, PostgreSQL and its vector extension."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package.lower()] = version(package)
        except PackageNotFoundError:
            continue
    from django.conf import settings

    if settings.configured:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
            )
            found["postgresql"], found["pgvector_extension"] = cursor.fetchone()
    return found
