"""Erasures by the thousand, for `erasure.py`: beside extractions in flight, among people of nearly the same id, and with
workers that are killed. The suite does each a few times.

With ``--control`` each is done with what it proves taken away, and has to be seen to fail: neither the subject's epoch nor
tombstones bar what an extraction writes late (the erasure deletes it in the end, by its second look and by foreign keys, but
it was there and could be told); somebody's facts are found by an id that has hers
in it, in any case; a batch and its count are two transactions.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STORES_AT_LEAST = 12
SHOWN_EVERY = 10
BLOCK = 100
"""People of one project: its audit chain is verified with each erasure, so that a thousand in one cost their square."""
UNFENCED = """
CREATE FUNCTION unfenced() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.epoch := OLD.epoch; NEW.suppressed_at := OLD.suppressed_at; RETURN NEW; END $$;
CREATE TRIGGER unfenced BEFORE UPDATE ON tenancy_subject FOR EACH ROW EXECUTE FUNCTION unfenced();
CREATE FUNCTION unburied() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER unburied BEFORE INSERT ON tenancy_tombstone FOR EACH ROW EXECUTE FUNCTION unburied();
"""
FENCED = "DROP TRIGGER unfenced ON tenancy_subject; DROP TRIGGER unburied ON tenancy_tombstone"


def trials(board: Any, options: Any) -> None:
    """Those that were asked for, in projects of their own."""
    from django.conf import settings

    # The rules themselves, with no vectors: what is measured is who writes when.
    settings.EMBEDDER = "none"
    if options.races:
        with unfenced(options.control):
            races(board, options.races, options.seed)
    if options.subjects:
        with loosely(options.control):
            subjects(board, options.subjects, options.seed)
    # Last, since it leaves conversations that a worker would take up.
    if options.kills:
        kills(board, apart=options.control)


def races(board: Any, count: int, seed: int, people: int = 10) -> None:
    """Somebody is erased while an extraction of hers waits for a model, so many times: rows written afterwards."""
    from apps.core.transactions import bind
    from apps.curation.models import Proposal
    from apps.privacy.models import PrivacyRequest
    from tests.privacy.races import BYSTANDER, left_of, race
    from tests.privacy.stage import officer

    chance, begun = random.Random(seed), time.monotonic()
    raced = done = written = 0
    learned = True
    for block in range(-(-count // BLOCK)):
        project = started(f"races-{block}")
        officers = officer(project), officer(project)
        names: list[str] = []
        for turn in range(-(-min(BLOCK, count - raced) // people)):
            here, late = race(project, str(turn), min(people, count - raced - len(names)), chance, officers)
            names, written = names + here, written + late
        written += sum(left_of(project, *names))
        raced += len(names)
        with bind(project.id):
            done += PrivacyRequest.objects.filter(state="completed").count()
            learned = learned and Proposal.objects.filter(scope_id=BYSTANDER).exists()
        said = f"{raced:,} races, {done:,} completed, {written} rows written afterwards"
        print(f"    {said}, {time.monotonic() - begun:.0f} s", flush=True)
    board.note("races of an erasure and an extraction at its model", raced)
    board.at_least("erasures of them that were completed", done, raced)
    board.at_most("rows of an erased person written afterwards", written, 0)
    board.check("somebody else was learned meanwhile", learned)


def subjects(board: Any, count: int, seed: int) -> None:
    """So many people of nearly the same ids, one after another: rows of others that changed."""
    from tests.factories import make_agent
    from tests.privacy.exactness import digests, people_alike
    from tests.privacy.stage import approved, fresh, officer, work

    chance, begun = random.Random(seed), time.monotonic()
    erased = changed = wrong = unfinished = 0
    for block in range(-(-count // BLOCK)):
        project = started(f"subjects-{block}")
        officers = officer(project), officer(project)
        here = min(BLOCK, count - erased)
        numbers = people_alike(project, here + here // 5, chance, make_agent(project, "other"))
        gone: list[int] = []
        for name in chance.sample(sorted(numbers), here):
            gone.append(numbers[name])
            before = digests(project, gone)
            request = approved(project, name, officers=officers)
            unfinished += work(project) != ["completed"]
            done = fresh(request)
            erased += 1
            wrong += done.preview["reasons"] != {"direct": done.progress.get("erased", {}).get("facts")}
            after = digests(project, gone)
            changed += sum(before[table] != after[table] for table in before)
            if erased % SHOWN_EVERY == 0:
                said = f"{erased:,} erased, {changed} tables of others changed, {wrong} wrong previews"
                print(f"    {said}, {time.monotonic() - begun:.0f} s", flush=True)
    board.note("people erased among neighbours of nearly their id", erased)
    board.at_most("tables in which a row of somebody else changed", changed, 0)
    board.at_most("previews that showed another person's facts", wrong, 0)
    board.at_most("erasures that did not end", unfinished, 0)


def kills(board: Any, *, apart: bool) -> None:
    """A worker is killed with the transaction of each step open: receipts that are not those of an undisturbed one."""
    from tests.privacy.races import killed_at
    from tests.privacy.stage import officer

    project = started("kills")
    officers = officer(project), officer(project)
    undisturbed = killed_at(project, "", officers, furnished=True)
    stores = [store for store, rows in undisturbed[0].items() if rows]
    steps = ["suppressing", "erasing", *stores, "verifying", "receipt"]
    differing = []
    for step in steps:
        if killed_at(project, step, officers, furnished=True, apart=apart) != undisturbed:
            differing.append(step)
        print(f"    killed at {step}, {len(differing)} differing receipts", flush=True)
    board.at_least("stores in whose deletion a worker was killed", len(stores), STORES_AT_LEAST)
    board.note("steps at which a worker was killed", len(steps))
    board.at_most("receipts that differ from an undisturbed one's", len(differing), 0)


def started(slug: str) -> Any:
    from tests.factories import make_agent, make_project

    project = make_project(slug)
    make_agent(project, "support")
    return project


@contextmanager
def unfenced(control: bool) -> Iterator[None]:
    """Nothing bars what is written late."""
    if not control:
        yield
        return
    from django.db import connections

    with connections["owner"].cursor() as owner:
        owner.execute(UNFENCED)
        try:
            yield
        finally:
            owner.execute(FENCED)


@contextmanager
def loosely(control: bool) -> Iterator[None]:
    """Ids are looked for as parts of others, in any case."""
    if not control:
        yield
        return
    from apps.facts.models import Fact
    from apps.privacy import reach
    from apps.tenancy.models import Subject

    exactly = reach._facts

    def within(project_id: int, subject_id: int | None, *rest: Any) -> dict[int, str]:
        found = exactly(project_id, subject_id, *rest)
        name = Subject.objects.filter(id=subject_id).values_list("external_id", flat=True).first()
        rows = Fact.objects.in_project(project_id).filter(scope_id__icontains=name) if name else Fact.objects.none()
        return dict.fromkeys(rows.values_list("id", flat=True), "direct") | found

    reach._facts = within
    try:
        yield
    finally:
        reach._facts = exactly
