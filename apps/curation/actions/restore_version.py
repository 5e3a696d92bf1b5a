"""Say again what an older version of a fact said."""

from dataclasses import replace

from apps.access.actor import Actor
from apps.access.policies import require
from apps.core.errors import Conflict, NotFound
from apps.core.transactions import bind
from apps.curation.actions.edit_fact import edit_fact
from apps.curation.models import Change
from apps.facts.locks import locked_facts
from apps.facts.models import Fact
from apps.facts.queries import older_versions
from apps.facts.statement import statement_of


def restore_version(*, actor: Actor, project_id: int, version_id: int, current_id: int) -> tuple[Fact, Change]:
    """A new version in place of ``current_id`` with the words and marks of ``version_id``; returns it and the change that
    undo takes back. How sensitive it is and when it expires stay as they are now: those are no words of a version.

    Raises NotFound; Conflict ``fact_moved`` where the current version is closed meanwhile or never replaced the other,
    ``fact_exists``; Invalid ``unchanged`` and what can't be stored any more.
    """
    require(actor, "facts.revise", project_id=project_id)
    with bind(project_id):
        found = locked_facts(project_id, [version_id, current_id])
        if len(found) < len({version_id, current_id}):
            raise NotFound("not_found", "There is no such version in this project.")
        version, current = found[version_id], found[current_id]
        if not current.is_current or version_id not in older_versions(project_id, current_id):
            raise Conflict("fact_moved", "The fact was changed by somebody else; nothing was saved.")
        statement = replace(statement_of(version), sensitivity=current.sensitivity, expires_at=current.expires_at)
        return edit_fact(actor=actor, project_id=project_id, fact_id=current_id, statement=statement)
