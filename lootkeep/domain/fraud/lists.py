"""The store's own lists of e-mails, domains, IP addresses, devices, instruments, players, countries and customers."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Container, Iterable, Mapping

import msgspec

from lootkeep.domain import identity, inputs, players
from lootkeep.domain.fraud.expressions import ListUse
from lootkeep.domain.fraud.fact_names import FACTS, ListKind
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.kernel.clock import Instant

MAX_LISTS = 100
MAX_VALUE = 255
# The name of a list in an expression, after an @.
LIST_NAME = "[a-z][a-z0-9_]{0,49}"
# An order is looked up under each network that can contain its IP address, so not every prefix length is allowed.
_IPV4_PREFIXES = range(8, 33)
_IPV6_PREFIXES = (*range(16, 65, 4), 128)

_DOMAIN = re.compile(r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9-]{2,63}")


class FraudList(msgspec.Struct, frozen=True):
    id: int
    name: str
    kind: ListKind
    note: str | None
    created_at: Instant


class ListEntry(msgspec.Struct, frozen=True):
    id: int
    list_id: int
    value: str
    reason: str | None
    added_by: int
    # The entry no longer counts after this time.
    expires_at: Instant | None
    created_at: Instant


def entry_value(kind: ListKind, text: str) -> str:
    """The form in which an entry is stored and looked up; ValueError if it does not fit the kind."""
    value = _FORMS[kind](text.strip())
    if not 0 < len(value) <= MAX_VALUE or "\0" in value:
        raise ValueError("not an entry")
    return value


def sought(uses: Iterable[ListUse], facts: OrderFacts) -> dict[str, list[str]]:
    """For each fact by name: every entry that would match it."""
    return {fact: _sought(fact, facts) for fact in {use.fact for use in uses}}


def memberships(
    uses: Iterable[ListUse], sought_for: Mapping[str, Iterable[str]], entries: Container[tuple[str, str]]
) -> dict[str, bool]:
    """Whether the order is on each list, from the values to look up per fact and the entries per list."""
    return {use.key: any((use.list, value) in entries for value in sought_for[use.fact]) for use in uses}


def _sought(fact: str, facts: OrderFacts) -> list[str]:
    match fact:
        case "email":
            return [identity.mailbox(facts.email)] if facts.email else []
        case "email_domain":
            return _domains(identity.domain_of(facts.email))
        case "ip":
            return _networks(facts.ip_address)
        case "device":
            value = facts.device
        case "instrument":
            value = facts.payment.instrument
        case "player":
            value = facts.player
        case "customer":
            value = None if facts.customer_id is None else str(facts.customer_id)
        case _:
            read = FACTS[fact].value
            value = read(facts) if read else None
    return [value] if value else []


def _domains(domain: str) -> list[str]:
    """The domain and its parent domains."""
    parts = domain.split(".")
    return [".".join(parts[index:]) for index in range(len(parts))] if domain else []


def _networks(ip_address: str | None) -> list[str]:
    try:
        ip = ipaddress.ip_address(identity.address(ip_address or ""))
    except ValueError:
        # A proxy may write a peer in another form.
        return []
    number = int(ip)
    if ip.version == 4:
        return [_ipv4_network(number >> 32 - prefix << 32 - prefix, prefix) for prefix in _IPV4_PREFIXES]
    return [
        f"{ipaddress.IPv6Address(number >> 128 - prefix << 128 - prefix)}{'' if prefix == 128 else f'/{prefix}'}"
        for prefix in _IPV6_PREFIXES
    ]


def _ipv4_network(number: int, prefix: int) -> str:
    """By hand: the library takes five times as long, and each order needs 25 of them."""
    text = f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    return text if prefix == 32 else f"{text}/{prefix}"


def _ip(text: str) -> str:
    if "/" not in text:
        return identity.address(text)
    network = ipaddress.ip_network(text, strict=False)
    if network.prefixlen not in (_IPV4_PREFIXES if network.version == 4 else _IPV6_PREFIXES):
        raise ValueError("a network of another size")
    return str(network.network_address) if network.num_addresses == 1 else str(network)


def _domain(text: str) -> str:
    domain = text.lower().removeprefix("@")
    if not domain.isascii() or "xn--" in domain:
        # In its own letters, as e-mail addresses have it.
        return identity.domain_of(inputs.email(f"a@{domain}"))
    if not _DOMAIN.fullmatch(domain):
        raise ValueError("not a domain")
    return domain


def _customer(text: str) -> str:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ValueError("not a customer")
    return str(int(text))


_FORMS: dict[ListKind, Callable[[str], str]] = {
    "email": lambda text: identity.mailbox(inputs.email(text)),
    "domain": _domain,
    "ip": _ip,
    "device": identity.device,
    "instrument": str,
    "player": players.trace_of,
    "country": inputs.country,
    "customer": _customer,
}
# The format of an entry, as the end of a sentence.
EXAMPLES: dict[ListKind, str] = {
    "email": "must be an e-mail address",
    "domain": "must be a domain such as example.com",
    "ip": "must be an IP address, or a network from /8 (IPv6: from /16 to /64, in steps of four)",
    "device": "must be a device id",
    "instrument": "must be a payment instrument",
    "player": "must be a game and an id, such as steam:76561198000000000",
    "country": "must be an ISO 3166-1 alpha-2 country code",
    "customer": "must be the id of a customer",
}
