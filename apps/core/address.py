"""From which address a request comes, where proxies may stand before us."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

from django.conf import settings


def client_address(meta: Mapping[str, Any]) -> str:
    """The address that the outermost of our proxies saw, of a WSGI environment; empty when it can't be known.

    ``settings.TRUSTED_PROXIES`` says how many proxies stand before us, each of which adds to `X-Forwarded-For` whom it was asked
    by. What stands before their entries, the client may have written, so it is not read. A request with fewer entries did
    not come through all of them.
    """
    if not settings.TRUSTED_PROXIES:
        said = str(meta.get("REMOTE_ADDR") or "")
    else:
        entries = str(meta.get("HTTP_X_FORWARDED_FOR") or "").split(",")
        said = entries[-settings.TRUSTED_PROXIES] if len(entries) >= settings.TRUSTED_PROXIES else ""
    found = _address(said.strip())
    return str(found) if found else ""


def network(text: str) -> str:
    """The plain spelling of an address or a network in CIDR form. Raises ValueError for what is neither, and for a network
    with bits of a host: it may be meant otherwise."""
    return str(ip_network(text.strip()))


def lies_in(address: str, networks: Iterable[str]) -> bool:
    """Whether an address of `client_address` lies in one of these networks; an unknown one lies in none."""
    found = _address(address)
    return found is not None and any(found in one for one in _networks(tuple(networks)))


def kind_of(address: str) -> str:
    """The network around an address that still tells one place from another: 24 bits of IPv4, 48 of IPv6."""
    found = _address(address)
    if found is None:
        return ""
    return str(ip_network(f"{found}/{24 if found.version == 4 else 48}", strict=False))


@lru_cache(maxsize=1024)
def _networks(texts: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(ip_network(text) for text in texts)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    if isinstance(found, IPv6Address):
        # A server that listens on both sees IPv4 in the clothes of IPv6.
        return found.ipv4_mapped or IPv6Address(int(found))
    return found
