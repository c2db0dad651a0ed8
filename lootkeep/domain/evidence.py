"""Evidence for a dispute: which earlier orders show that the buyer and the owner of the card are the same person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from lootkeep.domain.orders import order_number
from lootkeep.domain.players import Player
from lootkeep.kernel.clock import DAY, Instant

Match = Literal["customer", "email", "player", "ip_address", "device"]

# Between the payment of an earlier order and the dispute, as the card networks count; both ends count.
MIN_AGE = 120 * DAY
MAX_AGE = 365 * DAY
# How many earlier orders a dispute needs to qualify.
MIN_ORDERS = 2


class OrderTraces(msgspec.Struct, frozen=True):
    """What identifies the buyer of a paid order."""

    order_id: int
    paid_at: Instant
    customer_id: int
    email: str | None
    ip_address: str | None
    device: str | None
    instrument: str | None
    # Reported by the bank in any way, or refunded in full.
    is_disqualified: bool
    player: Player | None = None


class MatchingOrder(msgspec.Struct, frozen=True):
    order_id: int
    paid_at: Instant
    matches: tuple[Match, ...]

    @property
    def order_number(self) -> str:
        return order_number(self.order_id)


def compelling(order: OrderTraces, earlier: Iterable[OrderTraces], at: Instant) -> list[MatchingOrder]:
    """The earlier orders that count against a dispute at this time, the newest first."""
    counted = [
        MatchingOrder(other.order_id, other.paid_at, matches)
        for other in earlier
        if _is_eligible(order, other, at) and _identifies(matches := _matches(order, other))
    ]
    return sorted(counted, key=lambda match: (match.paid_at, match.order_id), reverse=True)


def _is_eligible(order: OrderTraces, other: OrderTraces, at: Instant) -> bool:
    return (
        other.order_id != order.order_id
        and not other.is_disqualified
        and order.instrument is not None
        and other.instrument == order.instrument
        and MIN_AGE <= at - other.paid_at <= MAX_AGE
    )


def _matches(order: OrderTraces, other: OrderTraces) -> tuple[Match, ...]:
    pairs: dict[Match, tuple[object, object]] = {
        "customer": (order.customer_id, other.customer_id),
        "email": (order.email, other.email),
        "player": (order.player, other.player),
        "ip_address": (order.ip_address, other.ip_address),
        "device": (order.device, other.device),
    }
    return tuple(name for name, (here, there) in pairs.items() if here is not None and here == there)


def _identifies(matches: tuple[Match, ...]) -> bool:
    """The address or the device, and one more."""
    return len(matches) > 1 and ("ip_address" in matches or "device" in matches)
