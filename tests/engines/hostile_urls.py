"""Hostile webhook URLs that try to reach a private IP."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

PUBLIC = "93.184.216.34"
PUBLIC6 = "2606:2800:220:1::1"

# One address or more of each special-purpose range.
TARGETS4 = [
    *("0.0.0.0", "0.0.0.1", "10.0.0.1", "10.255.255.254", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.0.0.2"),
    *("127.255.255.254", "169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.254"),
    *("192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.254", "198.18.0.1"),
    *("198.19.255.254", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1"),
    *("255.255.255.255", "168.63.129.16"),
]
TARGETS6 = [
    *("::", "::1", "::2", "64:ff9b:1::1", "100::1", "2001::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1"),
    *("3fff::1", "5f00::1", "fc00::1", "fd00::1", "fd00:ec2::254", "fd20:ce::254", "fe80::1", "fe80::a9fe:a9fe"),
    *("fec0::1", "ff02::1", "ff0e::1", "fd00:42::42", "fd00:a9fe:a9fe::1", "::5db8:d822", "2002:5db8:d822::1"),
    *("2001:0:5db8:d822:0:0:a247:27dd", "64:ff9b:1::5db8:d822"),
]


def in_ipv6(text: str) -> list[str]:
    """An IPv4 address in every form in which IPv6 can carry it."""
    number = int(ipaddress.IPv4Address(text))
    high, low = f"{number >> 16:x}", f"{number & 0xFFFF:x}"
    inverted = number ^ 0xFFFFFFFF
    return [
        f"::ffff:{text}",
        f"::ffff:{high}:{low}",
        f"0:0:0:0:0:ffff:{text}",
        f"::{text}",
        f"64:ff9b::{text}",
        f"64:ff9b::{high}:{low}",
        f"2002:{high}:{low}::1",
        f"2001:0:5db8:d822:0:0:{inverted >> 16:x}:{inverted & 0xFFFF:x}",
        f"64:ff9b:1::{high}:{low}",
        f"2606:2800:220:1:0:5efe:{high}:{low}",
        f"2606:2800:220:1:200:5efe:{high}:{low}",
    ]


def in_numbers(text: str) -> list[str]:
    """An IPv4 address in the notations that old resolvers accept."""
    a, b, c, d = (int(part) for part in text.split("."))
    number = int(ipaddress.IPv4Address(text))
    return [
        str(number),
        hex(number),
        hex(number).upper(),
        f"0{number:o}",
        f"{a}.{(b << 16) + (c << 8) + d}",
        f"{a}.{b}.{(c << 8) + d}",
        f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}",
        f"0{a:o}.0{b:o}.0{c:o}.0{d:o}",
        f"0{a:03o}.{b}.{c}.{d}",
        f"0x{a:x}.{b}.0{c:o}.{d}",
        f"{a:03d}.{b:03d}.{c:03d}.{d:03d}",
        f"{text}.",
        str(number + 2**32),
        f"{a}.{b}.{c}.{d + 256}",
        "".join(chr(ord("０") + int(ch)) if ch.isdigit() else "。" for ch in text),
        "".join(f"%{ord(ch):02x}" for ch in text),
    ]


ODD = [
    *(
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "a.b.localhost.",
        "LocalHost.LocalDomain",
        "ip6-localhost",
    ),
    *("shop.example@127.0.0.1", "shop.example:443@127.0.0.1", "127.0.0.1#@shop.example", "127.0.0.1?@shop.example"),
    *("shop.example\\@127.0.0.1", "127.0.0.1\\@shop.example", "shop.example%40127.0.0.1", "127.0.0.1%2f.shop.example"),
    *("127.0.0.1%00.shop.example", "127.0.0.1\t", " 127.0.0.1", "127.0.0.1\n.shop.example", "[127.0.0.1]", "[::1"),
    *("[::1%25lo]", "[::1%lo]", "[fe80::1%25eth0]", "[fe80::1%1]", "[::ffff:127.0.0.1%25lo]", "[0:0:0:0:0:0:0:1]"),
    *("[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0001]", "[::FFFF:7F00:1]", "[v1.127.0.0.1]", "①②⑦.⓪.⓪.①"),
    *("127。0。0。1", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "127.0.0.1:", "0", "0.0.0.0", "", ".", "127.0.0", "127.1", "127.0.1", "0x7f.1"),
]


class HostileNames(NamedTuple):
    """A name and the answers of its name server in sequence; the last answer repeats."""

    name: str
    answers: list[list[str]]


NAMES = [
    *(HostileNames(f"four{number}.evil.example", [[ip]]) for number, ip in enumerate(TARGETS4)),
    *(HostileNames(f"six{number}.evil.example", [[ip]]) for number, ip in enumerate(TARGETS6)),
    *(
        HostileNames(f"mixed{number}.evil.example", [[a]])
        for number, a in enumerate(in_ipv6("127.0.0.1") + in_ipv6("10.0.0.1"))
    ),
    *(HostileNames(f"rebinds{number}.evil.example", [[PUBLIC], [ip]]) for number, ip in enumerate(TARGETS4)),
    *(HostileNames(f"both{number}.evil.example", [[ip, PUBLIC]]) for number, ip in enumerate(TARGETS4)),
    *(
        HostileNames(f"turns{number}.evil.example", [[PUBLIC6], [a], [PUBLIC], [a]])
        for number, a in enumerate(TARGETS6)
    ),
]

CARRIED = ("127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "100.100.100.200", "192.0.0.192", "168.63.129.16")
HOSTS = [
    *TARGETS4,
    *(f"[{ip}]" for ip in TARGETS6),
    *(f"[{form}]" for ip in CARRIED for form in in_ipv6(ip)),
    *(form for ip in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.0.1") for form in in_numbers(ip)),
    *ODD,
]
URL_HOSTS = [*HOSTS, *(entry.name for entry in NAMES)]
