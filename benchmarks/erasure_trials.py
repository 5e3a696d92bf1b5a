"""Erasures by the thousand, for `erasure.py`: beside extractions in flight, among people of nearly the same id, and with
workers that are killed. The suite does each a few times."""

import random
from typing import Any

STORES_AT_LEAST = 12
SHOWN_EVERY = 10


def trials(board: Any, options: Any) -> None:
    """Those that were asked for, each in a project of its own."""
    from django.conf import settings

    # The rules themselves, with no vectors: what is measured is who writes when.
    settings.EMBEDDER = "none"
    if options.races:
        races(board, options.races, options.seed)
    if options.subjects:
        subjects(board, options.subjects, options.seed)
    # Last, since it leaves conversations that a worker would take up.
    if options.kills:
        kills(board)


def races(board: Any, count: int, seed: int, people: int = 10) -> None:
    """Somebody is erased while an extraction of hers waits for a model, so many times: rows written afterwards."""
    from apps.core.transactions import bind
    from apps.curation.models import Proposal
    from apps.privacy.models import PrivacyRequest
    from tests.privacy.races import BYSTANDER, left_of, race
    from tests.privacy.stage import officer

    project, chance = started("races"), random.Random(seed)
    officers = officer(project), officer(project)
    names: list[str] = []
    written = 0
    for turn in range(-(-count // people)):
        here = race(project, str(turn), min(people, count - len(names)), chance, officers)
        names += here
        written += sum(left_of(project, *here))
        if turn % SHOWN_EVERY == 0:
            print(f"    {len(names):,} races, {written} rows written afterwards", flush=True)
    with bind(project.id):
        done = PrivacyRequest.objects.filter(state="completed").count()
        learned = Proposal.objects.filter(scope_id=BYSTANDER).exists()
    board.note("races of an erasure and an extraction at its model", len(names))
    board.at_least("erasures of them that were completed", done, len(names))
    board.at_most("rows of an erased person written afterwards", written + sum(left_of(project, *names)), 0)
    board.check("somebody else was learned meanwhile", learned)


def subjects(board: Any, count: int, seed: int) -> None:
    """So many people of nearly the same ids, one after another: rows of others that changed."""
    from tests.factories import make_agent
    from tests.privacy.exactness import digests, people_alike
    from tests.privacy.stage import approved, fresh, officer, work

    project, chance = started("subjects"), random.Random(seed)
    officers = officer(project), officer(project)
    numbers = people_alike(project, count + count // 5, chance, make_agent(project, "other"))
    gone: list[int] = []
    changed = wrong = unfinished = 0
    for turn, name in enumerate(chance.sample(sorted(numbers), count)):
        gone.append(numbers[name])
        before = digests(project, gone)
        request = approved(project, name, officers=officers)
        unfinished += work(project) != ["completed"]
        done = fresh(request)
        wrong += done.preview["reasons"] != {"direct": done.progress["erased"]["facts"]}
        after = digests(project, gone)
        changed += sum(before[table] != after[table] for table in before)
        if turn % (10 * SHOWN_EVERY) == 0:
            print(f"    {turn + 1:,} erased, {changed} tables of others changed", flush=True)
    board.note("people erased among neighbours of nearly their id", len(gone))
    board.at_most("tables in which a row of somebody else changed", changed, 0)
    board.at_most("previews that showed another person's facts", wrong, 0)
    board.at_most("erasures that did not end", unfinished, 0)


def kills(board: Any) -> None:
    """A worker is killed with the transaction of each step open: receipts that are not those of an undisturbed one."""
    from tests.privacy.races import killed_at
    from tests.privacy.stage import officer

    project = started("kills")
    officers = officer(project), officer(project)
    undisturbed = killed_at(project, "", officers, furnished=True)
    stores = [store for store, rows in undisturbed[0].items() if rows]
    steps = ["suppressing", "erasing", *stores, "verifying", "receipt"]
    differing = [step for step in steps if killed_at(project, step, officers, furnished=True) != undisturbed]
    board.at_least("stores in whose deletion a worker was killed", len(stores), STORES_AT_LEAST)
    board.note("steps at which a worker was killed", len(steps))
    board.at_most("receipts that differ from an undisturbed one's", len(differing), 0)


def started(slug: str) -> Any:
    from tests.factories import make_agent, make_project

    project = make_project(slug)
    make_agent(project, "support")
    return project
