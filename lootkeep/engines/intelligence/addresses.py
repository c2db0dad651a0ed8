"""From the text of an address to the number that lists are asked about."""

from __future__ import annotations

from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from typing import NamedTuple

V4_BITS = 32
V6_BITS = 128
_V4_MASK = (1 << V4_BITS) - 1

# The leading bits of IPv6 addresses that stand for an IPv4 address.
_MAPPED = 0xFFFF
_NAT64 = 0x0064_FF9B << 64
_SIX_TO_FOUR = 0x2002


class Address(NamedTuple):
    number: int
    is_v6: bool = False

    @property
    def text(self) -> str:
        if self.is_v6:
            return inet_ntop(AF_INET6, self.number.to_bytes(16, "big"))
        return inet_ntop(AF_INET, self.number.to_bytes(4, "big"))


class Span(NamedTuple):
    """All addresses from the first to the last."""

    first: int
    last: int
    is_v6: bool = False


def parsed(text: str) -> Address | None:
    try:
        if ":" in text:
            return Address(int.from_bytes(inet_pton(AF_INET6, text), "big"), True)
        return Address(int.from_bytes(inet_pton(AF_INET, text), "big"))
    except (OSError, ValueError):
        return None


def unwrapped(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one, where there is one."""
    if not address.is_v6:
        return address
    number = address.number
    if number >> V4_BITS in (_MAPPED, _NAT64):
        return Address(number & _V4_MASK)
    if number >> 112 == _SIX_TO_FOUR:
        return Address(number >> 80 & _V4_MASK)
    return address


def span(text: str) -> Span | None:
    """What a line of a list names: an address, a network, a range, or an IPv4 address with a port."""
    if "/" in text:
        return _network(text)
    if "-" in text:
        first, _, last = text.partition("-")
        return between(parsed(first.strip()), parsed(last.strip()))
    if text.count(":") == 1:
        text = text.partition(":")[0]
    address = parsed(text)
    return between(address, address)


def between(first: Address | None, last: Address | None) -> Span | None:
    if first is None or last is None or first.is_v6 != last.is_v6 or first.number > last.number:
        return None
    return _span(first.number, last.number, first.is_v6)


def _network(text: str) -> Span | None:
    start, _, length = text.partition("/")
    address = parsed(start)
    if address is None or not (length.isascii() and length.isdigit() and len(length) <= 3):
        return None
    number, is_v6 = address
    free = (V6_BITS if is_v6 else V4_BITS) - int(length)
    if free < 0:
        return None
    first = number >> free << free
    return _span(first, first | ((1 << free) - 1), is_v6)


def _span(first: int, last: int, is_v6: bool) -> Span:
    """IPv4 addresses written as IPv6 ones are IPv4."""
    if is_v6 and first >> V4_BITS == last >> V4_BITS == _MAPPED:
        return Span(first & _V4_MASK, last & _V4_MASK)
    return Span(first, last, is_v6)
