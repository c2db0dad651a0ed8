"""Every file format of lists, recognised by name and by content."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.kernel.clock import DAY, instant
from tests.engines.lists import ListFolder
from tests.world import NOON

LIST = """\
# a comment; then a blank line

192.0.2.7
198.51.100.0/25   # half of it
203.0.113.3-203.0.113.9
2001:db8:1::/48
"""


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("vpn.txt", "vpn"),
        ("x4bnet_vpn_ipv4.txt", "vpn"),
        ("proxy.txt", "proxy"),
        ("firehol_proxies.netset", "proxy"),
        ("firehol_anonymous.netset", "proxy"),
        ("socks_proxy_7d.ipset", "proxy"),
        ("datacenter.txt", "dc"),
        ("Datacenters.netset", "dc"),
        ("tor.txt", "tor"),
        ("tor_exits_1d.ipset", "tor"),
        ("dm_tor.ipset", "tor"),
        ("torbulkexitlist", "tor"),
        ("TOR-exits.txt", "tor"),
    ],
)
def test_a_plain_list_is_recognised_by_its_file_name(lists: ListFolder, name: str, flag: str) -> None:
    lists.write(name, LIST)
    inside = ["192.0.2.7", "198.51.100.127", "203.0.113.3", "203.0.113.9", "2001:db8:1:ffff::1", "::ffff:192.0.2.7"]
    outside = ["192.0.2.6", "192.0.2.8", "198.51.100.128", "203.0.113.2", "203.0.113.10", "2001:db8:2::1"]
    assert [lists.flags(ip) for ip in inside] == [flag] * len(inside)
    assert [lists.flags(ip) for ip in outside] == [""] * len(outside)


def test_a_list_can_have_windows_line_ends_a_byte_order_mark_and_be_compressed(lists: ListFolder) -> None:
    lists.write("vpn.txt.gz", gzip.compress("\ufeff192.0.2.7\r\n192.0.2.8\r\n".encode()))
    assert (lists.flags("192.0.2.7"), lists.flags("192.0.2.8")) == ("vpn", "vpn")


def test_a_tor_exit_file_is_recognised_by_its_content_and_carries_its_own_date(lists: ListFolder) -> None:
    lists.write(
        "downloaded",
        "ExitNode 0011BD2485AD45D984EC4159C88FC066E5E3300E\n"
        "Published 2026-11-01 04:44:01\n"
        "LastStatus 2026-11-02 05:00:00\n"
        "ExitAddress 192.0.2.7 2026-11-02 05:08:01\n"
        "ExitAddress 192.0.2.8 2026-11-03 12:00:00\n",
    )
    (served,) = lists.served("tor")
    assert served.dated == instant(datetime(2026, 11, 3, 12, tzinfo=UTC))
    assert lists.intelligence.network("192.0.2.8") == NetworkFacts(is_tor=True, tor_list_days=12)


def test_a_firehol_set_carries_its_own_date_and_category(lists: ListFolder) -> None:
    lists.write(
        "mixed.netset",
        "#\n# mixed\n#\n# Category        : anonymizers\n# Source File Date: Thu Nov  5 03:01:57 UTC 2026\n"
        "#\n192.0.2.0/24\n",
    )
    (served,) = lists.served("proxy")
    assert served.dated == instant(datetime(2026, 11, 5, 3, 1, 57, tzinfo=UTC))
    assert lists.flags("192.0.2.1") == "proxy"


def test_a_list_without_a_date_is_dated_by_its_file(lists: ListFolder) -> None:
    lists.write("tor.txt", "192.0.2.7\n", at=NOON - 3 * DAY)
    assert lists.intelligence.network("192.0.2.7").tor_list_days == 3
    assert lists.intelligence.network("192.0.2.9") == NetworkFacts(tor_list_days=3)
    lists.clock.advance(11 * DAY)
    assert lists.intelligence.network("192.0.2.7").tor_list_days == 14


def test_the_newer_of_two_tor_lists_with_the_same_ip_counts(lists: ListFolder) -> None:
    lists.write("tor.txt", "192.0.2.7\n192.0.2.8\n", at=NOON - 30 * DAY)
    lists.write("tor-new.txt", "192.0.2.7\n", at=NOON - DAY)
    assert lists.intelligence.network("192.0.2.7").tor_list_days == 1
    assert lists.intelligence.network("192.0.2.8").tor_list_days == 30


@pytest.mark.parametrize("name", ["ip2asn-v4.tsv", "ip2asn-combined.tsv.gz"])
def test_iptoasn_names_networks(lists: ListFolder, name: str) -> None:
    text = (
        "192.0.2.0\t192.0.2.255\t64500\tUS\tEXAMPLE-ONE Example, Inc.\n"
        "198.51.100.0\t198.51.100.255\t0\tNone\tNot routed\n"
        "2001:db8::\t2001:db8:ffff:ffff:ffff:ffff:ffff:ffff\t64501\tDE\tEXAMPLE-TWO\n"
    )
    lists.write(name, gzip.compress(text.encode()) if name.endswith(".gz") else text)
    look = lists.intelligence.network
    assert look("192.0.2.9") == NetworkFacts(asn_number=64500, asn_name="EXAMPLE-ONE Example, Inc.")
    assert look("2001:db8::9") == NetworkFacts(asn_number=64501, asn_name="EXAMPLE-TWO")
    assert look("198.51.100.9") == NetworkFacts()
    assert [source.entries for source in lists.served("asn")] == [{"asn": 2}]


def test_a_network_of_a_hosting_company_is_a_datacenter(lists: ListFolder) -> None:
    lists.write("ip2asn-v4-u32.tsv", "3221225984\t3221226239\t24940\tDE\tHETZNER\n")
    assert lists.flags("192.0.2.1") == "dc"
    assert [source.name for source in lists.served("datacenter")] == ["hosting companies' networks"]


@pytest.mark.parametrize(
    ("row", "flag"),
    [
        ('"3221225984","3221226239","VPN","US","United States"', "vpn"),
        ('"3221225984","3221226239","CPN","US","United States"', "vpn"),
        ('"3221225984","3221226239","TOR","US","United States"', "tor"),
        ('"3221225984","3221226239","DCH","US","United States"', "dc"),
        ('"3221225984","3221226239","PUB","US","United States"', "proxy"),
        ('"3221225984","3221226239","WEB","US","United States"', "proxy"),
        ('"3221225984","3221226239","RES","US","United States"', "proxy"),
        ('"3221225984","3221226239","SES","US","United States"', ""),
        ('"3221225984","3221226239","-","-","-"', ""),
        ('"3221225984","3221226239","US","United States"', "proxy"),
        ('"281473902969344","281473902969599","VPN","US","United States"', "vpn"),
    ],
)
def test_ip2proxy_names_kinds(lists: ListFolder, row: str, flag: str) -> None:
    other_line = '"3325256704","3325256959","PUB","US","United States"'
    lists.write("IP2PROXY-LITE-PX2.CSV", f"{row}\n{other_line}\n")
    assert (lists.flags("192.0.2.9"), lists.flags("198.51.100.9")) == (flag, "proxy")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "network,country,country_code,continent,continent_code,asn,as_name,as_domain\n"
            '192.0.2.0/24,United States,US,North America,NA,AS64500,"Example, Inc.",example.com\n',
            NetworkFacts(country="US", asn_number=64500, asn_name="Example, Inc."),
        ),
        (
            "start_ip,end_ip,country,country_name,continent,continent_name\n192.0.2.0,192.0.2.255,US,x,NA,y\n",
            NetworkFacts(country="US"),
        ),
        (
            "start_ip,end_ip,asn,name,domain\n192.0.2.0,192.0.2.255,AS64500,One,x\n",
            NetworkFacts(asn_number=64500, asn_name="One"),
        ),
        (
            "start_ip,end_ip,join_key,city,region,country,latitude\n192.0.2.0,192.0.2.255,k,Paris,x,FR,1\n",
            NetworkFacts(country="FR", city="Paris"),
        ),
        (
            "network,hosting,proxy,tor,relay,vpn,service\n192.0.2.0/24,true,,true,,true,\n",
            NetworkFacts(is_vpn=True, is_datacenter=True, is_tor=True, tor_list_days=0),
        ),
        ("network,is_proxy,is_vpn\n192.0.2.1,true,false\n", NetworkFacts(is_proxy=True)),
    ],
)
@pytest.mark.parametrize("name", ["ipinfo.csv", "ipinfo.csv.gz", "a name that says nothing"])
def test_a_table_with_a_header_is_read_by_its_columns(
    lists: ListFolder, name: str, text: str, expected: NetworkFacts
) -> None:
    lists.write(name, gzip.compress(text.encode()) if name.endswith(".gz") else text)
    assert lists.intelligence.network("192.0.2.1") == expected


@pytest.mark.parametrize("code", ["EU", "AP", "ZZ", "", "us", "USA", "-"])
def test_a_code_that_is_not_a_country_is_unknown(lists: ListFolder, code: str) -> None:
    lists.write("ipinfo.csv", f"network,country\n192.0.2.0/24,{code}\n198.51.100.0/24,FR\n")
    assert lists.intelligence.network("192.0.2.1").country is None
    assert lists.intelligence.network("198.51.100.1").country == "FR"


@pytest.mark.parametrize("name", ["disposable.txt", "disposable_email_blocklist.conf"])
def test_a_list_of_disposable_domains_is_recognised_by_its_file_name(lists: ListFolder, name: str) -> None:
    lists.write(name, "# throw-away\nThrow.Example\n@away.example\n*.wild.example\nxn--bcher-kva.example\n")
    disposable = ["throw.example", "A.B.THROW.example.", "away.example", "x.wild.example", "bücher.example"]
    other_domains = [
        "example",
        "notthrow.example",
        "throw.example.org",
        "",
        ".",
        "..",
        "com",
        "\ud800.example",
        "a" * 70_000,
    ]
    assert [domain for domain in disposable if not lists.intelligence.is_disposable(domain)] == []
    assert [domain for domain in other_domains if lists.intelligence.is_disposable(domain)] == []


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("vpn.txt", "", "is empty"),
        ("vpn.txt", "# nothing but words\n", "is empty"),
        ("vpn.txt", "<html>\n<body>Not found</body>\n", "does not have an IP address or a network in line 1"),
        ("vpn.txt", "192.0.2.1\n192.0.2.999\n", "does not have an IP address or a network in line 2"),
        ("vpn.txt", b"\xff\xfe\x00\x01" * 100, "does not have an IP address or a network in line 1"),
        ("vpn.txt", "0.0.0.0/1\n", "covers half of all IP addresses"),
        ("vpn.txt", "0.0.0.0/0\n", "covers half of all IP addresses"),
        ("vpn.txt.gz", b"not packed at all", "cannot be decompressed"),
        ("vpn.txt.gz", gzip.compress(b"192.0.2.1\n" * 1000, mtime=0)[:-20], "cannot be decompressed"),
        ("ip2asn.tsv", "one\ttwo\tthree\n", "does not have an IP address or a network in line"),
        ("ip2asn.tsv", "192.0.2.0\t192.0.2.255\t0\tNone\tNot routed\n", "has no entries"),
        ("ipinfo.csv", "name,value\n1,2\n", "has no column `network`"),
        ("ipinfo.csv", "", "has no column `network`"),
        ("ipinfo.csv", "network,country\n192.0.2.0/24\n", "does not have an IP address or a network in line"),
        ("ipinfo.csv", "network,colour\n192.0.2.0/24,red\n", "has no entries"),
        ("ipinfo.csv", "network,country\n" + '"' + "x" * 200_000, "is not a table that can be read"),
        ("IP2PROXY.CSV", '"x","y","VPN"\n', "does not have an IP address or a network in line"),
        ("IP2PROXY.CSV", f'"0","{10**60}","VPN"\n', "does not have an IP address or a network in line"),
        ("country.mmdb", b"", "is not an MMDB file"),
        ("country.mmdb", b"\xab\xcd\xefMaxMind.com", "is not an MMDB file"),
        ("disposable.txt", "not a domain\n", "does not have a domain in line 1"),
        ("disposable.txt", "throw.example\ngmail.com\n", "contains gmail.com, which is not disposable"),
        ("mystery.txt", "192.0.2.1\n", "has an unknown name"),
    ],
)
def test_an_unusable_file_is_rejected_with_a_message(
    lists: ListFolder, name: str, content: str | bytes, sentence: str
) -> None:
    lists.write(name, content)
    lists.write("proxy.txt", "192.0.2.1\n")
    assert lists.flags("192.0.2.1") == "proxy"
    assert list(lists.rejected) == [name]
    assert lists.rejected[name].startswith(sentence)
    assert lists.rejected[name].endswith(".")


def test_an_error_in_a_long_list_skips_only_its_line(lists: ListFolder) -> None:
    lists.write("vpn.txt", "".join(f"192.0.2.{last}\n" for last in range(200)) + "oops\n")
    (served,) = lists.served("vpn")
    assert (served.entries, served.skipped, lists.rejected) == ({"vpn": 200}, 1, {})


def test_other_files_in_the_folder_are_not_read_as_lists(lists: ListFolder) -> None:
    for name in ("README.md", "README", "LICENSE.txt", ".hidden", "tor.txt.tmp", "tor.txt.part", "vpn.txt.sha256"):
        lists.write(name, "words")
    (lists.folder / "vpn").mkdir()
    assert (lists.rejected, lists.served("tor"), lists.served("vpn")) == ({}, [], [])


def test_flags_of_several_files_are_combined(lists: ListFolder) -> None:
    lists.write("vpn.txt", "192.0.2.0/24\n")
    lists.write("tor.txt", "192.0.2.7\n")
    lists.write("ipinfo.csv", "network,country,hosting\n192.0.2.0/25,US,true\n")
    assert lists.intelligence.network("192.0.2.7") == NetworkFacts(
        country="US", is_vpn=True, is_tor=True, is_datacenter=True, tor_list_days=0
    )
