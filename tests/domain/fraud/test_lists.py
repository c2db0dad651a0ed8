"""The values an order is looked up by: every network of its IP, and every parent domain of its e-mail."""

from __future__ import annotations

import ipaddress

from hypothesis import given, strategies as st

from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.fraud.expressions import ListUse
from lootkeep.domain.fraud.lists import entry_value, memberships, sought
from tests.domain.fraud.orders import order

IP = (ListUse("ip", "mine"),)


@given(st.ip_addresses(v=4), st.integers(8, 32))
def test_an_ipv4_address_matches_every_network_that_contains_it(ip: ipaddress.IPv4Address, prefix: int) -> None:
    assert matches(str(ip), f"{ip}/{prefix}")


@given(st.ip_addresses(v=6), st.sampled_from([*range(16, 65, 4), 128]))
def test_an_ipv6_address_matches_every_network_that_contains_it(ip: ipaddress.IPv6Address, prefix: int) -> None:
    # An IPv4 address in IPv6 is the IPv4 address.
    assert matches(str(ip), f"{ip}/{prefix}") or ip.ipv4_mapped


@given(st.ip_addresses(v=4), st.ip_addresses(v=4), st.integers(8, 32))
def test_an_ip_matches_only_networks_that_contain_it(
    ip: ipaddress.IPv4Address, other: ipaddress.IPv4Address, prefix: int
) -> None:
    network = ipaddress.ip_network(f"{other}/{prefix}", strict=False)
    assert matches(str(ip), str(network)) is (ip in network)


def matches(ip: str, entry: str) -> bool:
    entries = {("mine", entry_value("ip", entry))}
    return memberships(IP, sought(IP, order(ip_address=ip)), entries)["ip@mine"]


def test_a_domain_matches_only_itself_and_its_parents() -> None:
    uses = (ListUse("email_domain", "mine"),)
    assert sought(uses, order(email="a@x.mail.example"))["email_domain"] == [
        "x.mail.example",
        "mail.example",
        "example",
    ]


def test_an_invalid_ip_is_on_no_list() -> None:
    assert sought(IP, order(ip_address="unix:")) == {"ip": []}
    assert sought(IP, order(ip_address=None)) == {"ip": []}


def test_a_domain_in_letters_of_its_own_matches_however_it_is_written() -> None:
    uses = (ListUse("email_domain", "mine"),)
    domains = sought(uses, order(email=inputs_rules.email("a@shop.bücher.example")))["email_domain"]
    for text in ("@Bücher.example", "xn--bcher-kva.example"):
        assert entry_value("domain", text) in domains
