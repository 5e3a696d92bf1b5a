"""What the states and faults of webhooks are called."""

from dataclasses import dataclass

from apps.exchange.hooks import DELIVERED, EVENTS, GIVEN_UP, TEST, WAITING
from apps.exchange.models import Webhook, WebhookDelivery

STATE_LABELS = {WAITING: "Waiting", DELIVERED: "Delivered", GIVEN_UP: "Given up"}
OFF = {
    "person": "somebody switched it off",
    "gone": "its receiver answered 410 Gone",
    "failing": "twenty attempts in a row failed over an hour",
    "unreadable": "its secret can't be opened with the SECRET_KEY of now; make a new one",
}
ERRORS = {
    "timeout": "no answer in time",
    "unreachable": "no connection",
    "tls": "certificate not believed",
    "broken_off": "broken off",
    "unresolvable": "host not found",
    "address_refused": "address not allowed",
    "port_refused": "port not allowed",
    "https_only": "only https is allowed",
    "userinfo": "address not allowed",
    "not_an_address": "address not allowed",
}
EVENT_LABELS = EVENTS | {TEST: "A test"}


@dataclass(frozen=True)
class HookRow:
    """A webhook as the list shows it."""

    webhook: Webhook
    href: str
    off: str
    answer: str


@dataclass(frozen=True)
class DeliveryRow:
    """A message as the log shows it; ``again``: it may be sent once more."""

    delivery: WebhookDelivery
    label: str
    state: str
    about: str
    answer: str
    again: bool


def answer(status: int | None, error: str) -> str:
    """What came back last: a number, or why none came; empty where nothing was sent."""
    return str(status) if status is not None else ERRORS.get(error, error.replace("_", " "))


def off(webhook: Webhook) -> str:
    """Why nothing is sent, empty for one that is on."""
    return "" if webhook.enabled else OFF[webhook.disabled_for]


def delivery_row(delivery: WebhookDelivery, *, enabled: bool) -> DeliveryRow:
    return DeliveryRow(
        delivery,
        EVENT_LABELS[delivery.event],
        STATE_LABELS[delivery.state],
        f"{delivery.object_type.replace('_', ' ')} {delivery.object_id}",
        answer(delivery.last_status, delivery.last_error),
        enabled and not delivery.is_on_its_way,
    )
