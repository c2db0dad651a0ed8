"""Identity: the traces that show that two accounts are one person, shared by referrals and fraud."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from lootkeep.domain.addresses import network_key

TraceKind = Literal["device", "address", "mailbox", "instrument", "player"]

# Domains that share mailboxes, counted under the first one, and how the provider reads a name. Yahoo's and Fastmail's
# domains are not included: the same name there may be another person.
_PROVIDERS: tuple[tuple[tuple[str, ...], Mapping[int, int | None]], ...] = (
    (("gmail.com", "googlemail.com"), str.maketrans("", "", ".")),
    (("proton.me", "protonmail.com", "protonmail.ch", "pm.me"), str.maketrans("", "", ".-_")),
    (("icloud.com", "me.com", "mac.com"), {}),
    (
        ("yandex.ru", "yandex.com", "yandex.by", "yandex.kz", "yandex.ua", "yandex.com.tr", "ya.ru"),
        str.maketrans("-", "."),
    ),
)
_READ_AS = {domain: (domains[0], letters) for domains, letters in _PROVIDERS for domain in domains}
# Providers where names contain no hyphen, and the part after a hyphen is a tag.
_HYPHEN_TAGS = (
    "yahoo.com",
    "yahoo.co.uk",
    "yahoo.fr",
    "yahoo.de",
    "yahoo.it",
    "yahoo.es",
    "ymail.com",
    "rocketmail.com",
)
# Providers where `tag@name.domain` is `name+tag@domain`.
_NAME_AS_SUBDOMAIN = ("fastmail.com", "fastmail.fm")
_BYTE = r"(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IPV4 = re.compile(rf"{_BYTE}(\.{_BYTE}){{3}}")


class Trace(msgspec.Struct, frozen=True):
    """A value that a customer was seen with."""

    kind: TraceKind
    value: str


def mailbox(email: str) -> str:
    """The mailbox behind this e-mail address: without tags, ignored characters and the provider's other domains."""
    name, _, domain = email.lower().rpartition("@")
    subdomain, _, parent = domain.partition(".")
    if parent in _NAME_AS_SUBDOMAIN:
        name, domain = subdomain, parent
    name = name.split("+", 1)[0] or name
    if domain in _HYPHEN_TAGS:
        name = name.split("-", 1)[0] or name
    domain, letters = _READ_AS.get(domain, (domain, {}))
    return f"{name.translate(letters) or name}@{domain}"


def domain_of(email: str) -> str:
    return email.rpartition("@")[2].lower()


def address(text: str) -> str:
    """The canonical form of an IP address: IPv4 inside IPv6 is the IPv4 address."""
    if _IPV4.fullmatch(text):
        # There is no other form, and `ipaddress` takes eight times as long.
        return text
    parsed = ipaddress.ip_address(text)
    mapped = getattr(parsed, "ipv4_mapped", None)
    # Without the zone, which means something only on the machine that wrote it.
    return str(mapped or parsed).partition("%")[0]


def device(text: str) -> str:
    """The canonical form of a device id: case and surrounding spaces do not matter."""
    return text.strip().casefold()


def traces(
    email: str,
    ip_address: str | None,
    device_id: str | None,
    instrument: str | None = None,
    player: str | None = None,
) -> list[Trace]:
    """The traces of a sign-up or an order."""
    result = [Trace("mailbox", mailbox(email))]
    if ip_address:
        result.append(Trace("address", network_key(ip_address)))
    if device_id:
        result.append(Trace("device", device_id))
    if instrument:
        result.append(Trace("instrument", instrument))
    if player:
        result.append(Trace("player", player))
    return result
