"""What is made of lines that say something new: proposals, or facts at an administrator's word."""

from collections import Counter
from dataclasses import replace

from django.db.models import JSONField, Value

from apps.access.actions.register_agent import register_agent
from apps.access.actor import Actor
from apps.core.failpoints import reached
from apps.curation.actions.propose import propose
from apps.curation.locks import lock_places
from apps.curation.models import Proposal, WaitingWrite
from apps.curation.wishes import Proposed, Wish
from apps.curation.writing import columns_of
from apps.exchange.judging import Judged, going, weigh
from apps.exchange.lineage import Lineage
from apps.exchange.models import Import
from apps.facts.append import Origin, Placed, Row, append_facts
from apps.facts.keyed import Slot
from apps.tenancy.actions.resolve_subject import resolve_subjects
from apps.traces.models import Trace


def write(actor: Actor, upload: Import, judged: list[Judged]) -> tuple[Counter[str], list[int]]:
    """Make what is new of them: how many became what, and ids of the conflicts that this opened. The project is bound, the
    lines are locked."""
    lock_places(upload.project_id, sorted({one.place for one in going(judged)}))
    weigh(upload, judged)
    _meet_agents(actor, upload, judged)
    _meet_subjects(upload.project_id, judged)
    rest = going(judged)
    traces = _traces(upload.project_id, rest)
    counts = Counter(one.outcome for one in judged if one.outcome not in {"new", "held"})
    if upload.direct:
        counts += _append(upload, judged, traces)
    # What the policy holds waits for a person whatever an administrator said about the rest.
    waiting = [one for one in rest if not upload.direct or one.outcome == "held"]
    wishes = [_wish(upload, one, traces) for one in waiting if one.is_plain]
    done = propose(actor=actor, project_id=upload.project_id, origin="import", wishes=wishes, max_learned=None)
    counts += _proposed(done)
    for one in waiting:
        if not one.is_plain:
            _draft(actor, _wish(upload, one, traces), one)
            counts["new"] += 1
            counts["held"] += one.outcome == "held"
    return counts, done.conflicts


def _append(upload: Import, judged: list[Judged], traces: set[str]) -> Counter[str]:
    """Told from now on, all at once. What is derived from others is believed no more than they are."""
    lineage = Lineage(upload.project_id, judged)
    some = [one for one in judged if one.outcome == "new"]
    rows = [lineage.capped(one, _row(upload, one, traces)) for one in some]
    done = append_facts(project_id=upload.project_id, rows=rows, approved_by=upload.started_by)
    reached("import.made")
    for one, (fact_id, _) in zip(some, done, strict=True):
        one.fact_id = fact_id
    lineage.keep([one for one, (_, created) in zip(some, done, strict=True) if created])
    return Counter("new" if created else "known" for _, created in done)


def _row(upload: Import, one: Judged, traces: set[str]) -> Row:
    said = one.said
    assert said is not None
    return Row(
        one.statement,
        Placed(one.scope_id, one.agent.id if one.agent else None, one.subject.id if one.subject else None),
        Origin(
            source="import",
            speaker=said.speaker,
            trust=said.trust,
            # Of what has no date nobody knows better.
            observed_at=said.observed_at or upload.created_at,
            source_trace_id=said.source_trace_id if said.source_trace_id in traces else None,
        ),
        Slot(label=said.label, key=said.key, value=said.value),
        retired=said.closed,
    )


def _proposed(done: Proposed) -> Counter[str]:
    counts: Counter[str] = Counter()
    for outcome in done.outcomes:
        if outcome.kind in {"proposed", "held"}:
            counts["new"] += 1
            counts["held"] += outcome.kind == "held"
        else:
            counts["suppressed" if outcome.rule == "forgotten" else "known"] += 1
    return counts


def _draft(actor: Actor, wish: Wish, one: Judged) -> None:
    """A proposal in a slot of its own, or of what is told through one agent or for some purposes alone: nothing elsewhere
    says the same or contradicts it."""
    said = one.said
    assert said is not None
    proposal = Proposal.objects.create(
        project_id=one.line.project_id,
        op="add",
        origin="import",
        state="quarantined" if wish.held_by else "pending",
        scope=one.statement.scope,
        scope_id=one.scope_id,
        agent=one.agent,
        subject=one.subject,
        norm_hash=one.words,
        trust=wish.trust,
        speaker=wish.speaker,
        observed_at=wish.observed_at,
        flags=sorted(wish.all_flags),
        policy_rule=wish.policy_rule,
        source_trace_id=wish.source_trace_id,
        **columns_of(wish.statement),
    )
    WaitingWrite.objects.create(
        project_id=proposal.project_id,
        proposal=proposal,
        writer=actor.name,
        label=said.label,
        key=said.key,
        # A value that is null is JSON's, not the database's.
        value=None if said.key is None else Value(said.value, JSONField()),
        source="import",
    )


def _wish(upload: Import, one: Judged, traces: set[str]) -> Wish:
    said, statement = one.said, one.statement
    assert said is not None
    # A proposal has one end, and knows nothing of when it is to be forgotten.
    ends = min((end for end in (statement.valid_to, statement.expires_at) if end), default=None)
    special = one.outcome == "held" and not one.flags
    return Wish(
        statement=replace(statement, scope_id=one.scope_id, valid_to=ends, expires_at=None),
        agent=one.agent if statement.scope == "agent" else None,
        subject=one.subject,
        speaker=said.speaker,
        trust=said.trust,
        observed_at=said.observed_at or upload.created_at,
        policy_rule="special" if special else "imported",
        flags=one.flags,
        held=special,
        source_trace_id=said.source_trace_id if said.source_trace_id in traces else None,
    )


def _meet_agents(actor: Actor, upload: Import, judged: list[Judged]) -> None:
    """Write down the agents that nobody knows here; somebody who may do that said so when the import began."""
    made = {}
    for one in going(judged):
        name = one.agent_name
        if name and one.agent is None:
            if name not in made:
                made[name], _ = register_agent(actor=actor, project_id=upload.project_id, name=name)
            one.agent = made[name]
            if one.statement.scope == "agent":
                one.scope_id = one.agent.name


def _meet_subjects(project_id: int, judged: list[Judged]) -> None:
    unmet = [one for one in going(judged) if one.statement.scope == "user" and one.subject is None]
    made = resolve_subjects(project_id=project_id, external_ids={one.scope_id for one in unmet})
    for one in unmet:
        one.subject = made[one.scope_id]
        one.scope_id = one.subject.external_id


def _traces(project_id: int, rest: list[Judged]) -> set[str]:
    """Those that are here: a fact leads to no trace that is not."""
    wanted = {one.said.source_trace_id for one in rest if one.said and one.said.source_trace_id}
    return set(
        Trace.objects.filter(project_id=project_id, trace_id__in=wanted).values_list("trace_id", flat=True)
    ) if wanted else set()  # fmt: skip
