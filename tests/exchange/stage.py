"""Files to bring in, and the shortest way from one to what came of it."""

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from apps.access.actor import Actor
from apps.core.transactions import bind
from apps.exchange.actions.check_import import check_import
from apps.exchange.actions.start_import import start_import
from apps.exchange.actions.upload_import import upload_import
from apps.exchange.actions.work_import import work_import
from apps.exchange.export import as_lines, rows_of
from apps.exchange.leases import claim_import
from apps.exchange.models import Import
from apps.exchange.queries import refused_lines, the_import
from apps.facts.models import Fact
from apps.tenancy.models import Project
from tests.factories import user_actor

SAID_AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
SAMPLES = Path(__file__).parent / "samples"


def line(content: str, scope: str = "project", scope_id: str = "acme", **more: Any) -> dict[str, Any]:
    """One line of an export."""
    return {"content": content, "scope": scope, "scope_id": scope_id, "observed_at": SAID_AT.isoformat()} | more


def as_file(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def uploaded(project: Project, data: bytes, *, name: str = "facts.jsonl", actor: Actor | None = None) -> Import:
    return upload_import(
        actor=actor or user_actor(project, "curator"),
        project_id=project.id,
        name=name,
        file=io.BytesIO(data),
        size=len(data),
    )


def worked(upload: Import, most: int = 500) -> Import:
    """A worker carries it on to where a person is needed, or to its end."""
    claim = claim_import(project_id=upload.project_id, import_id=upload.id)
    assert claim is not None
    work_import(claim=claim, seconds=float("inf"), most=most)
    return fresh(upload)


def fresh(upload: Import) -> Import:
    with bind(upload.project_id):
        return the_import(upload.project_id, upload.id)


def checked(project: Project, data: bytes, *, name: str = "facts.jsonl", most: int = 500, **options: Any) -> Import:
    actor = user_actor(project, "curator", "admin")
    upload = uploaded(project, data, name=name, actor=actor)
    check_import(actor=actor, project_id=project.id, import_id=upload.id, **options)
    return worked(upload, most)


def brought_in(project: Project, data: bytes, *, name: str = "facts.jsonl", most: int = 500, **options: Any) -> Import:
    """The whole way. ``options``: direct, register_agents, columns."""
    upload = checked(project, data, name=name, most=most, **options)
    start_import(actor=user_actor(project, "curator", "admin"), project_id=project.id, import_id=upload.id)
    return worked(upload, most)


def reasons(upload: Import) -> list[tuple[int, str]]:
    with bind(upload.project_id):
        return refused_lines(upload)


def counts(new: int = 0, *, held: int = 0, known: int = 0, suppressed: int = 0, refused: int = 0) -> dict[str, int]:
    return {"new": new, "held": held, "known": known, "suppressed": suppressed, "refused": refused}


def exported(project: Project) -> bytes:
    """Every active fact of the project, as its export."""
    with bind(project.id):
        ids = list(Fact.objects.in_project(project.id).active().order_by("id").values_list("id", flat=True))
    return "".join(as_lines(rows_of(project.id, ids, ("public", "internal", "personal", "special")))).encode()
