"""Hands over what a payment bought, and takes it back."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from lootkeep.domain.fulfilment import delivered
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import keys as keys_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.storage.products import rows as products_db


async def hand_over(
    tx: Transaction, items: Sequence[OrderItem], paid: Order, without_commands: Collection[int] = ()
) -> list[OrderItem]:
    """The lines after the payment: each key that there is gets assigned, the rest of the line waits.

    A renewal that runs no commands has nothing to deliver.
    """
    now, paid_at = paid.updated_at, paid.paid_at
    with_file = await products_db.with_file(tx, {line.product_id for line in items if line.delivery_type == "file"})
    lines: list[OrderItem] = []
    for line in items:
        if line.delivery_type == "keys":
            assigned = await keys_db.assign(tx, line, line.missing, now)
            lines.append(delivered(replace(line, waiting_since=paid_at), len(assigned), now))
        elif line.delivery_type == "gift_card" or line.product_id in with_file or line.id in without_commands:
            lines.append(delivered(line, line.missing, now))
        else:
            lines.append(line)
    return lines


async def release_waiting(tx: Transaction, before: Sequence[OrderItem], after: Sequence[OrderItem]) -> None:
    """Returns the reservations of pieces that no longer wait for a key."""
    for old, new in sorted(zip(before, after, strict=True), key=lambda pair: pair[0].product_id):
        if old.waiting_since is not None:
            still_waiting = 0 if new.waiting_since is None else new.missing
            if old.missing > still_waiting:
                await products_db.release_stock(tx, old.product_id, old.missing - still_waiting)


async def revoke(tx: Transaction, items: Sequence[OrderItem], now: Instant) -> list[OrderItem]:
    """The keys of an order are revoked, and lines that wait get none; the lines afterwards."""
    of_keys = [line for line in items if line.delivery_type == "keys"]
    if not of_keys:
        return list(items)
    await keys_db.revoke(tx, of_keys[0].order_id, now)
    after = [replace(line, waiting_since=None) for line in items]
    if any(line.waiting_since is not None for line in items):
        await orders_db.set_delivered(tx, [line for line in after if line.delivery_type == "keys"])
        await release_waiting(tx, items, after)
    return after
