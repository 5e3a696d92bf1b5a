"""Rules of retention in words: what they are about, what is due by them, what was done."""

from dataclasses import dataclass
from typing import Any

from apps.core.counting import MOST
from apps.privacy.models import RetentionRule
from apps.privacy.retention import KINDS, KINDS_BY_NAME, Kind, Step, steps_of

SAID = {"review": "put up for review", "hide": "hid", "purge": "deleted", "delete": "deleted"}


@dataclass(frozen=True)
class RuleRow:
    """A rule as its row shows it; ``due`` is what a dry run found, None where none was made."""

    rule: RetentionRule
    about: str
    kept: str
    then: list[str]
    due: list[str] | None


@dataclass(frozen=True)
class KindRows:
    """A store with its rules, the most specific first; ``rest`` says what holds for what no rule fits."""

    kind: Kind
    rows: list[RuleRow]
    rest: str


def kinds_of(rules: list[RetentionRule], counts: dict[tuple[int | None, str], int] | None) -> list[KindRows]:
    """Every store, with the rules about it."""
    found = []
    for kind in KINDS:
        rows = [_row(rule, counts) for rule in rules if rule.store == kind.store]
        whole = any(row.rule.rank == (0, 0) for row in rows)
        found.append(KindRows(kind, rows, "" if whole else "Everything else" if rows else "Everything"))
    return found


def _row(rule: RetentionRule, counts: dict[tuple[int | None, str], int] | None) -> RuleRow:
    steps = steps_of(rule)
    then = []
    if rule.store == "facts":
        if rule.purge_days is not None:
            then.append(
                "deleted at the next purge" if rule.purge_days == 0 else f"deleted {days(rule.purge_days)} later"
            )
        if rule.review_days is not None:
            then.append(f"up for review after {days(rule.review_days)}")
    due = None if counts is None else [counted(rule, one, n) for one in steps if (n := counts[rule.id, one.name])]
    kept = "for ever" if rule.keep_days is None else days(rule.keep_days)
    return RuleRow(rule, about(rule), kept, then, due)


def about(rule: RetentionRule) -> str:
    """ "Special, scope user"; "Everything" for a rule about the whole store."""
    named = [rule.sensitivity, rule.category and f"category {rule.category}", rule.scope and f"scope {rule.scope}"]
    said = ", ".join(filter(None, named))
    return said[:1].upper() + said[1:] if said else "Everything"


def counted(rule: RetentionRule, step: Step, count: int) -> str:
    """ "1,000+ facts told to nobody any more"."""
    many = f"{MOST:,}+" if count > MOST else f"{count:,}"
    return f"{many} {KINDS_BY_NAME[rule.store].label.lower()} {step.said}"


def days(number: int | None) -> str:
    return "ever" if number is None else f"{number:,} day{'' if number == 1 else 's'}"


def said(verb: str, data: dict[str, Any]) -> str:
    """What an event of the audit tells: of a purge, or of a rule."""
    store = KINDS_BY_NAME.get(data.get("store", ""))
    name = store.label.lower() if store else str(data.get("store", "")) or "rows"
    if verb == "retention.purge":
        if "count" not in data:  # as it was recorded before there were rules
            parts = [f"{value:,} {key}" for key, value in data.items() if key != "older_than_days"]
            return f"deleted {', '.join(parts)} older than {data.get('older_than_days')} days"
        done = "emptied" if data["store"] == "answers" else SAID.get(data["step"], "deleted")
        return f"{done} {data['count']:,} {name}, over after {days(data['days'])}"
    if "store" not in data:
        changes = [
            f"{key.removesuffix('_days')} from {days(one['from'])} to {days(one['to'])}" for key, one in data.items()
        ]
        return "changed " + ", ".join(changes)
    of = ", ".join(filter(None, [data["sensitivity"], data["scope"], "of one category" if data["of_category"] else ""]))
    whole = f"{name} ({of})" if of else name
    if data.get("dropped"):
        return f"dropped the rule for {whole}"
    words = {"keep_days": "kept for", "purge_days": "deleted after", "review_days": "up for review after"}
    parts = [
        f"{words[key]} {days(data[key]['to'])}" for key in words if key in data and data[key]["from"] != data[key]["to"]
    ]
    return f"{'made' if data.get('made') else 'changed'} the rule for {whole}: {', '.join(parts) or 'kept for ever'}"
