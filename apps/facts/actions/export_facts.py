"""Note that facts leave in a file, and say which."""

import hashlib

from apps.access.actor import Actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.transactions import bind
from apps.facts.queries import FactFilter, matching_ids

MOST = 10_000
"""Facts in one file that a person takes along from a page."""


def export_facts(*, actor: Actor, project_id: int, wanted: FactFilter, form: str, whole: bool = False) -> list[int]:
    """Ids of the facts of the filter, newest first, at most `MOST` unless it is the ``whole``; that they were taken is on
    record, with a digest of the ids and never a word of theirs. Raises Refused."""
    require(actor, "facts.export", project_id=project_id)
    with bind(project_id):
        ids = matching_ids(project_id, wanted, None if whole else MOST)
        digest = hashlib.blake2b(",".join(map(str, ids)).encode(), digest_size=16).hexdigest()
        record(
            actor=actor,
            verb="facts.export",
            object_type="project",
            object_id=project_id,
            data={"format": form, "facts": len(ids), "digest": digest, "sensitivities": list(wanted.sensitivities)},
        )
    return ids
