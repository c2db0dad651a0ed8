"""Carts whose buyers are known, and which of them can be placed at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from lootkeep.domain.checkout import Cart
from lootkeep.domain.customers import Customer
from lootkeep.domain.identity import Trace
from lootkeep.kernel.clock import Instant


class Wanted(msgspec.Struct, frozen=True):
    """A cart whose buyer may order."""

    # Among all carts.
    place: int
    cart: Cart
    customer: Customer
    traces: list[Trace]

    def at(self, now: Instant) -> Instant:
        """When it is ordered: history has a time of its own."""
        return now if self.cart.created_at is None else self.cart.created_at


def apart(wanted: Sequence[Wanted]) -> Iterator[list[Wanted]]:
    """Cuts them where one must see another before it: both of a customer, a mailbox, an address or a device."""
    part: list[Wanted] = []
    seen: set[int | Trace] = set()
    for one in wanted:
        marks: set[int | Trace] = {one.customer.id, *one.traces}
        if not seen.isdisjoint(marks):
            yield part
            part, seen = [], set()
        part.append(one)
        seen |= marks
    if part:
        yield part
