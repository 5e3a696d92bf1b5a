"""The one gate between an engine and what is put before a person; both engines pass it.

Whatever is refused is counted by name and kept nowhere: it may hold anything.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from apps.access.models import SENSITIVITIES
from apps.core.clock import now
from apps.core.text import norm_hash, normalise, one_line
from apps.curation.actions.merge_facts import merged_statement
from apps.curation.duplicates import same_texts
from apps.curation.likeness import likeness
from apps.curation.things import same_thing
from apps.dreaming.models import OPERATIONS, REPLACING
from apps.dreaming.operations import EVIDENCE_KINDS, MOST, Checked, Operation, Said, Verdict
from apps.dreaming.scene import Scene
from apps.dreaming.words import invents, loses
from apps.extraction.dates import absolute
from apps.facts.models import MEMORY_TYPES, Fact
from apps.facts.statement import narrowest
from apps.screening.screen import screen

TARGETS = 20
"""Facts that one change is about at most."""
BATCH = 250
POLICY = "policy"
NEVER = datetime.max.replace(tzinfo=UTC)


class Refused(Exception):
    """Not to be put before anybody, for the reason with this code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class _Found:
    """The rows an operation names: its targets, and the messages it rests on."""

    facts: tuple[Fact, ...]
    said: tuple[Said, ...]
    quotes: tuple[str, ...]


def check(operations: Sequence[Operation], scene: Scene) -> Verdict:
    """Look at each in turn; what passes counts as staged for those after it. Reads facts, some hundred operations at a time.

    Refused by name: ``unknown_operation``, ``no_targets``, ``too_many_targets``, ``unknown_fact`` (also of another place
    or subject), ``moved``, ``taken`` (changed by this run before), ``pinned``, ``contested``, ``other_scope``,
    ``no_audience``, ``no_evidence``, ``unknown_evidence``, ``no_words``, ``too_long``, ``secret``, ``injection``,
    ``invented`` (a name or number that no source has), ``loses``, ``differs``, ``not_shorter``, ``date``,
    ``other_attribute``, ``not_own``, ``known``, ``forgotten``, and ``too_many``.
    """
    verdict = Verdict()
    if len(operations) > MOST:
        verdict.refuse("too_many", len(operations) - MOST)
    for start in range(0, min(len(operations), MOST), BATCH):
        part = operations[start : min(start + BATCH, MOST)]
        facts = scene.load({fact_id for one in part for fact_id in _ids(one)})
        saying = {fact_id for one in part if one.op in REPLACING and one.content for fact_id in one.targets}
        quotes = scene.quotes(saying) if saying else {}
        forgotten = scene.forgotten({one_line(one.content).strip() for one in part if one.content})
        for one in part:
            try:
                found = _found(one, scene, facts, quotes)
                checked = _CHECKS[one.op](one, scene, found)
                until = forgotten.get(checked.content)
                if until is not None and (checked.observed_at is None or checked.observed_at <= until):
                    raise Refused("forgotten")
            except Refused as refused:
                verdict.refuse(refused.code)
                continue
            verdict.passed.append(checked)
            scene.taken |= {fact.id for fact in checked.closes}
            scene.kept |= {checked.keep.id} if checked.keep else set()
            scene.retired += checked.op in ("retire", "archive")
    return verdict


def _ids(one: Operation) -> Iterable[int]:
    return (
        *one.targets,
        *((one.keep,) if one.keep else ()),
        *(number for kind, number in one.evidence if kind == "fact"),
    )


def _found(one: Operation, scene: Scene, facts: dict[int, Fact], quotes: dict[int, list[str]]) -> _Found:
    if one.op not in OPERATIONS:
        raise Refused("unknown_operation")
    targets = tuple(dict.fromkeys(one.targets))
    if not targets and one.op != "add":
        raise Refused("no_targets")
    if len(targets) > TARGETS:
        raise Refused("too_many_targets")
    if one.keep is not None and one.keep not in targets:
        raise Refused("unknown_fact")
    if not one.evidence:
        raise Refused("no_evidence")
    for kind, number in one.evidence:
        known = (
            (fact := facts.get(number)) is not None and scene.has(fact)
            if kind == "fact"
            else (kind, number) in scene.said
        )
        if kind not in EVIDENCE_KINDS or not known:
            raise Refused("unknown_evidence")
    rows = []
    for fact_id in targets:
        row = facts.get(fact_id)
        if row is None or not scene.has(row):
            raise Refused("unknown_fact")
        if not row.is_current or row.restricted_at is not None:
            raise Refused("moved")
        if fact_id in scene.taken or (fact_id in scene.kept and fact_id != one.keep):
            raise Refused("taken")
        rows.append(row)
    if len({row.agent_id for row in rows}) > 1:
        raise Refused("other_scope")
    said = tuple(scene.said[ref] for ref in one.evidence if ref in scene.said)
    return _Found(tuple(rows), said, tuple(quote for row in rows for quote in quotes.get(row.id, ())))


def _words(one: Operation, found: _Found) -> str:
    """What it would say, on one line. Raises Refused for what may be said by nobody and for what no source bears out."""
    content = one_line(one.content).strip()
    if not normalise(content):
        raise Refused("no_words")
    if len(content) > 2_000:
        raise Refused("too_long")
    _screened(content)
    if invents(content, (*(fact.content for fact in found.facts), *found.quotes, *(said.text for said in found.said))):
        raise Refused("invented")
    return content


def _screened(content: str) -> None:
    flags = screen(content).flags
    for code in ("secret", "injection"):
        if code in flags:
            raise Refused(code)


def _closing(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts that would no longer be told. Raises Refused for one that a person set."""
    rows = tuple(facts)
    if any(fact.pinned for fact in rows):
        raise Refused("pinned")
    if any(fact.contested_at for fact in rows):
        raise Refused("contested")
    return rows


def _merge(one: Operation, scene: Scene, found: _Found) -> Checked:
    facts = found.facts
    if len(facts) < 2:
        raise Refused("no_targets")
    if narrowest(fact.purposes for fact in facts) == [] or narrowest(fact.task_types for fact in facts) == []:
        raise Refused("no_audience")
    if not one.content:
        keep = next((fact for fact in facts if fact.id == one.keep), None)
        if keep is None:
            raise Refused("no_words")
        others = _closing(fact for fact in facts if fact is not keep)
        degrees = {_degree(keep, fact) for fact in others}
        # Numbers, names, negations and limits that differ: they don't say the same, however near they are.
        if "other" in degrees:
            raise Refused("differs")
        # What is told for a while can't stand in for what is told on.
        if any(_ends(fact) > _ends(keep) for fact in others):
            raise Refused("differs")
        # What only some reads are told can't stand in for what every read is told.
        if any((keep.purposes, keep.task_types) != (fact.purposes, fact.task_types) for fact in others):
            raise Refused("no_audience")
        return _checked(one, scene, found, closes=others, keep=keep, exact=degrees == {"same"})
    content, closes = _words(one, found), _closing(facts)
    if loses(content, [fact.content for fact in facts]):
        raise Refused("loses")
    return _checked(one, scene, found, closes=closes, content=content)


def _degree(keep: Fact, fact: Fact) -> str:
    same = norm_hash(fact.content) in same_texts(keep.content)
    return "same" if same else likeness(keep.content, fact.content).degree


def _ends(fact: Fact) -> datetime:
    """When it is told no longer."""
    return min(fact.expires_at or NEVER, fact.valid_to or NEVER)


def _reword(one: Operation, scene: Scene, found: _Found) -> Checked:
    """``supersede`` by what was said since, or ``shorten``."""
    if len(found.facts) != 1:
        raise Refused("no_targets")
    content, closes = _words(one, found), _closing(found.facts)
    old = closes[0]
    if norm_hash(content) == norm_hash(old.content):
        raise Refused("known")
    if one.op == "shorten":
        if len(content) >= len(old.content):
            raise Refused("not_shorter")
        if loses(content, [old.content]):
            raise Refused("loses")
    elif not found.said:
        # New words without anybody having said them.
        raise Refused("no_evidence")
    return _checked(one, scene, found, closes=closes, content=content)


def _redate(one: Operation, scene: Scene, found: _Found) -> Checked:
    if len(found.facts) != 1:
        raise Refused("no_targets")
    old = _closing(found.facts)[0]
    # A date has one right reading, from when it was said: it is worked out here and not believed.
    content = one_line(one.content).strip()
    if not content or content != absolute(old.content, old.observed_at) or content == old.content:
        raise Refused("date")
    if len(content) > 2_000:
        raise Refused("too_long")
    return _checked(one, scene, found, closes=(old,), content=content, exact=True)


def _resolve(one: Operation, scene: Scene, found: _Found) -> Checked:
    keep = next((fact for fact in found.facts if fact.id == one.keep), None)
    others = tuple(fact for fact in found.facts if fact is not keep)
    _of_one_thing(found.facts, scene)
    if keep is None:
        return _conflict(one, scene, found)
    # Nothing trusted less, or said earlier, supersedes anything: a person decides.
    outdone = any(fact.trust > keep.trust or fact.observed_at >= keep.observed_at or fact.pinned for fact in others)
    if outdone:
        return _conflict(one, scene, found)
    return _checked(one, scene, found, closes=_closing(others), keep=keep)


def _conflict(one: Operation, scene: Scene, found: _Found) -> Checked:
    _of_one_thing(found.facts, scene)
    if any(fact.contested_at for fact in found.facts):
        raise Refused("contested")
    return _checked(one, scene, found, sides=found.facts, op="conflict")


def _of_one_thing(facts: Sequence[Fact], scene: Scene) -> None:
    """Only what is said of one attribute of one thing can contradict."""
    if len(facts) < 2:
        raise Refused("no_targets")
    attribute = facts[0].attribute
    if attribute is None or any(fact.attribute != attribute for fact in facts):
        raise Refused("other_attribute")
    if scene.run.scope != "user" and not all(
        same_thing(attribute, facts[0].content, fact.content) for fact in facts[1:]
    ):
        raise Refused("other_attribute")


def _retire(one: Operation, scene: Scene, found: _Found) -> Checked:
    if len(found.facts) != 1:
        raise Refused("no_targets")
    fact = _closing(found.facts)[0]
    over = scene.retired >= scene.may_retire
    at = now()
    ended = bool((fact.expires_at and fact.expires_at <= at) or (fact.valid_to and fact.valid_to <= at))
    op = "archive" if over or one.op == "archive" else "retire"
    flags = ("over_limit",) if op == "archive" else ()
    return _checked(one, scene, found, closes=(fact,), op=op, exact=ended and op == "retire", more=flags)


def _add(one: Operation, scene: Scene, found: _Found) -> Checked:
    if found.facts:
        raise Refused("other_scope")
    if not found.said or any(kind == "fact" for kind, _ in one.evidence):
        # From what people said, never from what a memory says.
        raise Refused("not_own")
    if not all(said.own for said in found.said):
        raise Refused("not_own")
    content = _words(one, found)
    if scene.facts().filter(norm_hash=norm_hash(content)).exists():
        raise Refused("known")
    # Of work, what one user says is no more than what one user says.
    return _checked(one, scene, found, content=content, exact=scene.run.scope == "user")


_CHECKS = {
    "merge": _merge,
    "supersede": _reword,
    "shorten": _reword,
    "redate": _redate,
    "resolve": _resolve,
    "conflict": _conflict,
    "retire": _retire,
    "archive": _retire,
    "add": _add,
}


def _checked(
    one: Operation,
    scene: Scene,
    found: _Found,
    *,
    closes: Sequence[Fact] = (),
    keep: Fact | None = None,
    sides: Sequence[Fact] = (),
    content: str = "",
    op: str = "",
    exact: bool = False,
    more: Sequence[str] = (),
) -> Checked:
    """``exact`` says that there is nothing to judge: the same words, a date worked out, a time that is over."""
    facts = (*closes, *((keep,) if keep else ()), *sides)
    op = op or one.op
    screened = screen(content) if content else None
    sensitivity = max(
        (*(fact.sensitivity for fact in facts), screened.sensitivity if screened else "internal"),
        key=SENSITIVITIES.index,
    )
    flags = set(more)
    if sensitivity in ("personal", "special"):
        flags.add(sensitivity)
    if any(fact.pinned for fact in facts):
        flags.add("pinned")
    if any(fact.contested_at for fact in facts):
        flags.add("contested")
    if one.category == POLICY or any(fact.category == POLICY for fact in facts):
        flags.add("policy")
    trusts = {fact.trust for fact in facts}
    if len(trusts) > 1:
        flags.add("mixed_trust")
    safe = exact and flags <= {"personal"}
    automatic = safe and not flags and op in ("merge", "add")
    # What is only closed or put off says what it said; what says something says it no surer than its weakest source.
    statement = merged_statement(list(facts), content) if facts and content else None
    return Checked(
        op=op,
        rule=one.rule[:40] or "model",
        reason=_reason(one.reason, scene, found),
        content=content,
        closes=tuple(closes),
        keep=keep,
        sides=tuple(sides),
        evidence=_union(one, facts),
        trust=min((*trusts, *((3,) if found.said else ()))),
        confidence=statement.confidence
        if statement
        else min((*(fact.confidence for fact in facts), 0.8 if not facts else 1.0)),
        sensitivity=sensitivity,
        flags=tuple(sorted(flags)),
        safe=safe,
        automatic=automatic,
        attribute=one.attribute if not facts else statement.attribute if statement else facts[0].attribute,
        category=(facts[0].category if facts else one.category)[:60] or "general",
        memory_type=facts[0].memory_type
        if facts
        else one.memory_type
        if one.memory_type in MEMORY_TYPES
        else "semantic",
        observed_at=max((*(fact.observed_at for fact in facts), *(said.at for said in found.said)), default=None),
        source_trace_id=next((said.trace_id for said in found.said if said.trace_id), None),
    )


def _union(one: Operation, facts: Sequence[Fact]) -> tuple[tuple[str, int], ...]:
    """All that it rests on: what was cited, and every source."""
    return tuple(dict.fromkeys((*one.evidence, *(("fact", fact.id) for fact in facts))))


def _reason(text: str, scene: Scene, found: _Found) -> str:
    """One line for a person. Of a model's only what its own sources bear out: it may repeat what it read elsewhere."""
    line = one_line(text).strip()[:500]
    if scene.run.engine == "rules" or not line:
        return line
    sources = (*(fact.content for fact in found.facts), *found.quotes, *(said.text for said in found.said))
    return "" if screen(line).flags & {"secret", "injection"} or invents(line, sources) else line
