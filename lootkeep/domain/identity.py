"""Who is who: the traces by which two accounts turn out to be one person, shared by referrals and fraud."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Literal

import msgspec

from lootkeep.domain.addresses import network_key

TraceKind = Literal["device", "address", "mailbox", "instrument"]

# Domains under which one name is one mailbox, counted under the first, and how the provider reads a name.
# Yahoo's and Fastmail's domains are not among them: the same name may be another person's there.
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
# Where names hold no hyphen, and what follows one is a tag.
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
# Where `tag@name.domain` is `name+tag@domain`.
_NAME_AS_SUBDOMAIN = ("fastmail.com", "fastmail.fm")


class Trace(msgspec.Struct, frozen=True):
    """One thing a customer was seen with."""

    kind: TraceKind
    value: str


def mailbox(email: str) -> str:
    """Where mail to this address really ends up: tags, meaningless letters and a provider's other names removed."""
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
    parsed = ipaddress.ip_address(text.split("%", 1)[0])
    mapped = getattr(parsed, "ipv4_mapped", None)
    return str(mapped or parsed)


def device(text: str) -> str:
    """The one form of what a storefront knows a device by: case and blanks around it do not make another."""
    return text.strip().casefold()


def traces(email: str, ip_address: str | None, device_id: str | None, instrument: str | None = None) -> list[Trace]:
    """What is remembered of a sign-up or an order."""
    result = [Trace("mailbox", mailbox(email))]
    if ip_address:
        result.append(Trace("address", network_key(ip_address)))
    if device_id:
        result.append(Trace("device", device_id))
    if instrument:
        result.append(Trace("instrument", instrument))
    return result
