"""Which addresses are looked up at all: the public ones, in the form in which lists name them."""

from __future__ import annotations

from ipaddress import ip_network

from lootkeep.domain.addresses import NOT_PUBLIC
from lootkeep.engines.intelligence.addresses import Address, Span, parsed, span, unwrapped
from lootkeep.engines.intelligence.ranges import AddressSet

# Nobody buys from these, yet they are let through: the lists of a test may name them, no real list does.
_DOCUMENTATION = frozenset(
    map(ip_network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"))
)
# Of IPv6, 2000::/3 is given out; the rest belongs to nobody.
_NOT_GIVEN_OUT = ("::/3", "4000::/2", "8000::/1")


def judged(text: str) -> Address | None:
    """The address that is looked up: the IPv4 address inside an IPv6 one; None for garbage and what is not public."""
    address = parsed(text.partition("%")[0])
    if address is None:
        return None
    address = unwrapped(address)
    return None if address in _RESERVED else address


def _reserved() -> list[Span]:
    networks = [str(network) for network in NOT_PUBLIC if network not in _DOCUMENTATION]
    return [found for text in (*networks, *_NOT_GIVEN_OUT) if (found := span(text))]


_RESERVED = AddressSet(_reserved())
