"""What a payment, a delivery and a refund add to the figures of analytics, each on the day it happens."""

from __future__ import annotations

from collections import defaultdict

from lootkeep.domain.orders import Order, Sale
from lootkeep.kernel.clock import Instant
from lootkeep.storage.counters import Changes
from lootkeep.storage.rollups import DAYS, MONTHS, QUARTERS

# The whole store and each product have series; countries and methods only sums.
_SERIES = (QUARTERS, DAYS, MONTHS)
_SUMS = (DAYS, MONTHS)


def paid(changes: Changes, sale: Sale, at: Instant) -> None:
    order, rollups = sale.order, changes.rollups
    money = {"gross": order.total, "discounts": order.discount_total, "gift_cards": order.gift_card_total}
    items = sum(line.quantity for line in sale.items)
    rollups.add("all", "", at, order.currency, _SERIES, orders=1, items=items, **money)
    for dimension, key in (("country", order.billing_country), ("method", order.payment_method)):
        rollups.add(dimension, key or "", at, order.currency, _SUMS, orders=1, gross=order.total)
    for product_id, (quantity, total) in _by_product(sale).items():
        rollups.add("product", str(product_id), at, order.currency, _SERIES, orders=1, items=quantity, gross=total)
    rollups.buy(order.customer_id, at)


def first_bought(changes: Changes, before: Instant | None, at: Instant) -> None:
    """A customer is new on the day of the first order; history may bring an earlier one."""
    if before is not None and before <= at:
        return
    changes.rollups.add("all", "", at, "", _SERIES, new_customers=1)
    if before is not None:
        changes.rollups.add("all", "", before, "", _SERIES, new_customers=-1)


def completed(changes: Changes, sale: Sale, at: Instant) -> None:
    changes.rollups.add("all", "", at, sale.order.currency, _SERIES, completed_orders=1)
    for product_id in _by_product(sale):
        changes.rollups.add("product", str(product_id), at, sale.order.currency, _SERIES, completed_orders=1)


def refunded(changes: Changes, sale: Sale, after: Order, amount: int, at: Instant) -> None:
    """A part of an order is no part of its products: these are given back with the whole order."""
    is_full = after.status == "refunded"
    changes.rollups.add("all", "", at, after.currency, _SERIES, refunds=amount, refunded_orders=int(is_full))
    if not is_full:
        return
    for product_id, (_, total) in _by_product(sale).items():
        changes.rollups.add("product", str(product_id), at, after.currency, _SERIES, refunds=total, refunded_orders=1)


def _by_product(sale: Sale) -> dict[int, tuple[int, int]]:
    """Quantity and amount of each product, which may stand on several lines."""
    sums: dict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for line in sale.items:
        quantity, total = sums[line.product_id]
        sums[line.product_id] = quantity + line.quantity, total + line.total
    return sums
