"""Facts that are over by a rule: looked at again, told to nobody, deleted; each in batches, and never what is held."""

from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import CharField, Exists, F, OuterRef, Q
from django.db.models.functions import Cast, Coalesce

from apps.core.clock import now
from apps.core.sqlfiles import load
from apps.core.transactions import local_setting
from apps.curation.conflicts import touching
from apps.facts.models import Fact
from apps.privacy.models import Hold, RetentionRule
from apps.privacy.stores import BY_NAME

BATCH = 500
"""Facts of which a transaction takes the whole histories."""


def by_rule(rule: RetentionRule, rules: list[RetentionRule]) -> Q:
    """The rows that this rule decides: those that it fits, and that no more specific one does."""
    mine = _fits(rule)
    for other in rules:
        if other.store == rule.store and other.rank > rule.rank:
            mine &= ~_fits(other)
    return mine


def facts_to_review(project_id: int, rule: RetentionRule, rules: list[RetentionRule]) -> Any:
    """Current facts that have no day of review yet."""
    rows = _aged(project_id, rule, rules).filter(said_at__lt=_ago(rule.review_days))
    return rows.filter(review_at=None, superseded_at=None, retired_at=None).order_by("id")


def facts_over(project_id: int, rule: RetentionRule, rules: list[RetentionRule]) -> Any:
    """Those past their time that may still be told."""
    rows = _aged(project_id, rule, rules).filter(said_at__lt=_ago(rule.keep_days))
    return rows.filter(Q(expires_at=None) | Q(expires_at__gt=now())).order_by("id")


def facts_ended(project_id: int, rule: RetentionRule, rules: list[RetentionRule]) -> Any:
    """Those that ended long enough ago, by a rule or by a day of their own."""
    return _aged(project_id, rule, rules).filter(expires_at__lt=_ago(rule.purge_days)).order_by("expires_at", "id")


def facts_corrected(project_id: int, rule: RetentionRule, rules: list[RetentionRule]) -> Any:
    """Wrong words that a correction replaced so long ago: they ended on that day, however long the right ones are told."""
    rows = _unheld(project_id, rule, rules).filter(superseded_by__isnull=False, restricted_reason="correction")
    return rows.filter(superseded_at__lt=_ago(rule.purge_days)).order_by("superseded_at", "id")


def set_review(project_id: int, rule: RetentionRule, rules: list[RetentionRule]) -> int:
    """Have a batch looked at again, from today on."""
    return _mark(project_id, facts_to_review(project_id, rule, rules), review_at=now())


def hide(project_id: int, rule: RetentionRule, rules: list[RetentionRule]) -> int:
    """End a batch: no process tells them any more from this transaction on."""
    return _mark(project_id, facts_over(project_id, rule, rules), expires_at=now())


def purge(project_id: int, rule: RetentionRule, rules: list[RetentionRule]) -> int:
    """Delete a batch with all earlier versions, evidence, proposals and conflicts, through the stores of an erasure and in
    their order; returns how many facts went. What was merged into one of them and is about somebody else is told again."""
    ended = list(facts_ended(project_id, rule, rules).values_list("id", flat=True)[:BATCH])
    ended = ended or list(facts_corrected(project_id, rule, rules).values_list("id", flat=True)[:BATCH])
    if not ended:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(load("apps.privacy", "history_of"), {"project": project_id, "facts": ended})
        facts = sorted({*ended, *(number for (number,) in cursor.fetchall())})
        cursor.execute(
            load("apps.privacy", "proposals_about"),
            {"project": project_id, "subject": None, "facts": facts, "named": []},
        )
        proposals = sorted(number for (number,) in cursor.fetchall())
    conflicts = touching(project_id, facts, proposals)
    with local_setting("app.erasing", "retention"):
        if proposals:
            BY_NAME["proposals"].erase(project_id, proposals)
        gone = BY_NAME["facts"].erase(project_id, facts)
        BY_NAME["conflicts"].erase(project_id, conflicts)
    return gone


def _fits(rule: RetentionRule) -> Q:
    named = {name: getattr(rule, name) for name in ("scope", "category", "sensitivity")}
    return Q(**{name: value for name, value in named.items() if value}) if any(named.values()) else ~Q(pk__in=[])


def _aged(project_id: int, rule: RetentionRule, rules: list[RetentionRule]) -> Any:
    """Facts of the rule that no later version stands for, with ``said_at``, when they were said last."""
    rows = _unheld(project_id, rule, rules).filter(superseded_by=None)
    return rows.annotate(said_at=Coalesce(F("last_seen_at"), F("created_at")))


def _unheld(project_id: int, rule: RetentionRule, rules: list[RetentionRule]) -> Any:
    """Facts of the rule that are neither held, nor of a person who is, nor with a held version, nor in an erasure that is
    under way."""
    holds = Hold.objects.filter(project_id=project_id, released_at=None)
    held = [int(number) for number in holds.filter(object_type="fact").values_list("object_id", flat=True)]
    rows = Fact.objects.in_project(project_id).filter(by_rule(rule, rules))
    return (
        rows.annotate(person=Cast("subject_id", CharField()))
        .filter(~Exists(holds.filter(object_type="subject", object_id=OuterRef("person"))))
        .exclude(id__in=_newest(project_id, held))
        .exclude(restricted_reason__in=["hold", "erasure"])
    )


def _newest(project_id: int, facts: list[int]) -> set[int]:
    """The newest versions of these facts."""
    found, layer = set(facts), set(facts)
    while layer:
        newer = Fact.objects.in_project(project_id).filter(id__in=layer).exclude(superseded_by=None)
        layer = set(newer.values_list("superseded_by_id", flat=True)) - found
        found |= layer
    return found


def _mark(project_id: int, rows: Any, **marks: Any) -> int:
    ids = list(rows.values_list("id", flat=True)[: BATCH * 10])
    return Fact.objects.in_project(project_id).filter(id__in=ids).order_by("id").update(**marks) if ids else 0


def _ago(days: int | None) -> Any:
    return now() - timedelta(days=days or 0)
