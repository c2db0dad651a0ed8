"""Takes from the stock of a product, and reports when it becomes low."""

from __future__ import annotations

from lootkeep.domain import products as products_rules
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import Instant
from lootkeep.storage import alerts as alerts_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.products import rows as products_db
from lootkeep.views import products as products_views


async def take_stock(tx: Transaction, product: Product, quantity: int, error: Exception, now: Instant) -> None:
    """At the latest before the commit: the transaction fails with the error if there is too little."""

    async def report(left: int | None) -> None:
        if left is not None:
            await report_if_low(tx, product, left, quantity, now)

    await products_db.take_stock(tx, product.id, quantity, error, report)


async def report_if_low(tx: Transaction, product: Product, left: int, taken: int, now: Instant) -> None:
    if not products_rules.becomes_low(left, taken):
        return
    text = f"{product.name}: {left} left in stock"
    await alerts_db.raise_notice(tx, "low_stock", f"stock:{product.id}:{now}", text, f"/products/{product.id}", now)
    if product.delivery_type == "keys":
        await outbox_db.append(tx, "keys.low", products_views.keys_low(product, left), now)
