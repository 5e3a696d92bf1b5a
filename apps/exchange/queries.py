"""Reading imports and their lines."""

from collections.abc import Collection

from django.db.models import QuerySet

from apps.core.errors import NotFound
from apps.exchange.models import Import, ImportLine


def imports_of(project_id: int) -> "QuerySet[Import]":
    """The project's imports, newest first."""
    return Import.objects.filter(project_id=project_id).order_by("-id")


def the_import(project_id: int, import_id: int) -> Import:
    """Raises NotFound. The project is bound."""
    found = Import.objects.filter(project_id=project_id, id=import_id).first()
    if found is None:
        raise NotFound("not_found", "There is no such import in this project.")
    return found


def next_lines(upload: Import, most: int) -> list[ImportLine]:
    """The lines after its position, locked, so that an erasure that takes one of them away waits for what is made of it."""
    rows = ImportLine.objects.select_for_update(no_key=True).filter(
        project_id=upload.project_id, upload_id=upload.id, number__gt=upload.position
    )
    return list(rows.order_by("number")[:most])


def refused_lines(upload: Import, *, after: int = 0, most: int = 50) -> list[tuple[int, str]]:
    """Numbers and reasons of lines that are not taken in."""
    rows = ImportLine.objects.filter(project_id=upload.project_id, upload_id=upload.id, number__gt=after).exclude(
        reason=""
    )
    return list(rows.order_by("number").values_list("number", "reason")[:most])


def earlier_digests(upload: Import, digests: list[bytes], before: int) -> set[bytes]:
    """Those of ``digests`` that a line before number ``before`` has."""
    rows = ImportLine.objects.filter(
        project_id=upload.project_id, upload_id=upload.id, digest__in=digests, number__lt=before
    )
    return {bytes(digest) for digest in rows.values_list("digest", flat=True) if digest is not None}


def first_values(upload: Import, most: int = 3) -> dict[str, list[str]]:
    """Some cells of each column of a table, for somebody who has to say what it is."""
    rows = ImportLine.objects.filter(project_id=upload.project_id, upload_id=upload.id, record__isnull=False)
    found: dict[str, list[str]] = {name: [] for name in upload.header}
    for record in rows.order_by("number").values_list("record", flat=True)[:most]:
        for name, value in (record or {}).items():
            if name in found:
                found[name].append(str(value)[:80])
    return found


def facts_of_lines(upload: Import, given_ids: Collection[int]) -> dict[int, int]:
    """The facts here that lines of the import say, by what the file calls them; of those alone that others were derived from."""
    if not given_ids:
        return {}
    rows = ImportLine.objects.filter(
        project_id=upload.project_id, upload_id=upload.id, given_id__in=given_ids, fact_id__isnull=False
    )
    pairs = rows.order_by("-number").values_list("given_id", "fact_id")
    return {given_id: fact_id for given_id, fact_id in pairs if given_id and fact_id}
