"""By which address the tries of a request are counted."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.http import HttpRequest

from apps.core import address


def client_address(request: HttpRequest) -> str:
    """As `core.address` knows it, or else the connection's own; of an IPv6 address its /64 network, since whoever has one
    address of it has all of them."""
    said = address.client_address(request.META) or request.META.get("REMOTE_ADDR", "")
    try:
        found = ip_address(said)
    except ValueError:
        return "unknown"
    if isinstance(found, IPv6Address):
        return str(ip_network(f"{IPv6Address(int(found))}/64", strict=False).network_address)
    return str(found)
