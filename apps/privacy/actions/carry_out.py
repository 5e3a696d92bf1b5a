"""Do what was approved: hide, erase, have purged, verify; each step resumable from the row alone."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import connection

from apps.access.actor import Actor, system_actor
from apps.access.policies import require
from apps.audit.actions.record import record
from apps.core.clock import now
from apps.core.errors import DomainError
from apps.core.transactions import bind, local_setting, unit
from apps.facts.models import Fact
from apps.privacy.claims import LEASE_SECONDS, Claimed, LeaseLost
from apps.privacy.erasure_log import write_log
from apps.privacy.fulfilment import correct, pack, restrict
from apps.privacy.models import PrivacyRequest, Purge
from apps.privacy.moves import move
from apps.privacy.preview import identifiers_of, reach_for, summary
from apps.privacy.reach import Reach
from apps.privacy.receipts import issue_receipt
from apps.privacy.recipients import told_to
from apps.privacy.snapshot import shingles_before
from apps.privacy.staff import accounts_named
from apps.privacy.states import WIPE
from apps.privacy.stores import BATCH, BY_NAME, STORES, counts
from apps.privacy.verification import Report, verify
from apps.privacy.wiping import WIPED, in_the_way, verify_wiped, wipe_batch, wipe_counts
from apps.tenancy.models import Project, Subject
from apps.tenancy.tombstones import bury, fact_digest, project_digest, subject_digest, trace_digest

CLOSING_SECONDS = 5
"""Between closing a project and emptying it."""
ROUNDS = 5
"""How often erasing looks again for what came in while it went on."""
MOST_ATTEMPTS = 8


def carry_out(claim: Claimed) -> str:
    """Go on with a claimed request until it has ended, waits for the purge (``waits``), or needs somebody; returns its state.

    A fault puts it off, eight times at most; then it needs attention. Nothing is done twice: each batch is counted in
    the transaction that deletes it.
    """
    actor = system_actor("privacy", claim.project_id)
    require(actor, "privacy.carry_out", project_id=claim.project_id)
    try:
        while (state := _step(claim, actor)) in {"suppressing", "erasing", "purging", "verifying"}:
            pass
    except LeaseLost:
        return "lost"
    except Exception as error:
        _put_off(claim, actor, type(error).__name__)
        raise
    return state


def _step(claim: Claimed, actor: Actor) -> str:
    with bind(claim.project_id):
        request = _held(claim)
        state = request.state
        if state == "suppressing":
            return _close(request, actor) if request.kind == WIPE else _suppress(claim, request, actor)
        if state == "purging":
            return _purge(request, actor)
        if state == "fulfilling":
            return _fulfil(request, actor)
    if state == "erasing":
        return _erase(claim, actor)
    if state == "verifying":
        return _verify(claim, actor)
    return state


def _held(claim: Claimed) -> PrivacyRequest:
    found = (
        PrivacyRequest.objects.select_for_update()
        .filter(project_id=claim.project_id, id=claim.request_id, lease_token=claim.lease_token)
        .first()
    )
    if found is None:
        raise LeaseLost
    found.lease_until = now() + timedelta(seconds=LEASE_SECONDS)
    found.save(update_fields=["lease_until"])
    return found


def _fulfil(request: PrivacyRequest, actor: Actor) -> str:
    freed = {"lease_until": None, "lease_token": None, "not_before": None}
    try:
        with unit():
            match request.kind:
                case "correction":
                    done = correct(request, actor)
                case "restriction":
                    done = restrict(request, actor)
                case _:
                    done = pack(request)
    except DomainError as error:
        # Trying again would meet the same: somebody has to look.
        move(request, "needs_attention", actor=actor, stopped_in="fulfilling", error_code=error.code, **freed)
        return "needs_attention"
    move(request, "completed", actor=actor, progress=done, error_code="", stopped_in="", data=done, **freed)
    issue_receipt(request, Reach(request.subject_id))
    return "completed"


def _suppress(claim: Claimed, request: PrivacyRequest, actor: Actor) -> str:
    """One transaction: nobody is told any more, work in flight is fenced off, and it can't come back."""
    project_id, also = request.project_id, request.preview.get("also", [])
    if request.subject_id is not None:
        # First, as an extraction takes it: whatever it was about to write is written before, and seen below.
        Subject.objects.select_for_update().get(project_id=project_id, id=request.subject_id)
    reach = reach_for(request, also)
    if reach.digest() != bytes(request.approved_digest or b""):
        move(
            request,
            "previewed",
            actor=actor,
            preview=summary(request, reach, also),
            preview_digest=reach.digest(),
            previewed_at=now(),
            approved_by="",
            approved_at=None,
            approved_digest=None,
            error_code="set_changed",
            lease_until=None,
            lease_token=None,
        )
        return "previewed"
    at, permanent = now(), request.kind == "objection"
    facts = Fact.objects.in_project(project_id).filter(id__in=list(reach.facts))
    digests = {fact_digest(project_id, *row) for row in facts.values_list("scope", "scope_id", "content")}
    names = [item.value for item in identifiers_of(request) if item.kind in {"user_id", "alias"}]
    bury(
        project_id,
        "subject",
        {subject_digest(project_id, "user", name) for name in names},
        until=at,
        permanent=permanent,
    )
    bury(project_id, "fact", digests, until=at)
    bury(project_id, "trace", {trace_digest(project_id, trace_id) for trace_id in reach.traces}, until=at)
    if request.subject_id is not None:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE tenancy_subject SET suppressed_at = coalesce(suppressed_at, %s), epoch = epoch + 1"
                " WHERE project_id = %s AND id = %s",
                [at, project_id, request.subject_id],
            )
    facts.filter(restricted_at=None).order_by("id").update(restricted_at=at, restricted_reason="erasure")
    before = counts(project_id, reach)
    move(
        request,
        "erasing",
        actor=actor,
        suppressed_at=at,
        progress={
            "before": before,
            "erased": dict.fromkeys(before, 0),
            "shared": len(reach.shared),
            "subject": request.subject_id,
        },
        data={"facts": len(reach.facts), "matched": sum(before.values())},
    )
    return "erasing"


def _close(request: PrivacyRequest, actor: Actor) -> str:
    """Of a wipe: from this transaction on no key works and no member sees or changes anything. What had begun before ends
    before it, or finds nothing left to write to."""
    freed = {"lease_until": None, "lease_token": None}
    project_id = request.project_id
    # Every row that is being written holds a share of the project's own, by its foreign key: wait for these to end.
    Project.objects.select_for_update().get(id=project_id)
    if why := in_the_way(project_id):
        move(request, "needs_attention", actor=actor, stopped_in="suppressing", error_code=why, **freed)
        return "needs_attention"
    at = now()
    Project.objects.filter(id=project_id).update(closed_at=at)
    bury(project_id, "project", {project_digest(project_id)}, until=at)
    before = wipe_counts(project_id, capped=False)
    move(
        request,
        "erasing",
        actor=actor,
        suppressed_at=at,
        progress={"before": before, "erased": dict.fromkeys(before, 0)},
        # A process knows a key for some seconds, and may have begun to write with it.
        not_before=at + timedelta(seconds=CLOSING_SECONDS),
        data={"matched": sum(before.values())},
        **freed,
    )
    return "closed"


def _erase(claim: Claimed, actor: Actor) -> str:
    # Outside the database before anything is destroyed inside it.
    write_log()
    with bind(claim.project_id):
        kind = _held(claim).kind
    if kind == WIPE:
        _erase_everything(claim)
    else:
        _erase_person(claim)
    with bind(claim.project_id):
        request = _held(claim)
        purge = Purge.objects.create(requested_at=now())
        request.progress["purge"] = purge.id
        move(
            request,
            "purging",
            actor=actor,
            progress=request.progress,
            data={"erased": request.progress["erased"]},
        )
    return "purging" if settings.PURGE_WAITS else _skip_purge(claim, actor)


def _erase_everything(claim: Claimed) -> None:
    for _ in range(ROUNDS):
        gone = 0
        for one in WIPED:
            while count := _erase_batch(claim, one.name, partial(wipe_batch, claim.project_id, one)):
                gone += count
        if not gone:
            break


def _erase_batch(claim: Claimed, name: str, erase: Callable[[], int]) -> int:
    with bind(claim.project_id), local_setting("app.erasing", f"request:{claim.request_id}"):
        count = erase()
        _counted(claim, name, count)
    return count


def _erase_person(claim: Claimed) -> None:
    for turn in range(ROUNDS):
        with bind(claim.project_id):
            request = _held(claim)
            reach = reach_for(request, request.preview.get("also", []))
            if "recipients" not in request.progress:
                # While the ledger still says it; agents keep what they were told until they ask again.
                request.progress["recipients"] = told_to(claim.project_id, reach.facts)
                request.save(update_fields=["progress"])
        if turn == 0:
            # Before the first batch goes, and in a transaction of its own, since it reads what everybody said.
            with bind(claim.project_id):
                claim.shingles = shingles_before(claim.project_id, reach)
        left = 0
        # The person's own row is last of all, when nothing more is found that leads to it.
        for store in STORES[:-2]:
            left += _erase_store(claim, store.name, reach)
        if not left:
            break
    for store in STORES[-2:]:
        _erase_store(claim, store.name, reach)


def _erase_store(claim: Claimed, name: str, reach: Reach) -> int:
    """Delete a store's rows in batches; returns how many went."""
    store, gone = BY_NAME[name], 0
    ids = list(store.ids(reach))
    for start in range(0, len(ids), BATCH):
        some = ids[start : start + BATCH]
        gone += _erase_batch(claim, name, partial(store.erase, claim.project_id, some))
    return gone


def _counted(claim: Claimed, name: str, count: int) -> None:
    """Last in the batch's transaction: the count, the lease, and the fence. Who was paused beyond his lease deletes nothing."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE privacy_privacyrequest SET lease_until = clock_timestamp() + make_interval(secs => %(lease)s),"
            " progress = jsonb_set(progress, ARRAY['erased', %(store)s],"
            "   to_jsonb(coalesce((progress #>> ARRAY['erased', %(store)s])::int, 0) + %(count)s))"
            " WHERE project_id = %(project)s AND id = %(id)s AND lease_token = %(token)s AND state = 'erasing'",
            {
                "lease": LEASE_SECONDS,
                "store": name,
                "count": count,
                "project": claim.project_id,
                "id": claim.request_id,
                "token": claim.lease_token,
            },
        )
        if not cursor.rowcount:
            raise LeaseLost


def _purge(request: PrivacyRequest, actor: Actor) -> str:
    """Wait for the owner's process, which alone may rewrite tables; look again in a while."""
    purge = Purge.objects.get(id=request.progress["purge"])
    if purge.finished_at is None:
        request.not_before, request.lease_until, request.lease_token = now() + timedelta(seconds=5), None, None
        request.attempts = 0
        request.save(update_fields=["not_before", "lease_until", "lease_token", "attempts"])
        return "waits"
    request.progress["purged"] = purge.report
    if purge.failed:
        move(
            request,
            "needs_attention",
            actor=actor,
            progress=request.progress,
            stopped_in="purging",
            error_code="purge_failed",
            lease_until=None,
            lease_token=None,
        )
        return "needs_attention"
    move(request, "verifying", actor=actor, progress=request.progress)
    return "verifying"


def _skip_purge(claim: Claimed, actor: Actor) -> str:
    with bind(claim.project_id):
        request = _held(claim)
        request.progress["purged"] = {"not_checked": ["table files and write-ahead log: nothing writes them over here"]}
        move(request, "verifying", actor=actor, progress=request.progress)
    return "verifying"


def _verify(claim: Claimed, actor: Actor) -> str:
    with bind(claim.project_id):
        request = _held(claim)
        if request.kind == WIPE:
            return _conclude(request, verify_wiped(claim.project_id), Reach(None), actor)
        identifiers = identifiers_of(request)
        reach = reach_for(request, request.preview.get("also", []))
        report = verify(claim.project_id, reach, identifiers, claim.shingles, accounts=[*map(int, request.accounts)])
        if not claim.shingles:
            report.not_checked.append("pieces of the erased texts: there were none, or another process erased them")
        return _conclude(request, report, reach, actor)


def _conclude(request: PrivacyRequest, report: Report, reach: Reach, actor: Actor) -> str:
    freed = {"lease_until": None, "lease_token": None, "not_before": None}
    if report.hits:
        move(
            request,
            "needs_attention",
            actor=actor,
            preview=request.preview | {"staff": accounts_named(identifiers_of(request))},
            verification=report.as_dict(),
            residue=report.hits,
            stopped_in="verifying",
            error_code="residue",
            data={"hits": report.hits},
            **freed,
        )
        return "needs_attention"
    kept = bool(reach.held or reach.excepted or reach.held_traces or request.accounts)
    state = "completed_with_exceptions" if kept else "completed"
    move(
        request,
        state,
        actor=actor,
        verification=report.as_dict(),
        residue=0,
        error_code="",
        stopped_in="",
        data={"erased": request.progress.get("erased", {})},
        **freed,
    )
    issue_receipt(request, reach)
    return state


def _put_off(claim: Claimed, actor: Actor, code: str) -> None:
    """After a fault: later again, or, after eight, somebody has to look. The fault itself goes on to the log."""
    with bind(claim.project_id):
        request = (
            PrivacyRequest.objects.select_for_update()
            .filter(id=claim.request_id, lease_token=claim.lease_token)
            .first()
        )
        if request is None:
            return
        if request.attempts >= MOST_ATTEMPTS:
            move(
                request,
                "needs_attention",
                actor=actor,
                stopped_in=request.state,
                error_code=code[:60],
                lease_until=None,
                lease_token=None,
            )
            return
        request.not_before = now() + timedelta(seconds=min(300, 5 * 2**request.attempts))
        request.lease_until, request.lease_token, request.error_code = None, None, code[:60]
        request.save(update_fields=["not_before", "lease_until", "lease_token", "error_code"])
        record(
            actor=actor,
            verb="privacy.put_off",
            object_type="privacy_request",
            object_id=request.id,
            data={"state": request.state, "error": code[:60], "attempts": request.attempts},
        )
