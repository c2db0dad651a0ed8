"""MMDB files in the layouts of their vendors."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.engines.intelligence.layouts import network_of
from tests.engines.lists import ListFolder, database

LAYOUTS: list[tuple[str, dict[str, Any], NetworkFacts]] = [
    ("MaxMind country", {"country": {"iso_code": "US", "names": {"en": "United States"}}}, NetworkFacts(country="US")),
    ("MaxMind registered", {"registered_country": {"iso_code": "NL"}}, NetworkFacts(country="NL")),
    (
        "MaxMind city",
        {
            "city": {"names": {"de": "München", "en": "Munich"}},
            "country": {"iso_code": "DE"},
            "location": {"latitude": 1},
        },
        NetworkFacts(country="DE", city="Munich"),
    ),
    (
        "MaxMind ASN",
        {"autonomous_system_number": 64500, "autonomous_system_organization": "Example"},
        NetworkFacts(asn_number=64500, asn_name="Example"),
    ),
    (
        "MaxMind anonymous",
        {"is_anonymous": True, "is_anonymous_vpn": True, "is_tor_exit_node": True, "is_hosting_provider": True},
        NetworkFacts(is_vpn=True, is_tor=True, is_datacenter=True),
    ),
    ("MaxMind proxies", {"is_public_proxy": True}, NetworkFacts(is_proxy=True)),
    ("MaxMind residential", {"is_residential_proxy": True}, NetworkFacts(is_proxy=True)),
    (
        "MaxMind enterprise",
        {"country": {"iso_code": "FR"}, "traits": {"autonomous_system_number": 64501, "is_anonymous_vpn": True}},
        NetworkFacts(country="FR", asn_number=64501, is_vpn=True),
    ),
    (
        "DB-IP city",
        {"city": {"names": {"en": "Lyon"}}, "country": {"iso_code": "FR", "is_in_european_union": True}},
        NetworkFacts(country="FR", city="Lyon"),
    ),
    (
        "IPinfo lite",
        {"country": "Germany", "country_code": "DE", "asn": "AS64502", "as_name": "Example GmbH"},
        NetworkFacts(country="DE", asn_number=64502, asn_name="Example GmbH"),
    ),
    ("IPinfo country", {"country": "GB", "country_name": "United Kingdom"}, NetworkFacts(country="GB")),
    ("IPinfo location", {"city": "Leeds", "country": "GB", "region": "x"}, NetworkFacts(country="GB", city="Leeds")),
    (
        "IPinfo privacy",
        {"hosting": "true", "proxy": "", "tor": "", "relay": "", "vpn": "true", "service": "x"},
        NetworkFacts(is_vpn=True, is_datacenter=True),
    ),
    (
        "IPinfo nested",
        {
            "geo": {"city": "Oslo", "country": "Norway", "country_code": "NO"},
            "as": {"asn": "AS64503", "name": "Example AS"},
            "anonymous": {"name": "SomeVPN", "is_vpn": True, "is_tor": False},
            "is_hosting": True,
        },
        NetworkFacts(
            country="NO", city="Oslo", asn_number=64503, asn_name="Example AS", is_vpn=True, is_datacenter=True
        ),
    ),
    ("IPLocate country", {"country_code": "JP", "country_name": "Japan"}, NetworkFacts(country="JP")),
    (
        "IPLocate ASN",
        {"asn": 64504, "name": "example", "org": "Example"},
        NetworkFacts(asn_number=64504, asn_name="example"),
    ),
    (
        "IPLocate privacy",
        {"privacy": {"is_vpn": True, "is_proxy": True, "is_tor": False, "is_hosting": True, "is_icloud_relay": True}},
        NetworkFacts(is_vpn=True, is_proxy=True, is_datacenter=True),
    ),
    ("a relay alone", {"relay": True, "is_icloud_relay": True, "vpn": False}, NetworkFacts()),
    ("no country", {"country": {"iso_code": "EU"}, "asn": "AS0"}, NetworkFacts()),
]


@pytest.mark.parametrize(("record", "expected"), [row[1:] for row in LAYOUTS], ids=[row[0] for row in LAYOUTS])
def test_a_record_is_understood_in_its_vendors_layout(
    lists: ListFolder, record: dict[str, Any], expected: NetworkFacts
) -> None:
    other_record = {"country": {"iso_code": "SE"}}
    lists.write_database(
        "some.mmdb", {"192.0.2.0/24": record, "2001:db8::/32": record, "198.51.100.0/24": other_record}
    )
    answers = [lists.intelligence.network(ip) for ip in ("192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1")]
    assert [_without_age(answer) for answer in answers] == [expected] * 3
    assert lists.intelligence.network("203.0.113.1").country is None
    assert lists.rejected == {}


def test_a_database_is_recognised_by_its_extension_and_serves_its_records(lists: ListFolder) -> None:
    lists.write_database("no-suffix", {"192.0.2.0/24": {"country_code": "US", "is_tor": False}})
    assert [source.name for source in lists.served("country")] == ["no-suffix"]
    assert [source.name for source in lists.served("tor")] == ["no-suffix"]
    assert lists.served("vpn") == lists.served("asn") == []


def test_a_flag_database_serves_all_flags(lists: ListFolder) -> None:
    content = {"192.0.2.0/24": {"is_anonymous_vpn": True}}
    lists.write_database("a.mmdb", content, database_type="GeoIP2-Anonymous-IP")
    assert [len(lists.served(need)) for need in ("vpn", "proxy", "tor", "datacenter", "country")] == [1, 1, 1, 1, 0]


def test_an_ipv4_only_database_knows_no_ipv6(lists: ListFolder) -> None:
    lists.write_database("a.mmdb", {"192.0.2.0/24": {"country_code": "US"}}, ip_version=4)
    assert lists.intelligence.network("192.0.2.1").country == "US"
    assert lists.intelligence.network("2001:db8::1") == NetworkFacts()


def test_a_database_takes_precedence_over_a_table_and_a_table_over_the_bundled_data(lists: ListFolder) -> None:
    lists.write("ipinfo.csv", "network,country,city\n192.0.2.0/24,FR,Paris\n198.51.100.0/24,FR,Lyon\n")
    lists.write_database("a.mmdb", {"192.0.2.0/24": {"country_code": "US"}})
    # The city of another country is not taken.
    assert lists.intelligence.network("192.0.2.1") == NetworkFacts(country="US")
    assert lists.intelligence.network("198.51.100.1") == NetworkFacts(country="FR", city="Lyon")


def test_a_database_without_any_usable_field_is_rejected(lists: ListFolder) -> None:
    lists.write_database("a.mmdb", {"192.0.2.0/24": {"colour": "red"}})
    assert lists.rejected["a.mmdb"].startswith("has no known field")


def test_a_database_truncated_anywhere_never_fails_a_lookup(lists: ListFolder) -> None:
    original = database({"192.0.2.0/24": {"country_code": "US"}, "2001:db8::/32": {"country_code": "FR"}}, lists.folder)
    for cut in range(0, len(original), max(1, len(original) // 40)):
        damaged = (original[:cut], original[cut:], original[:cut] + b"\xff" * 8 + original[cut + 8 :])
        for content in damaged:
            lists.write("a.mmdb", content)
            lists.intelligence.refresh_if_changed()
            assert lists.intelligence.network("192.0.2.1").country in (None, "US", "FR")


@pytest.mark.parametrize(
    "record",
    [
        *(
            None,
            [],
            "US",
            7,
            {},
            {"country": None},
            {"country": []},
            {"city": {"names": []}},
            {"asn": -1},
            {"asn": "ASx"},
        ),
        *({"asn": 1 << 40}, {"asn": {"asn": {}}}, {"traits": "x"}, {"city": {}}, {"country": {"iso_code": 7}}),
    ],
)
def test_a_record_of_an_unknown_shape_is_ignored(record: object) -> None:
    assert network_of(record) is None


def _without_age(network: NetworkFacts) -> NetworkFacts:
    return NetworkFacts(
        country=network.country,
        city=network.city,
        asn_number=network.asn_number,
        asn_name=network.asn_name,
        is_vpn=network.is_vpn,
        is_proxy=network.is_proxy,
        is_datacenter=network.is_datacenter,
        is_tor=network.is_tor,
    )
