"""Small reads and writes as the application role, for tests of units and bindings."""

from django.db import connection


def setting(name: str = "app.project_id") -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(current_setting(%s, true), '')", [name])
        return str(cursor.fetchone()[0])


def add_project(slug: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO tenancy_project (slug, name) VALUES (%s, %s) RETURNING id", [slug, slug])
        return int(cursor.fetchone()[0])


def add_subject(project: int, external_id: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tenancy_subject (project_id, kind, external_id, epoch) VALUES (%s, 'user', %s, 0)",
            [project, external_id],
        )


def slugs() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT slug FROM tenancy_project ORDER BY id")
        return [row[0] for row in cursor.fetchall()]


def subjects() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT external_id FROM tenancy_subject ORDER BY id")
        return [row[0] for row in cursor.fetchall()]
