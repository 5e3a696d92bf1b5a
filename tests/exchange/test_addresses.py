# ruff: noqa: S104
"""Where webhooks may go: what a name leads to is looked at, whichever way it is written."""

import socket
from ipaddress import ip_address
from typing import Any

import pytest

from apps.exchange.adapters.addresses import AddressRefused, checked_target, is_public

PRIVATE = [
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "169.254.169.254", "100.64.0.1", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.7", "192.88.99.1",
    "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::7f00:1", "::a00:1",
    "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1", "2002:c0a8:101::1",
    "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1",
    "fe80::1%eth0", "2606:4700::1%eth0", "ff02::1", "100::1",
]  # fmt: skip
PUBLIC = ["8.8.8.8", "93.184.216.34", "2606:4700::6810:84e5", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_of_the_open_internet_is_refused(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_open_internet_is_taken(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://8.8.8.8/hook", "https_only"),
        ("ftp://8.8.8.8/hook", "not_an_address"),
        ("//8.8.8.8/hook", "not_an_address"),
        ("8.8.8.8", "not_an_address"),
        ("https://", "not_an_address"),
        ("https:///hook", "not_an_address"),
        ("https://user:secret@8.8.8.8/", "userinfo"),
        ("https://8.8.8.8@127.0.0.1/", "userinfo"),
        ("https://8.8.8.8\\@127.0.0.1/", "not_an_address"),
        ("https://8.8.8.8/\nHost: a", "not_an_address"),
        ("https://8.8.8.8 /", "not_an_address"),
        ("https://8.8.8.8/#part", "not_an_address"),
        ("https://8.8.8.8:8443/", "port_refused"),
        ("https://8.8.8.8:22/", "port_refused"),
        ("https://8.8.8.8:0/", "not_an_address"),
        ("https://8.8.8.8:99999/", "not_an_address"),
        ("https://8.8.8.8:44x/", "not_an_address"),
        ("https://[::1/", "not_an_address"),
        ("https://[fe80::1%25eth0]/", "not_an_address"),
        ("https://exämple.test/", "not_an_address"),
        ("https://%31%32%37.0.0.1/", "not_an_address"),
        ("https://127.0.0.1/", "address_refused"),
        ("https://127.1/", "address_refused"),
        ("https://2130706433/", "address_refused"),
        ("https://0x7f000001/", "address_refused"),
        ("https://0177.0.0.1/", "address_refused"),
        ("https://0/", "address_refused"),
        ("https://LOCALHOST/", "address_refused"),
        ("https://localhost./", "address_refused"),
        ("https://169.254.169.254/latest/meta-data/", "address_refused"),
        ("https://[::ffff:127.0.0.1]/", "address_refused"),
        ("https://[::ffff:7f00:1]/", "address_refused"),
        ("https://[64:ff9b::a9fe:a9fe]/", "address_refused"),
        ("https://" + "a" * 2_000 + "/", "not_an_address"),
    ],
)
def test_an_address_that_leads_inside_or_astray_is_refused(url: str, code: str, settings: Any) -> None:
    settings.WEBHOOK_HOSTS = []
    with pytest.raises(AddressRefused) as refusal:
        checked_target(url)
    assert refusal.value.code == code


def test_a_public_address_is_taken_as_it_is() -> None:
    target = checked_target("https://8.8.8.8/hook?a=1")
    assert (target.url, target.host, target.port, target.address) == (
        "https://8.8.8.8/hook?a=1",
        "8.8.8.8",
        443,
        "8.8.8.8",
    )


def test_one_private_address_among_many_refuses_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def both(host: str, port: int, **options: Any) -> list[Any]:
        return [(socket.AF_INET, 1, 6, "", (address, port)) for address in ("8.8.8.8", "10.0.0.7")]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    with pytest.raises(AddressRefused, match="address_refused"):
        checked_target("https://hooks.example.test/")


def test_what_is_connected_to_is_what_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def once(host: str, port: int, **options: Any) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, 1, 6, "", ("8.8.8.8" if len(asked) == 1 else "127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", once)
    assert checked_target("https://hooks.example.test/").address == "8.8.8.8"
    assert asked == ["hooks.example.test"]


@pytest.mark.parametrize(
    ("listed", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1/"),
        ("127.0.0.1", "https://127.0.0.1/"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080/"),
        ("localhost:9443", "https://LocalHost:9443/"),
        ("[::1]:8080", "http://[::1]:8080/"),
        ("[::1]", "https://[::1]/"),
    ],
)
def test_the_operator_may_name_hosts_of_his_own_network(listed: str, url: str, settings: Any) -> None:
    settings.WEBHOOK_HOSTS = [listed]
    assert checked_target(url).url == url


@pytest.mark.parametrize(
    ("listed", "url", "code"),
    [
        ("127.0.0.1", "http://127.0.0.1:8080/", "port_refused"),
        ("127.0.0.1:8080", "http://127.0.0.1:8081/", "https_only"),
        ("127.0.0.1:8080", "https://127.0.0.1/", "address_refused"),
        ("127.0.0.1", "https://127.0.0.2/", "address_refused"),
        ("ocalhost", "https://localhost/", "address_refused"),
    ],
)
def test_naming_a_host_opens_no_other(listed: str, url: str, code: str, settings: Any) -> None:
    settings.WEBHOOK_HOSTS = [listed]
    with pytest.raises(AddressRefused, match=code):
        checked_target(url)
