"""From where a key may be used, and how often."""

from collections.abc import Callable, Iterable

from apps.access.models import ApiKey
from apps.access.policies import Refused
from apps.core.address import lies_in, network
from apps.core.errors import FieldError, RateLimited
from apps.core.rates import spend

MOST_NETWORKS = 50
MOST_A_MINUTE = 100_000


def admit(key: ApiKey, address: Callable[[], str]) -> None:
    """Count one request of a live key; ``address`` says where it comes from, as `client_address` does, and is asked only
    where that matters. Raises Refused where the key may not be used from there, which counts for nothing, and RateLimited.
    """
    if key.ip_allow is not None and not lies_in(address(), key.ip_allow):
        raise Refused(key.actor, "keys.use", "This key may not be used from this address.", key.project_id)
    if key.rate_per_minute is not None:
        wait = spend(f"key:{key.project_id}:{key.id}", key.rate_per_minute)
        if wait:
            detail = f"This key may ask {key.rate_per_minute:,} times a minute."
            raise RateLimited("rate_limited", detail, retry_after=wait)


def rate_errors(rate: int | None) -> list[FieldError]:
    """What is wrong with a limit of so many requests a minute; None is no limit."""
    if rate is None or 1 <= rate <= MOST_A_MINUTE:
        return []
    return [FieldError("out_of_range", f"A limit is 1 to {MOST_A_MINUTE:,} a minute.", pointer="/rate_per_minute")]


def networks_of(given: Iterable[str] | None) -> tuple[list[str] | None, list[FieldError]]:
    """Addresses and networks in their plain spelling, each once, and what is wrong with them; None is everywhere."""
    if given is None:
        return None, []
    try:
        found = list(dict.fromkeys(network(one) for one in given))
    except ValueError:
        said = "Write addresses like 192.0.2.7 and networks like 10.1.0.0/16 or 2001:db8::/32."
        return None, [FieldError("not_a_network", said, pointer="/ip_allow")]
    if len(found) > MOST_NETWORKS:
        return None, [FieldError("too_many", f"At most {MOST_NETWORKS} networks.", pointer="/ip_allow")]
    return found, []
