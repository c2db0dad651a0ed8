"""Which IPs may be dialled, in every notation, and the key by which an IP is counted."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given, strategies as st

from lootkeep.domain.addresses import IpNetwork, is_public, network_key

# https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast.
SPECIAL4 = [
    *("0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
    *("192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32", "192.0.0.170/32"),
    *("192.0.0.171/32", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"),
    *("192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "255.255.255.255/32"),
    "224.0.0.0/4",
]
# https://www.iana.org/assignments/iana-ipv6-special-registry, multicast, and what was site-local once. Mapped and
# translated addresses are judged as the IPv4 addresses that they embed.
SPECIAL6 = [
    *("::1/128", "::/128", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001::/32", "2001:1::1/128"),
    *("2001:1::2/128", "2001:1::3/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48", "2001:10::/28"),
    *("2001:20::/28", "2001:30::/28", "2001:db8::/32", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "ff00::/8"),
    *("fec0::/10", "::/96", "2002::/16"),
]
JUST_OUTSIDE = [
    *("1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"),
    *("169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0"),
    *("192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0"),
    *("203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8", "1.1.1.1", "2606:4700:4700::1111"),
    *("2001:200::1", "2001:db7:ffff::1", "2001:db9::1", "2a00:1450::1", "2400:cb00::1"),
]
METADATA = [
    *("169.254.169.254", "169.254.170.2", "169.254.0.1", "fe80::a9fe:a9fe", "fe80::1", "fd00:ec2::254"),
    *("100.100.100.200", "192.0.0.192", "168.63.129.16", "fd20:ce::254", "fd00:42::42", "fd00:a9fe:a9fe::1"),
]
EVERYTHING: tuple[IpNetwork, ...] = (ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0"))


def inside(text: str) -> st.SearchStrategy[str]:
    network = ipaddress.ip_network(text)
    first, last = int(network.network_address), int(network.broadcast_address)
    kind = type(network.network_address)
    return st.integers(first, last).map(lambda number: str(kind(number)))


def forms(text: str) -> list[str]:
    """An IPv4 address in every form in which IPv6 can carry it."""
    number = int(ipaddress.IPv4Address(text))
    high, low, inverted = f"{number >> 16:x}", f"{number & 0xFFFF:x}", number ^ 0xFFFFFFFF
    return [
        f"::ffff:{text}",
        f"::FFFF:{high}:{low}",
        f"0:0:0:0:0:ffff:{high}:{low}",
        f"::ffff:{text}%eth0",
        f"::{text}",
        f"64:ff9b::{text}",
        f"2002:{high}:{low}::",
        f"2002:{high}:{low}:1::1",
        f"2001:0:808:808:0:0:{inverted >> 16:x}:{inverted & 0xFFFF:x}",
        f"64:ff9b:1::{text}",
        f"64:ff9b:1:2:3::{text}",
        f"2606:4700::5efe:{high}:{low}",
        f"2606:4700::200:5efe:{high}:{low}",
    ]


@pytest.mark.parametrize("network", SPECIAL4 + SPECIAL6)
def test_the_first_and_the_last_of_a_special_range_are_not_public(network: str) -> None:
    edges = ipaddress.ip_network(network)
    assert not is_public(str(edges.network_address))
    assert not is_public(str(edges.broadcast_address))


@given(st.sampled_from(SPECIAL4 + SPECIAL6).flatmap(inside))
def test_nothing_inside_a_special_range_is_public(ip: str) -> None:
    assert not is_public(ip)


@given(st.sampled_from(SPECIAL4).flatmap(inside))
def test_no_special_ip_is_public_when_embedded_in_ipv6(ip: str) -> None:
    assert [form for form in forms(ip) if is_public(form)] == []


@pytest.mark.parametrize("ip", JUST_OUTSIDE)
def test_the_neighbours_of_a_special_range_are_public(ip: str) -> None:
    assert is_public(ip)


@pytest.mark.parametrize("form", ["::ffff:8.8.8.8", "::ffff:808:808", "64:ff9b::8.8.8.8"])
def test_a_public_ip_stays_public_when_mapped_or_translated(form: str) -> None:
    assert is_public(form)


@pytest.mark.parametrize("form", ["::8.8.8.8", "2002:808:808::1", "2001:0:808:808:0:0:f7f7:f7f7", "64:ff9b:1::808:808"])
def test_a_public_ip_inside_an_obsolete_tunnel_or_private_translation_is_not_public(form: str) -> None:
    assert not is_public(form)


def test_a_site_tunnel_is_judged_by_both_of_its_ips() -> None:
    assert is_public("2606:4700::5efe:8.8.8.8")
    assert not is_public("2606:4700::5efe:10.0.0.1")


@pytest.mark.parametrize("zone", ["eth0", "1", "lo", "25eth0", ""])
def test_a_zone_changes_nothing(zone: str) -> None:
    assert not is_public(f"fe80::1%{zone}")
    assert not is_public(f"::1%{zone}")
    assert is_public(f"2606:4700::1%{zone}")


@pytest.mark.parametrize("text", ["", "localhost", "127.1", "0x7f.0.0.1", "2130706433", "127.0.0.1.", "[::1]", "::g"])
def test_an_invalid_ip_is_an_error_rather_than_public(text: str) -> None:
    with pytest.raises(ValueError):
        is_public(text)


def test_an_allow_list_permits_only_its_entries() -> None:
    allowed = (ipaddress.ip_network("10.1.0.0/16"), ipaddress.ip_network("fd12::/16"))
    for ip in ("10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "fd12::1", "8.8.8.8"):
        assert is_public(ip, allowed), ip
    for ip in ("10.2.0.1", "::ffff:10.2.0.1", "fd13::1", "127.0.0.1", "192.168.0.1", "2002:a02:1::"):
        assert not is_public(ip, allowed), ip


@pytest.mark.parametrize("ip", METADATA)
def test_no_allow_list_permits_metadata(ip: str) -> None:
    assert not is_public(ip)
    assert not is_public(ip, EVERYTHING)
    assert not is_public(ip, (ipaddress.ip_network(ip), *EVERYTHING))
    if "." in ip:
        assert [form for form in forms(ip) if is_public(form, EVERYTHING)] == []


@given(inside("169.254.0.0/16") | inside("fe80::/10"))
def test_no_link_local_ip_is_ever_permitted(ip: str) -> None:
    assert not is_public(ip, EVERYTHING)


@pytest.mark.parametrize(
    ("ip", "key"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8::1", "2001:db8:0:0::/64"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80:0:0:0::/64"),
        ("", ""),
        ("a proxy:8080", "a proxy:8080"),
    ],
)
def test_an_ip_is_counted_by_itself_or_by_its_ipv6_network(ip: str, key: str) -> None:
    assert network_key(ip) == key


@given(st.ip_addresses(v=6), st.integers(0, 2**64 - 1))
def test_all_ips_of_a_network_share_one_key(ip: ipaddress.IPv6Address, host: int) -> None:
    neighbour = ipaddress.IPv6Address(int(ip) >> 64 << 64 | host)
    if ip.ipv4_mapped or neighbour.ipv4_mapped:
        return
    assert network_key(str(ip)) == network_key(neighbour.exploded)
    assert ipaddress.ip_network(network_key(str(ip))) == ipaddress.ip_network((int(ip) >> 64 << 64, 64))
