"""Walks over chains that somebody asked for and that take longer than a request may; and the heads in a second place."""

from celery import shared_task

from apps.audit.actions.check_chains import check_chains as check
from apps.audit.heads import write_heads


@shared_task(name="audit.check_chains")
def check_chains() -> int:
    return check()


@shared_task(name="audit.sign_heads")
def sign_heads() -> int:
    return write_heads()
