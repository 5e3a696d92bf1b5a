"""Hand a package over to who has its link."""

from django.db import connection

from apps.access.actor import system_actor
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import NotFound
from apps.core.sealing import PACKAGES, unseal
from apps.core.transactions import bind
from apps.privacy.links import token_hash
from apps.privacy.models import EMPTIED, AccessPackage


def open_package(*, token: str) -> bytes:
    """The package behind a link, which is dead from then on, as the package is. Raises NotFound for any other link."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT project_id, id FROM package_of(%s)", [token_hash(token)])
        row = cursor.fetchone()
    if row is None:
        raise NotFound("not_found", "This link was used, has expired, or never was one.")
    project_id, package_id = row
    with bind(project_id):
        package = AccessPackage.objects.select_for_update().get(project_id=project_id, id=package_id)
        if package.content is None or package.token_hash is None or bytes(package.token_hash) != token_hash(token):
            raise NotFound("not_found", "This link was used, has expired, or never was one.")
        content = unseal(bytes(package.content), use=PACKAGES)
        at = now()
        for name, value in (EMPTIED | {"removed_at": at, "opened_at": at}).items():
            setattr(package, name, value)
        package.save(update_fields=[*EMPTIED, "removed_at", "opened_at"])
        record(
            actor=system_actor("privacy", project_id),
            verb="privacy.fetched",
            object_type="privacy_request",
            object_id=package.request_id,
            data={"sha256": bytes(package.sha256).hex()},
        )
    return content
