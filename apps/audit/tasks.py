"""Walks over chains that somebody asked for and that take longer than a request may."""

from celery import shared_task

from apps.audit.actions.check_chains import check_chains as check


@shared_task(name="audit.check_chains")
def check_chains() -> int:
    return check()
