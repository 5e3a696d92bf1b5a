"""For how long a project keeps what, from now on: make or change one rule, or drop it."""

from typing import Any

from apps.access.actor import Actor
from apps.access.models import SENSITIVITIES
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import FieldError, Invalid, NotFound
from apps.core.transactions import bind
from apps.facts.models import SCOPES
from apps.privacy.models import RetentionRule
from apps.privacy.retention import KINDS_BY_NAME, LEAST, LONGEST

DAYS = ("keep_days", "purge_days", "review_days")


def change_retention(
    *,
    actor: Actor,
    project_id: int,
    store: str,
    scope: str = "",
    category: str = "",
    sensitivity: str = "",
    keep_days: int | None = None,
    purge_days: int | None = None,
    review_days: int | None = None,
) -> RetentionRule:
    """The rule for what is in this store and of this scope, category and sensitivity ("" is any); a rule of the same is
    replaced. None for ``keep_days`` keeps for ever, which an exception from a wider rule may say; ``purge_days`` after its
    end a fact is deleted, ``review_days`` after it was said it is to be looked at again.

    Nothing is deleted here: the next purge goes by it. Raises Invalid with one error for each part that is wrong.
    """
    require(actor, "retention.change", project_id=project_id)
    rule = wanted_rule(
        project_id,
        store,
        scope,
        category,
        sensitivity,
        keep_days=keep_days,
        purge_days=purge_days,
        review_days=review_days,
    )
    named = {"scope": rule.scope, "category": rule.category, "sensitivity": rule.sensitivity}
    with bind(project_id):
        new = {name: getattr(rule, name) for name in DAYS}
        found, made = RetentionRule.objects.select_for_update().get_or_create(
            project_id=project_id, store=store, **named, defaults=new | {"changed_by": actor.name}
        )
        before = {name: None if made else getattr(found, name) for name in DAYS}
        if made or before != new:
            for name, value in new.items():
                setattr(found, name, value)
            found.changed_by, found.updated_at = actor.name, now()
            found.save(update_fields=[*DAYS, "changed_by", "updated_at"])
            changed = {
                name: {"from": before[name], "to": new[name]} for name in DAYS if made or before[name] != new[name]
            }
            _record(actor, found, changed | {"made": made})
    return found


def drop_retention(*, actor: Actor, project_id: int, rule_id: int) -> None:
    """Take a rule away: what it was about is kept by a wider rule, or for ever. Raises NotFound."""
    require(actor, "retention.change", project_id=project_id)
    with bind(project_id):
        rule = RetentionRule.objects.select_for_update().filter(project_id=project_id, id=rule_id).first()
        if rule is None:
            raise NotFound("not_found", "There is no such rule in this project.")
        _record(actor, rule, {name: {"from": getattr(rule, name), "to": None} for name in DAYS} | {"dropped": True})
        rule.delete()


def wanted_rule(
    project_id: int, store: str, scope: str, category: str, sensitivity: str, **days: int | None
) -> RetentionRule:
    """The rule as it would be, not saved. Raises Invalid."""
    kind = KINDS_BY_NAME.get(store)
    if kind is None:
        raise Invalid("unknown_choice", "There is no such store.", pointer="/store")
    errors = []
    if scope and scope not in SCOPES:
        errors.append(FieldError("unknown_choice", "There is no such scope.", pointer="/scope"))
    if sensitivity and sensitivity not in SENSITIVITIES:
        errors.append(FieldError("unknown_choice", "There is no such sensitivity.", pointer="/sensitivity"))
    if len(category.strip()) > 60:
        errors.append(FieldError("too_long", "At most 60 characters.", pointer="/category"))
    if not kind.narrowed and (scope or category or sensitivity):
        detail = "Only facts and rejected proposals differ by scope, category and sensitivity."
        errors.append(FieldError("not_narrowed", detail, pointer="/scope"))
    known = {step.days for step in kind.steps}
    for name in DAYS:
        value, least = days.get(name), 0 if name == "purge_days" else LEAST
        if value is not None and not least <= value <= LONGEST:
            errors.append(FieldError("out_of_range", f"{least} to {LONGEST:,} days.", pointer=f"/{name}"))
        elif value is not None and name not in known:
            errors.append(FieldError("facts_only", "Only facts have this.", pointer=f"/{name}"))
    if errors:
        raise Invalid("invalid_retention", "Not a rule that can be kept to.", errors=errors)
    given: dict[str, Any] = {"scope": scope, "category": category.strip(), "sensitivity": sensitivity, **days}
    return RetentionRule(project_id=project_id, store=store, **given)


def _record(actor: Actor, rule: RetentionRule, data: dict[str, Any]) -> None:
    record(
        actor=actor,
        verb="retention.change",
        object_type="retention_settings",
        object_id=rule.project_id,
        # A category is a name the operator gives, but may be anything that was typed: the audit holds none.
        data={"rule": rule.id, "store": rule.store, "scope": rule.scope, "sensitivity": rule.sensitivity}
        | {"of_category": bool(rule.category)}
        | data,
    )
