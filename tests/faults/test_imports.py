"""Workers that die at any point of an import, two that carry the same one on, and people who are erased while it runs.

`KILLS` and `RACES` say how many of each.
"""

import random
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.db.models import Q

from apps.access.actor import Actor
from apps.audit.models import AuditEvent
from apps.audit.queries import verify_chain
from apps.core.clock import now
from apps.core.transactions import bind
from apps.curation.models import Proposal
from apps.exchange.actions.start_import import start_import
from apps.exchange.actions.work_import import work_import
from apps.exchange.leases import claim_import
from apps.exchange.models import Import, ImportLine
from apps.facts.models import Fact, FactDerivation
from apps.privacy.actions.approve_request import approve_request, submit_request
from apps.privacy.actions.preview_request import preview_request
from apps.privacy.models import PrivacyRequest
from apps.tenancy.models import Project, Subject
from tests.exchange.stage import as_file, checked, counts, fresh, line, reasons, uploaded
from tests.factories import make_agent, make_fact, make_project, user_actor
from tests.faults.killing import killing
from tests.faults.scale import report, scaled
from tests.privacy.stage import approved, officer, work
from tests.privacy.stage import fresh as fresh_request

KILLS = scaled("KILLS", 10, 100)
RACES = scaled("RACES", 4, 50)
BATCH = 7
STEPS = ["begun", "read", "made", "written", "before-commit", "committed"]

WORK = f"""
from apps.exchange.actions.work_import import work_import
from apps.exchange.leases import claim_import

def work(project, upload, point):
    claim = claim_import(project_id=project, import_id=upload)
    if claim:
        work_import(claim=claim, seconds=600, most={BATCH})
"""


@pytest.fixture
def project(fresh_db: str, settings: Any) -> Project:
    settings.PURGE_WAITS = False
    return make_project("acme")


@pytest.fixture
def killer(fresh_db: str) -> Iterator[Callable[..., int]]:
    with killing(WORK) as job:
        yield job


def rows(number: int) -> bytes:
    """Thirty lines: new ones, each fifth made of the one before, one twice, a refused one, and of users whom nobody knows yet."""
    lines = [
        line(
            f"Fact {n} of file {number}.",
            "user",
            f"user-{number}-{n % 3}",
            id=n + 1,
            derived_from=[n] if n % 5 == 4 else [],
        )
        for n in range(26)
    ]
    return as_file(
        *lines,
        lines[3],
        line("Unsure.", confidence=2),
        line(f"Told by {number}.", "agent", "support"),
        line("", "user"),
    )


def test_killed_at_any_point_the_result_is_the_same(project: Project, killer: Callable[..., int]) -> None:
    make_agent(project, "support")
    chance = random.Random(23)
    points = [(f"import.{STEPS[n % len(STEPS)]}", chance.randrange(1, 4)) for n in range(KILLS)]
    for number, (point, after) in enumerate(points):
        direct = number % 3 > 0 or point == "import.made"
        upload = checked(project, rows(number), direct=direct, most=BATCH)
        assert upload.forecast == counts(27, known=1, refused=2)
        start_import(actor=user_actor(project, "curator", "admin"), project_id=project.id, import_id=upload.id)
        assert killer(upload, point, after) == signal.SIGKILL, point
        half = fresh(upload)
        assert half.state == "running" and half.position < half.last_line, point
        with bind(project.id):
            assert Import.objects.filter(id=upload.id).update(lease_until=now() - timedelta(seconds=1)) == 1
        assert killer(upload) == 0, point
        done = fresh(upload)
        assert (done.state, done.counts, reasons(done)) == (
            "done", counts(27, known=1, refused=2), [(28, "out_of_range"), (30, "blank")],
        ), point  # fmt: skip
        with bind(project.id):
            found = Fact if direct else Proposal
            assert found.objects.filter(content__endswith=f"of file {number}.").count() == 26, point
            pairs = FactDerivation.objects.filter(child__content__endswith=f"of file {number}.")
            assert sorted(
                int(child.split()[1]) - int(parent.split()[1])
                for child, parent in pairs.values_list("child__content", "parent__content")
            ) == ([1] * 5 if direct else []), point
            batches = AuditEvent.objects.filter(project_id=project.id, verb="imports.batch", object_id=str(upload.id))
            assert [event.data["upto"] for event in batches.order_by("seq")] == [7, 14, 21, 28, 30], point
    with bind(project.id):
        assert verify_chain(project.id).broken_at is None
    report("imports killed at named points", kills=KILLS, lost=0, doubled=0, chain="valid")


def test_a_place_that_nobody_gets_past_ends_the_import(project: Project, killer: Callable[..., int]) -> None:
    upload = checked(project, as_file(*(line(f"Fact {n}.") for n in range(20))), direct=True)
    start_import(actor=user_actor(project, "admin"), project_id=project.id, import_id=upload.id)
    for attempt in range(5):
        assert killer(upload, "import.made", 0 if attempt else 1) == signal.SIGKILL
        with bind(project.id):
            Import.objects.filter(id=upload.id).update(lease_until=now() - timedelta(seconds=1))
    assert killer(upload) == 0
    upload = fresh(upload)
    assert (upload.state, upload.error_code, upload.position, upload.counts) == ("failed", "gave_up", 7, counts(7))
    with bind(project.id):
        assert Fact.objects.count() == 7


def carry(upload: Import) -> None:
    try:
        for _ in range(50):
            claim = claim_import(project_id=upload.project_id, import_id=upload.id)
            if claim is not None:
                work_import(claim=claim, seconds=0, most=BATCH)
            elif not fresh(upload).is_working:
                return
    finally:
        connections.close_all()


def test_two_workers_and_two_files_that_say_the_same(project: Project) -> None:
    make_agent(project, "support")
    for number in range(RACES):
        pair = [checked(project, rows(number), direct=True) for _ in range(2)]
        for upload in pair:
            start_import(actor=user_actor(project, "admin"), project_id=project.id, import_id=upload.id)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(carry, pair * 2))
        done = [fresh(upload) for upload in pair]
        assert [one.state for one in done] == ["done", "done"]
        assert sum(one.counts["new"] for one in done) == 27
        with bind(project.id):
            assert Fact.objects.filter(content__endswith=f"of file {number}.").count() == 26


def test_of_somebody_erased_while_her_file_comes_in_nothing_stays(project: Project) -> None:
    """The erasure begins before, among and after the batches that hold her lines. What came in after it was approved makes
    it one to approve anew."""
    chance = random.Random(7)
    officers = officer(project), officer(project)
    for number in range(RACES):
        name = f"person-{number}-lovelace"
        make_fact(project, "Prefers tea", user=name)
        others = [line(f"Fact {n} of others, {number}.") for n in range(chance.randrange(40))]
        said = [line(f"Fact {n} of her.", "user", name) for n in range(20)]
        named = [line(f"Ask {name} about key {n}.") for n in range(20)]
        upload = checked(project, as_file(*others, *said, *named), direct=number % 2 == 0)
        waiting = uploaded(project, as_file(*said))
        start_import(actor=user_actor(project, "curator", "admin"), project_id=project.id, import_id=upload.id)
        request = approved(project, name, officers=officers)
        with ThreadPoolExecutor(2) as pool:
            running = [pool.submit(carry, upload), pool.submit(erase, project)]
            for one in running:
                one.result(120)
        carry(upload)
        if fresh_request(request).state == "previewed":
            approve_anew(project, request, name, officers)
        erase(project)
        assert fresh_request(request).state == "completed", number
        with bind(project.id):
            assert not Fact.objects.filter(Q(content__contains=name) | Q(scope_id=name)).exists()
            assert not Proposal.objects.filter(Q(content__contains=name) | Q(scope_id=name)).exists()
            assert not Subject.objects.filter(external_id=name).exists()
            left = ImportLine.objects.filter(upload__in=[upload, waiting], record__isnull=False)
            assert left.count() == len(others)


def approve_anew(project: Project, request: PrivacyRequest, name: str, officers: tuple[Actor, Actor]) -> None:
    first, second = officers
    who = {"project_id": project.id, "request_id": request.id}
    _, reach = preview_request(actor=first, **who)
    digest = reach.digest().hex()
    submit_request(actor=first, digest=digest, typed_id=name, **who)
    approve_request(actor=second, digest=digest, typed_id=name, **who)


def erase(project: Project) -> None:
    try:
        while work(project):
            pass
    finally:
        connections["default"].close()
