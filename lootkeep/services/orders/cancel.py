"""Cancels an unpaid order."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import orders as orders_rules
from lootkeep.domain.orders import OrderDetails
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.services import gift_cards
from lootkeep.services.orders import _checkout, _details
from lootkeep.storage import coupons as coupons_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.views import order_events as order_events_views


async def cancel(deps: Deps, order_id: int, reason: str | None) -> tuple[OrderDetails, Hundredths]:
    """The order, and the amount that could not be returned to a revoked gift card."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        details = await _details.lock(tx, order_id)
        orders_rules.require(details.order, "cancel")
        details, unreturned = await cancel_in(tx, details, reason, now)
    return details, unreturned


async def cancel_in(
    tx: Transaction, details: OrderDetails, reason: str | None, now: Instant
) -> tuple[OrderDetails, Hundredths]:
    """The same inside a transaction: gift card, coupon and stock are released."""
    after = replace(details.order, status="cancelled", cancel_reason=reason, cancelled_at=now, updated_at=now)
    await orders_db.save(tx, details.order, after, details.items)
    card = await gift_cards.give_back(tx, details.order, details.order.gift_card_total, now)
    unreturned = details.order.gift_card_total if card and card.revoked_at is not None else Hundredths(0)
    details = replace(details, order=after)
    await outbox_db.append(tx, "order.cancelled", order_events_views.cancelled(details), now)
    # Last, in the lock order of a checkout.
    if after.coupon_id is not None:
        await coupons_db.release(tx, after.coupon_id)
    await _checkout.release_stock(tx, details.items)
    return details, unreturned
