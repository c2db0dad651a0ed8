"""IPs in lists: every notation of an IP is judged alike, and garbage is not judged."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given, strategies as st

from lootkeep.engines.intelligence.addresses import (
    V4_BITS,
    V6_BITS,
    AddressMap,
    IpRange,
    ParsedIp,
    parsed,
    span,
)
from lootkeep.engines.intelligence.knowledge import judged

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@pytest.mark.parametrize(
    "text",
    [
        "203.0.113.9",
        "::ffff:203.0.113.9",
        "::FFFF:cb00:7109",
        "2002:cb00:7109::1",
        "2002:cb00:7109:1:2:3:4:5",
        "64:ff9b::203.0.113.9",
        "64:ff9b::cb00:7109%eth0",
        "203.0.113.9%1",
    ],
)
def test_every_notation_of_an_ipv4_address_is_judged_alike(text: str) -> None:
    ip = judged(text)
    assert ip is not None
    assert (ip.text, ip.is_v6) == ("203.0.113.9", False)


def test_an_ipv6_address_is_judged_without_its_zone() -> None:
    assert (
        judged("2001:db8::7%en0") == judged("2001:DB8:0::7") == ParsedIp(int(ipaddress.ip_address("2001:db8::7")), True)
    )


@pytest.mark.parametrize(
    "text",
    [
        *("10.1.2.3", "127.0.0.1", "169.254.1.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "0.0.0.0", "224.0.0.1"),
        *("240.0.0.1", "255.255.255.255", "198.18.0.1", "::", "::1", "fe80::1%eth0", "fc00::1", "fec0::1", "ff02::1"),
        *("::ffff:10.0.0.1", "2002:a00:1::", "64:ff9b::127.0.0.1", "64:ff9b:1::1", "100::1", "4000::1", "::1.2.3.4"),
        *("2001::1", "2001:2::1", "5f00::1"),
    ],
)
def test_a_private_ip_is_not_judged(text: str) -> None:
    assert judged(text) is None


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "garbage",
            "1.2.3",
            "1.2.3.4.5",
            "1.2.3.256",
            "01.2.3.4",
            "0x7f.1",
            "1.2.3.4 ",
            "1.2.3.4\0",
            "٣.2.3.4",
        ),
        *("::g", ":::", "1:2:3:4:5:6:7:8:9", "%", "%eth0", "\ud800", "2001:db8::/32", "a" * 100_000, "[2001:db8::1]"),
    ],
)
def test_garbage_is_not_judged(text: str) -> None:
    assert judged(text) is None


@given(st.text(max_size=60))
def test_no_text_raises(text: str) -> None:
    judged(text)
    span(text)


@given(st.ip_addresses())
def test_an_ip_is_parsed_like_the_standard_library_does(
    standard: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    ip = parsed(str(standard))
    assert ip == ParsedIp(int(standard), standard.version == 6)
    assert ipaddress.ip_address(ip.text) == standard


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("192.0.2.7", "192.0.2.7", "192.0.2.7"),
        ("192.0.2.0/25", "192.0.2.0", "192.0.2.127"),
        ("192.0.2.77/24", "192.0.2.0", "192.0.2.255"),
        ("0.0.0.0/0", "0.0.0.0", "255.255.255.255"),
        ("192.0.2.3-192.0.2.9", "192.0.2.3", "192.0.2.9"),
        ("192.0.2.3 - 192.0.2.9", "192.0.2.3", "192.0.2.9"),
        ("2001:db8::/127", "2001:db8::", "2001:db8::1"),
        ("2001:db8::1-2001:db8::5", "2001:db8::1", "2001:db8::5"),
        ("::ffff:192.0.2.0/120", "192.0.2.0", "192.0.2.255"),
    ],
)
def test_a_line_can_be_an_ip_a_network_or_a_range(text: str, first: str, last: str) -> None:
    start, end = parsed(first), parsed(last)
    assert start is not None
    assert end is not None
    assert span(text) == IpRange(start.number, end.number, start.is_v6)


@pytest.mark.parametrize(
    "text",
    [
        *("192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/", "192.0.2.0/x", "192.0.2.9-192.0.2.3", "192.0.2.1-2001:db8::1"),
        *("2001:db8::/129", "-", "/", "1.2.3.4-", "192.0.2.0/0255", "192.0.2.0/٣"),
    ],
)
def test_a_line_without_an_ip_is_skipped(text: str) -> None:
    assert span(text) is None


def _networks(bits: int) -> st.SearchStrategy[Network]:
    """Networks near each other and near both ends of all addresses, so that they touch, nest and overlap."""
    make = ipaddress.IPv4Network if bits == V4_BITS else ipaddress.IPv6Network
    corners = st.sampled_from([0, (1 << bits) - 1, 1 << bits - 1, 0xCB007100])
    numbers = st.builds(lambda corner, near: (corner + near) % (1 << bits), corners, st.integers(-600, 600))
    lengths = st.one_of(st.integers(bits - 10, bits), st.integers(0, bits))
    return st.builds(lambda number, length: make((number, length), strict=False), numbers, lengths)


_ALL_NETWORKS = st.lists(st.one_of(_networks(V4_BITS), _networks(V6_BITS)), max_size=12)


def _probes(networks: list[Network]) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """The ends of each network and their neighbours, where an error would show."""
    probes = set()
    for network in networks:
        make = ipaddress.IPv4Address if network.version == 4 else ipaddress.IPv6Address
        ends = int(network.network_address), int(network.broadcast_address)
        near = {end + step for end in ends for step in (-1, 0, 1)}
        probes |= {make(number) for number in near if 0 <= number < 1 << network.max_prefixlen}
    return [*probes, ipaddress.ip_address("203.0.113.9"), ipaddress.ip_address("2001:db8::9")]


@given(_ALL_NETWORKS)
def test_a_map_with_one_label_holds_exactly_the_addresses_of_its_networks(networks: list[Network]) -> None:
    spans = [where for network in networks if (where := span(str(network)))]
    marked = AddressMap((where, True) for where in spans)
    for ip in _probes(networks):
        expected = any(ip in network for network in networks if network.version == ip.version)
        asked = _asked(ip)
        # Networks within ::ffff:0:0/96 are IPv4's: asked about in the other form.
        if not _is_mapped(ip) and not any(_is_mapped(network.network_address) for network in networks):
            assert (marked.get(asked) or False) == expected, (ip, networks)


@given(_ALL_NETWORKS)
def test_a_map_answers_with_the_narrowest_network(networks: list[Network]) -> None:
    networks = [network for network in dict.fromkeys(networks) if not _is_mapped(network.network_address)]
    networks_by_span = AddressMap((where, network) for network in networks if (where := span(str(network))))
    for ip in _probes(networks):
        around = [network for network in networks if network.version == ip.version and ip in network]
        expected = max(around, key=lambda network: network.prefixlen, default=None)
        assert networks_by_span.get(_asked(ip)) == expected, (ip, networks)


def test_the_later_of_two_overlapping_ranges_wins_over_its_whole_length() -> None:
    ranges = AddressMap([(IpRange(0, 10), "A"), (IpRange(5, 15), "B"), (IpRange(12, 13), "C")])
    assert "".join(ranges.get(ParsedIp(number)) or "-" for number in range(18)) == "AAAAABBBBBBBCCBB--"


def test_forty_thousand_networks_take_less_than_three_megabytes() -> None:
    members = AddressMap((IpRange(number << 9, (number << 9) + 255), True) for number in range(42_000))
    assert sum(part.itemsize * len(part) for part in (members._v4, members._labels_v4)) < 3_000_000
    assert members.covered_v4 == 42_000 * 256


def _asked(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> ParsedIp:
    return ParsedIp(int(ip), ip.version == 6)


def _is_mapped(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return ip.version == 6 and int(ip) >> 32 == 0xFFFF
