"""From which address a request comes."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The address of whoever asks, for counting: an IPv4 address, or the /64 network of an IPv6 one.

    It is the connection's own. Only where the operator says how many proxies stand in front is `X-Forwarded-For` read,
    and of it only what the outermost of them wrote: what stands before that, a stranger may have sent.
    """
    said = request.META.get("REMOTE_ADDR", "")
    if settings.TRUSTED_PROXIES:
        chain = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        if len(chain) >= settings.TRUSTED_PROXIES and _plain(chain[-settings.TRUSTED_PROXIES]):
            said = chain[-settings.TRUSTED_PROXIES]
    return _plain(said) or "unknown"


def _plain(text: str) -> str:
    try:
        address = ip_address(text)
    except ValueError:
        return ""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        # Whoever has one address of it has all of them.
        return str(ip_network(f"{address.exploded.partition('%')[0]}/64", strict=False).network_address)
    return str(address)
