"""Sets and maps of addresses: sorted arrays and a bisect, a microsecond and a few bytes for each range."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from lootkeep.engines.intelligence.addresses import V4_BITS, V6_BITS, Address, Span

V = TypeVar("V")

_LOW = (1 << 64) - 1
_V4_END = 1 << V4_BITS
_V6_END = 1 << V6_BITS
# Where no range is.
_NOBODY = -1


class _Bounds:
    """Sorted numbers, 4 bytes each for IPv4 and 16 for IPv6."""

    __slots__ = ("_high", "_low", "_v4")

    def __init__(self, v4: Iterable[int], v6: Sequence[int]) -> None:
        self._v4 = array("I", v4)
        self._high = array("Q", (number >> 64 for number in v6))
        self._low = array("Q", (number & _LOW for number in v6))

    def upto(self, address: Address) -> int:
        """How many bounds of its family are not above the address."""
        if not address.is_v6:
            return bisect_right(self._v4, address.number)
        high = address.number >> 64
        first = bisect_left(self._high, high)
        return bisect_right(self._low, address.number & _LOW, first, bisect_right(self._high, high, first))


class AddressSet:
    """Which addresses are on a list. Where a bound is crossed, the inside begins or ends."""

    __slots__ = ("_bounds", "covered_v4")

    def __init__(self, spans: Iterable[Span]) -> None:
        v4: list[tuple[int, int]] = []
        v6: list[tuple[int, int]] = []
        for first, last, is_v6 in spans:
            (v6 if is_v6 else v4).append((first, last))
        merged = _merged(v4, _V4_END)
        # The share of IPv4 tells a list from a mishap: 0.0.0.0/0 on a line and everyone is a proxy.
        ends = [*merged, _V4_END] if len(merged) % 2 else merged
        self.covered_v4 = sum(ends[1::2]) - sum(ends[::2])
        self._bounds = _Bounds(merged, _merged(v6, _V6_END))

    def __contains__(self, address: Address) -> bool:
        return bool(self._bounds.upto(address) & 1)


class AddressMap(Generic[V]):
    """What is known of each address. Where ranges overlap, the one inside the other says more."""

    __slots__ = ("_bounds", "_v4", "_v6", "_values")

    def __init__(self, rows: Iterable[tuple[Span, int]], values: Sequence[V]) -> None:
        """Each row is a range and the index of its value."""
        v4: list[tuple[int, int, int]] = []
        v6: list[tuple[int, int, int]] = []
        for (first, last, is_v6), value in rows:
            # The wider of two that begin together comes first.
            (v6 if is_v6 else v4).append((first, -last, value))
        bounds_v4, owners_v4 = _flattened(v4, _V4_END)
        bounds_v6, owners_v6 = _flattened(v6, _V6_END)
        self._bounds = _Bounds(bounds_v4, bounds_v6)
        self._v4 = array("i", owners_v4)
        self._v6 = array("i", owners_v6)
        self._values = values

    def get(self, address: Address) -> V | None:
        position = self._bounds.upto(address)
        if not position:
            return None
        owner = (self._v6 if address.is_v6 else self._v4)[position - 1]
        return None if owner == _NOBODY else self._values[owner]


def _merged(spans: list[tuple[int, int]], end: int) -> list[int]:
    """First, end, first, end: of ranges that touch or overlap one is made. An end beyond all addresses is left off."""
    bounds: list[int] = []
    for first, last in sorted(spans):
        if not bounds or first > bounds[-1]:
            bounds += (first, last + 1)
        elif last >= bounds[-1]:
            bounds[-1] = last + 1
    if bounds and bounds[-1] == end:
        bounds.pop()
    return bounds


def _flattened(rows: list[tuple[int, int, int]], end: int) -> tuple[list[int], list[int]]:
    """Where the owner changes, and to whom."""
    bounds: list[int] = []
    owners: list[int] = []

    def change(at: int, owner: int) -> None:
        if at == end:
            return
        if bounds and bounds[-1] == at:
            owners[-1] = owner
        elif not owners or owners[-1] != owner:
            bounds.append(at)
            owners.append(owner)

    def close(before: int) -> None:
        while under_way and under_way[-1][0] < before:
            last, _ = under_way.pop()
            while under_way and under_way[-1][0] <= last:
                under_way.pop()
            change(last + 1, under_way[-1][1] if under_way else _NOBODY)

    under_way: list[tuple[int, int]] = []
    for first, negative_last, owner in sorted(rows):
        close(first)
        change(first, owner)
        under_way.append((-negative_last, owner))
    close(end)
    return bounds, owners
