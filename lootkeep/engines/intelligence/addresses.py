"""IP addresses as numbers, and maps of ranges: sorted arrays, a bisect and a few bytes per range."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from typing import Generic, NamedTuple, TypeVar

V = TypeVar("V", bound=Hashable)

V4_BITS = 32
V6_BITS = 128
_V4_MASK = (1 << V4_BITS) - 1

# The leading bits of IPv6 addresses that embed an IPv4 address.
_MAPPED = 0xFFFF
_NAT64 = 0x0064_FF9B << 64
_SIX_TO_FOUR = 0x2002

_LOW = (1 << 64) - 1
# The index of the label of addresses outside all ranges, which is None.
_OUTSIDE = 0


class ParsedIp(NamedTuple):
    number: int
    is_v6: bool = False

    @property
    def text(self) -> str:
        if self.is_v6:
            return inet_ntop(AF_INET6, self.number.to_bytes(16, "big"))
        return inet_ntop(AF_INET, self.number.to_bytes(4, "big"))


class IpRange(NamedTuple):
    """All addresses from the first to the last."""

    first: int
    last: int
    is_v6: bool = False


def parsed(text: str) -> ParsedIp | None:
    try:
        if ":" in text:
            return ParsedIp(int.from_bytes(inet_pton(AF_INET6, text), "big"), True)
        return ParsedIp(int.from_bytes(inet_pton(AF_INET, text), "big"))
    except (OSError, ValueError):
        return None


def unwrapped(ip: ParsedIp) -> ParsedIp:
    """The IPv4 address inside an IPv6 address, if any."""
    if not ip.is_v6:
        return ip
    number = ip.number
    if number >> V4_BITS in (_MAPPED, _NAT64):
        return ParsedIp(number & _V4_MASK)
    if number >> 112 == _SIX_TO_FOUR:
        return ParsedIp(number >> 80 & _V4_MASK)
    return ip


def span(text: str) -> IpRange | None:
    """The content of a line of a list: an address, a network or a range."""
    if "/" in text:
        return _network(text)
    if "-" in text:
        first, _, last = text.partition("-")
        return between(parsed(first.strip()), parsed(last.strip()))
    ip = parsed(text)
    return between(ip, ip)


def between(first: ParsedIp | None, last: ParsedIp | None) -> IpRange | None:
    if first is None or last is None or first.is_v6 != last.is_v6 or first.number > last.number:
        return None
    return _span(first.number, last.number, first.is_v6)


def _network(text: str) -> IpRange | None:
    start, _, length = text.partition("/")
    if not (length.isascii() and length.isdigit() and len(length) <= 3):
        return None
    is_v6 = ":" in start
    free = (V6_BITS if is_v6 else V4_BITS) - int(length)
    if free < 0:
        return None
    try:
        # As in `parsed`, but lists have tens of thousands of networks.
        first = int.from_bytes(inet_pton(AF_INET6 if is_v6 else AF_INET, start), "big") >> free << free
    except (OSError, ValueError):
        return None
    last = first | ((1 << free) - 1)
    return _span(first, last, True) if is_v6 else IpRange(first, last)


def _span(first: int, last: int, is_v6: bool) -> IpRange:
    """IPv4 addresses written as IPv6 are IPv4."""
    if is_v6 and first >> V4_BITS == last >> V4_BITS == _MAPPED:
        return IpRange(first & _V4_MASK, last & _V4_MASK)
    return IpRange(first, last, is_v6)


class AddressMap(Generic[V]):
    """The label of each address. If ranges overlap, the inner one wins."""

    # Bounds take 4 bytes for IPv4 and 16 for IPv6; `_labels` has the label before the first bound as its first item.
    __slots__ = ("_high", "_labels_v4", "_labels_v6", "_low", "_v4", "_values", "rows")

    def __init__(self, rows: Iterable[tuple[IpRange, V]]) -> None:
        v4: list[tuple[int, int, int]] = []
        v6: list[tuple[int, int, int]] = []
        indexes: dict[V, int] = {}
        # How many rows have each label.
        self.rows: Counter[V] = Counter()
        for (first, last, is_v6), value in rows:
            self.rows[value] += 1
            # If two start together, the wider comes first.
            (v6 if is_v6 else v4).append((first, -last, indexes.setdefault(value, len(indexes) + 1)))
        self._values = (None, *indexes)
        bounds, self._labels_v4 = _flattened(v4, 1 << V4_BITS)
        self._v4 = array("I", bounds)
        bounds, self._labels_v6 = _flattened(v6, 1 << V6_BITS)
        self._high = array("Q", (number >> 64 for number in bounds))
        self._low = array("Q", (number & _LOW for number in bounds))

    def get(self, ip: ParsedIp) -> V | None:
        number, is_v6 = ip
        if not is_v6:
            return self._values[self._labels_v4[bisect_right(self._v4, number)]]
        high = number >> 64
        first = bisect_left(self._high, high)
        position = bisect_right(self._low, number & _LOW, first, bisect_right(self._high, high, first))
        return self._values[self._labels_v6[position]]

    @property
    def covered_v4(self) -> int:
        """How many IPv4 addresses have a label."""
        ranges = zip(self._labels_v4[1:], self._v4, [*self._v4[1:], 1 << V4_BITS], strict=False)
        return sum(end - first for label, first, end in ranges if label != _OUTSIDE)


def _flattened(rows: list[tuple[int, int, int]], end: int) -> tuple[list[int], array[int]]:
    """Where the label changes, and to which one."""
    bounds: list[int] = []
    labels = array("I", [_OUTSIDE])

    def change(at: int, label: int) -> None:
        if at == end:
            return
        if bounds and bounds[-1] == at:
            labels[-1] = label
        elif labels[-1] != label:
            bounds.append(at)
            labels.append(label)

    def close(before: int) -> None:
        while under_way and under_way[-1][0] < before:
            last, _ = under_way.pop()
            while under_way and under_way[-1][0] <= last:
                under_way.pop()
            change(last + 1, under_way[-1][1] if under_way else _OUTSIDE)

    under_way: list[tuple[int, int]] = []
    for first, negative_last, label in sorted(rows):
        close(first)
        change(first, label)
        under_way.append((-negative_last, label))
    close(end)
    return bounds, labels
