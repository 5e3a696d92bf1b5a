"""A client has facts of one place forgotten: all of them, or those of the same words."""

from apps.access.actor import Actor
from apps.access.policies import Refused, require
from apps.audit.actions.record import record
from apps.core.errors import Conflict, Invalid
from apps.core.text import norm_hash, normalise
from apps.core.transactions import bind
from apps.curation.writing import refuse_guarded
from apps.facts.models import SCOPES
from apps.facts.querysets import FactQuerySet
from apps.privacy.forgetting import delete, gathered
from apps.privacy.queries import ForgetCounts, forget_counts
from apps.recall.clients import within_hand
from apps.recall.queries import Reader
from apps.tenancy.queries import find_agent, find_subject

BATCH = 200
KEPT_BACK = ["hold", "erasure", "correction"]
NOTHING = ForgetCounts(0, 0, 0, 0)


def clear_facts(
    *,
    actor: Actor,
    project_id: int,
    reader: Reader,
    scope: str,
    scope_id: str,
    label: str = "",
    content: str | None = None,
) -> ForgetCounts:
    """Forget every statement of a scope id in one partition, closed ones too, or with ``content`` those of its words; ``*``
    is every id of the scope. Returns what went, counted as it was deleted. Values under keys stay.

    In batches of a transaction each. Raises Refused, for a key that does not write directly too; Invalid for a scope id
    that names nobody; Conflict ``restricted`` where one of them is held, before anything goes, and with ``content``
    ``protected``.
    """
    require(actor, "facts.clear" if content is None else "facts.write", project_id=project_id)
    if not actor.direct:
        raise Refused(actor, "facts.clear", "This needs a key that writes directly.", project_id)
    if scope not in SCOPES:
        raise Invalid("unknown_choice", "Not a scope.", parameter="scope")
    scope_id = scope_id.strip()
    if scope_id == "*":
        require(actor, "facts.read_everybody", project_id=project_id)
    elif scope != "project" and not normalise(scope_id):
        raise Invalid("subject_required", "Name whose facts go.", parameter="scope_id")
    with bind(project_id):
        rows = _rows(reader, actor, scope, scope_id, label, content)
        if rows.filter(restricted_reason__in=KEPT_BACK).exists():
            raise Conflict("restricted", "Something of it is held for now; nothing was deleted.")
    total = NOTHING
    while (gone := _batch(actor, project_id, rows, content is not None)) is not None:
        total = ForgetCounts(
            *(ours + more for ours, more in zip(total.as_dict().values(), gone.as_dict().values(), strict=True))
        )
    return total


def _rows(reader: Reader, actor: Actor, scope: str, scope_id: str, label: str, content: str | None) -> FactQuerySet:
    rows = within_hand(reader, actor.name).filter(scope=scope, label=label, key=None)
    if scope_id not in {"", "*"}:
        rows = rows.filter(scope_id=_known_as(reader.project_id, scope, scope_id))
    return rows if content is None else rows.filter(norm_hash=norm_hash(content))


def _known_as(project_id: int, scope: str, scope_id: str) -> str:
    """The id under which facts of this id or alias stand."""
    if scope == "user" and (subject := find_subject(project_id=project_id, external_id=scope_id)):
        return subject.external_id
    if scope == "agent" and (agent := find_agent(project_id=project_id, name_or_id=scope_id)):
        return agent.name
    return scope_id


def _batch(actor: Actor, project_id: int, rows: FactQuerySet, guarded: bool) -> ForgetCounts | None:
    """None when nothing is left."""
    with bind(project_id):
        ids = list(rows.order_by("id").values_list("id", flat=True)[:BATCH])
        if not ids:
            return None
        going = gathered(project_id, *ids)
        for fact in going.facts.values():
            if guarded:
                refuse_guarded(fact)
            elif fact.restricted_reason in KEPT_BACK:
                raise Conflict("restricted", f"#{fact.id} is held for now; it was not deleted.")
        before = forget_counts(project_id, going.rows)
        delete(project_id, going, by=actor.name, name=f"clear:{ids[0]}")
        record(
            actor=actor,
            verb="facts.clear",
            object_type="project",
            object_id=project_id,
            data={"facts": sorted(going.facts), "before": before.as_dict()},
        )
    return before
