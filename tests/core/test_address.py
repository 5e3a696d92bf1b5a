"""Whom a request comes from, with and without proxies before us."""

from typing import Any

import pytest

from apps.core.address import client_address, kind_of, lies_in, network


@pytest.mark.parametrize(
    ("meta", "found"),
    [
        ({"REMOTE_ADDR": "192.0.2.7"}, "192.0.2.7"),
        ({"REMOTE_ADDR": "2001:DB8:0::7"}, "2001:db8::7"),
        ({"REMOTE_ADDR": "::ffff:192.0.2.7"}, "192.0.2.7"),
        ({"REMOTE_ADDR": "fe80::1%eth0"}, "fe80::1"),
        ({"REMOTE_ADDR": ""}, ""),
        ({}, ""),
        # A socket file has no address.
        ({"REMOTE_ADDR": "localhost"}, ""),
        # Nobody stands before us, so what a client says of itself is worth nothing.
        ({"REMOTE_ADDR": "192.0.2.7", "HTTP_X_FORWARDED_FOR": "10.0.0.1"}, "192.0.2.7"),
    ],
)
def test_without_a_proxy_it_is_the_sockets(settings: Any, meta: dict[str, str], found: str) -> None:
    settings.TRUSTED_PROXIES = 0
    assert client_address(meta) == found


@pytest.mark.parametrize(
    ("proxies", "said", "found"),
    [
        (1, "192.0.2.7", "192.0.2.7"),
        (1, "10.0.0.1, 192.0.2.7", "192.0.2.7"),
        (1, "10.0.0.1,, 192.0.2.7 ", "192.0.2.7"),
        (2, "10.0.0.1, 192.0.2.7, 198.51.100.4", "192.0.2.7"),
        # It did not come through all of them.
        (1, "", ""),
        (2, "192.0.2.7", ""),
        (1, "10.0.0.1, unknown", ""),
        (1, "10.0.0.1, 192.0.2.7:8080", ""),
    ],
)
def test_with_proxies_it_is_whom_the_outermost_saw(settings: Any, proxies: int, said: str, found: str) -> None:
    settings.TRUSTED_PROXIES = proxies
    assert client_address({"REMOTE_ADDR": "10.9.9.9", "HTTP_X_FORWARDED_FOR": said}) == found


@pytest.mark.parametrize(
    ("address", "networks", "inside"),
    [
        ("10.1.2.3", ["10.1.0.0/16"], True),
        ("10.2.2.3", ["10.1.0.0/16", "192.0.2.7/32"], False),
        ("192.0.2.7", ["10.1.0.0/16", "192.0.2.7/32"], True),
        ("2001:db8::1", ["2001:db8::/32"], True),
        ("2001:db8::1", ["0.0.0.0/0"], False),
        ("10.1.2.3", ["::/0"], False),
        ("10.1.2.3", [], False),
        ("", ["0.0.0.0/0", "::/0"], False),
    ],
)
def test_who_lies_in_a_network(address: str, networks: list[str], inside: bool) -> None:
    assert lies_in(address, networks) is inside


def test_the_plain_spelling() -> None:
    assert [network(text) for text in (" 10.1.0.0/16 ", "192.0.2.7", "2001:DB8::/32")] == [
        "10.1.0.0/16",
        "192.0.2.7/32",
        "2001:db8::/32",
    ]
    for wrong in ("", "10.1.2.3/16", "10.0.0.0/33", "host", "*", "10.1"):
        with pytest.raises(ValueError, match=r"."):
            network(wrong)
    assert [kind_of(text) for text in ("192.0.2.7", "2001:db8:1:2::7", "")] == ["192.0.2.0/24", "2001:db8:1::/48", ""]
