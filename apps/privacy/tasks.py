"""The sweep that carries approved requests on."""

from celery import shared_task

from apps.privacy.actions.carry_out import carry_out
from apps.privacy.actions.expire_packages import expire_packages
from apps.privacy.actions.note_overdue import note_overdue as note
from apps.privacy.actions.purge_old import purge_old as purge
from apps.privacy.claims import claim_requests
from apps.privacy.erasure_log import write_log


@shared_task(name="privacy.sweep", time_limit=900)
def sweep() -> int:
    """One request after another until none is left to carry on, and what was forgotten one by one into the log; a lost or
    doubled message changes nothing."""
    write_log()
    expire_packages()
    done = 0
    while claims := claim_requests():
        for claim in claims:
            carry_out(claim)
            done += 1
    return done


@shared_task(name="privacy.purge_old")
def purge_old() -> int:
    """What the projects no longer want to keep; how many projects had something."""
    return len(purge())


@shared_task(name="privacy.note_overdue")
def note_overdue() -> int:
    """Record which requests are past their date."""
    return note()
