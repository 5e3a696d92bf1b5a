"""Where a webhook may go: addresses of the internet alone, unless the operator named the host.

A name is looked up once, every address it has is looked at, and the caller connects to one of these: a name that is answered
differently a moment later leads nowhere else.
"""

import re
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from django.conf import settings

LONGEST = 2_000
PORTS = {"https": 443, "http": 80}
# Forms of an IPv6 address that carry an IPv4 one, with the bits below it: what they lead to is what counts.
CARRIERS = [(IPv6Network("::ffff:0:0/96"), 0), (IPv6Network("64:ff9b::/96"), 0), (IPv6Network("2002::/16"), 80), (IPv6Network("::/96"), 0)]  # fmt: skip
# Protocol assignments, translators, tunnels through servers that anybody runs, and site-local addresses: not every Python
# knows that these are not of the open internet.
CLOSED = [IPv6Network("64:ff9b:1::/48"), IPv6Network("2001::/23"), IPv6Network("fec0::/10")]
RESERVED = [IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24")]


class AddressRefused(Exception):
    """It is not called. ``code`` is stable, ``detail`` a sentence for the person who named the address; neither repeats what
    a name led to."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code)
        self.code, self.detail = code, detail


@dataclass(frozen=True)
class Target:
    """``address`` is what is connected to; ``url`` and ``host`` say who is asked there."""

    url: str
    host: str
    port: int
    address: str


def checked_target(url: str) -> Target:
    """Look at an address and at everything its host's name leads to. Raises AddressRefused.

    https to port 443 of a public address. A host that stands in MEMORYPLANE_WEBHOOK_HOSTS may be asked by http too and have
    any address; one that stands there with a port, on that port.
    """
    scheme, host, port = _parts(url)
    named = {_listed(entry) for entry in settings.WEBHOOK_HOSTS}
    ours = (host, None) in named or (host, port) in named
    if scheme == "http" and not ours:
        raise AddressRefused("https_only", "The address must begin with https://.")
    if port not in ({443} if not ours else set(PORTS.values())) and (host, port) not in named:
        raise AddressRefused("port_refused", "Only port 443 is allowed; the operator can name others.")
    addresses = _resolved(host, port)
    if not ours and not all(is_public(address) for address in addresses):
        raise AddressRefused("address_refused", "This host leads into a private network; the operator can allow it.")
    return Target(url, host, port, str(addresses[0]))


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether it lies in the open internet, and so does whatever IPv4 address it carries."""
    if isinstance(address, IPv6Address):
        if address.scope_id or any(address in net for net in CLOSED):
            return False
        for net, shift in CARRIERS:
            if address in net:
                return is_public(IPv4Address(int(address) >> shift & 0xFFFFFFFF))
    elif any(address in net for net in RESERVED):
        return False
    return address.is_global and not (
        address.is_multicast
        or address.is_reserved
        or address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_unspecified
    )


def _parts(url: str) -> tuple[str, str, int]:
    """Scheme, host and port. What a lenient reader might take for another host than we do is refused."""
    bad = AddressRefused("not_an_address", "This is no address of the form https://host/path.")
    if len(url) > LONGEST or not url.isascii() or re.search(r"[\x00-\x20\x7f\\]", url):
        raise bad
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").removesuffix(".")
    except ValueError:
        raise bad from None
    if parts.scheme not in PORTS or port == 0 or parts.fragment or url.endswith("#"):
        raise bad
    if "@" in parts.netloc:
        raise AddressRefused("userinfo", "Leave user and password out of the address: the signature says who asks.")
    literal = parts.netloc.startswith("[")
    pattern = r"[0-9a-f:.]{2,45}" if literal else r"(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63}){0,9}"
    if not re.fullmatch(pattern, host):
        raise bad
    return parts.scheme, host, port or PORTS[parts.scheme]


def _listed(entry: str) -> tuple[str, int | None]:
    """An operator's ``host`` or ``host:port``, an IPv6 address in brackets."""
    match = re.fullmatch(r"\[?(?P<host>[^\[\]]+?)\]?(?::(?P<port>\d{1,5}))?", entry.lower()) if "[" in entry else None
    if match:
        return match["host"], int(match["port"]) if match["port"] else None
    host, _, port = entry.lower().partition(":")
    return host, int(port) if port.isdecimal() else None


def _resolved(host: str, port: int) -> list[IPv4Address | IPv6Address]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError):
        found = []
    addresses = [ip_address(entry[4][0]) for entry in found]
    if not addresses:
        raise AddressRefused("unresolvable", "The host of this address is not found.")
    return list(dict.fromkeys(addresses))
