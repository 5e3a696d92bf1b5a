"""Liveness and readiness, for supervisors and load balancers."""

from django.conf import settings
from django.core.cache import cache
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from redis import RedisError


def healthz(request: HttpRequest) -> JsonResponse:
    """200 while this process answers at all; it asks nothing of the database."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """200 when requests can be served: database reached as the application role, schema complete, Redis reached."""
    checks: dict[str, str] = {}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_user = %s", [str(settings.DATABASES["default"]["USER"])])
            row = cursor.fetchone()
        checks["database"] = "ok" if row and row[0] else "reached as another role than the application's"
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
        checks["schema"] = f"{len(waiting)} migrations wait" if waiting else "ok"
    except Error as error:
        checks["database"] = type(error).__name__
    try:
        cache.get("readyz")
        checks["redis"] = "ok"
    except RedisError as error:
        checks["redis"] = type(error).__name__
    ready = all(state == "ok" for state in checks.values())
    response = JsonResponse(
        {"status": "ready" if ready else "not ready", "checks": checks}, status=200 if ready else 503
    )
    if not ready:
        response["Retry-After"] = "5"
    return response
