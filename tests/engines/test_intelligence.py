"""Intelligence without lists of the operator, and the status of all lists."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.engines.intelligence import Intelligence, bundled
from lootkeep.engines.intelligence.sources import NEEDS
from lootkeep.kernel.clock import DAY, ManualClock
from tests.engines.lists import ListFolder
from tests.world import NOON

# One for the whole process: the packages' data is read once.
BUNDLED = Intelligence(None, ManualClock(NOON))


def test_the_packages_serve_country_network_datacenter_and_disposable_email() -> None:
    served = {need: [source.name.split()[0] for source in sources] for need, sources in BUNDLED.status().items()}
    assert served == {
        "country": ["iptocc"],
        "city": [],
        "asn": ["whereip-network"],
        "datacenter": ["hosting"],
        "vpn": [],
        "proxy": [],
        "tor": [],
        "disposable": ["disposable-email-domains"],
    }
    assert list(BUNDLED.status()) == list(NEEDS)


def test_well_known_ips_are_recognised() -> None:
    google = BUNDLED.network("8.8.8.8")
    assert (google.country, google.asn_number, google.asn_name) == ("US", 15169, "Google LLC")
    assert BUNDLED.network("2001:4860:4860::8888").asn_number == 15169


@pytest.mark.parametrize("ip", ["52.94.76.1", "2600:1f18::1", "::ffff:52.94.76.1", "2002:345e:4c01::1"])
def test_the_clouds_are_datacenters(ip: str) -> None:
    assert BUNDLED.network(ip).is_datacenter


def test_a_hosting_company_is_a_datacenter_by_its_network_and_a_home_is_not() -> None:
    assert BUNDLED.network("5.9.0.1").is_datacenter
    assert not BUNDLED.network("81.2.69.160").is_datacenter


@pytest.mark.parametrize("ip", [None, "", "garbage", "10.0.0.1", "127.0.0.1", "::1", "fe80::1%eth0", "192.0.2.1"])
def test_nothing_is_known_without_an_ip(ip: str | None) -> None:
    assert BUNDLED.network(ip) == NetworkFacts()


@given(st.one_of(st.text(max_size=50), st.ip_addresses().map(str)))
def test_no_ip_lookup_raises(text: str) -> None:
    assert isinstance(BUNDLED.network(text), NetworkFacts)


@pytest.mark.parametrize("domain", ["mailinator.com", "MAILINATOR.COM", "a.b.mailinator.com", "mailinator.com."])
def test_a_disposable_domain_and_its_subdomains_are_recognised(domain: str) -> None:
    assert BUNDLED.is_disposable(domain)


@pytest.mark.parametrize("domain", ["gmail.com", "com", "", "no-such-mailinator.com", "mailinator.com.example"])
def test_other_domains_are_not_disposable(domain: str) -> None:
    assert not BUNDLED.is_disposable(domain)


@given(st.text(max_size=80))
def test_no_domain_lookup_raises(text: str) -> None:
    assert BUNDLED.is_disposable(text) in (True, False)


def test_the_packages_are_read_once_in_a_process() -> None:
    assert bundled.sources() is bundled.sources()


def test_the_operators_list_takes_precedence_over_the_packages(tmp_path: Path) -> None:
    folder = ListFolder(tmp_path)
    folder.write_database("own.mmdb", {"8.8.8.0/24": {"country_code": "CH", "asn": "AS64500", "as_name": "Own"}})
    folder.write("disposable.txt", "own.example\n")
    own = Intelligence(tmp_path, ManualClock(NOON))
    assert own.network("8.8.8.8") == NetworkFacts(country="CH", asn_number=64500, asn_name="Own")
    assert own.network("9.9.9.9").country == BUNDLED.network("9.9.9.9").country
    assert own.is_disposable("own.example")
    assert own.is_disposable("mailinator.com")


def test_the_status_reports_entries_date_and_checksum(lists: ListFolder) -> None:
    lists.write("vpn.txt", "192.0.2.1\n192.0.2.2\n", at=NOON - 2 * DAY)
    (served,) = lists.served("vpn")
    assert (served.name, served.entries, served.dated) == ("vpn.txt", {"vpn": 2}, NOON - 2 * DAY)
    assert served.checksum == hashlib.sha256(b"192.0.2.1\n192.0.2.2\n").hexdigest()


def test_a_list_from_the_future_is_new(lists: ListFolder) -> None:
    lists.write("tor.txt", "192.0.2.1\n", at=NOON + 9 * DAY)
    assert lists.intelligence.network("192.0.2.1").tor_list_days == 0
