"""Who is who: the traces by which two accounts turn out to be one person, shared by referrals and fraud."""

from __future__ import annotations

import ipaddress
from typing import Literal

import msgspec

from lootkeep.domain.addresses import network_key

Kind = Literal["device", "address", "mailbox"]

# Providers that deliver `a.b+c@` to the mailbox `ab@`, under each of their names.
_DOTLESS = {"gmail.com": "gmail.com", "googlemail.com": "gmail.com"}


class Trace(msgspec.Struct, frozen=True):
    """One thing a customer was seen with."""

    kind: Kind
    value: str


def mailbox(email: str) -> str:
    """Where mail to this address really ends up: tags and meaningless dots removed."""
    name, _, domain = email.lower().rpartition("@")
    name = name.split("+", 1)[0] or name
    if domain in _DOTLESS:
        return f"{name.replace('.', '') or name}@{_DOTLESS[domain]}"
    return f"{name}@{domain}"


def domain_of(email: str) -> str:
    return email.rpartition("@")[2].lower()


def address(text: str) -> str:
    """The canonical form of an IP address: IPv4 inside IPv6 is the IPv4 address."""
    parsed = ipaddress.ip_address(text.split("%", 1)[0])
    mapped = getattr(parsed, "ipv4_mapped", None)
    return str(mapped or parsed)


def traces(email: str, ip_address: str | None, device_id: str | None) -> list[Trace]:
    """What is remembered of a sign-up or an order."""
    found = [Trace("mailbox", mailbox(email))]
    if ip_address:
        found.append(Trace("address", network_key(ip_address)))
    if device_id:
        found.append(Trace("device", device_id))
    return found
