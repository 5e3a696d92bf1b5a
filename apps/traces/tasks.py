"""The screening of spans that took too long when they arrived."""

from celery import shared_task

from apps.traces.actions.screen_sealed import screen_sealed as screen


@shared_task(name="traces.screen_sealed")
def screen_sealed() -> int:
    return screen()
