"""Creates a subscription."""

from __future__ import annotations

from sqlalchemy import insert

from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, subscriptions

NOW = Instant(1_000_000)

LATER = Instant(2_000_000)


async def subscribe(db: Engine, product_id: int) -> None:
    """An active subscription and its customer."""
    dates = {"created_at": NOW, "updated_at": NOW}
    customer = {
        "id": 1,
        "email": "ana@example.com",
        "name": "Ana",
        "status": "active",
        "accepts_marketing": False,
        "email_status": "ok",
        "referral_code": "ANA",
        "orders_count": 0,
        "total_spent": 0,
        "tags": "[]",
        "search_text": "ana",
        **dates,
    }
    subscription = {
        "customer_id": 1,
        "product_id": product_id,
        "product_name": "Sword",
        "status": "active",
        "price": 1,
        "currency": "USD",
        "interval": "month",
        "interval_count": 1,
        "current_period_start": NOW,
        "current_period_end": LATER,
        "cancel_at_period_end": False,
        "renewals_count": 0,
        **dates,
    }
    async with db.write() as tx:
        await tx.run(Query(insert(customers).values(customer)))
        await tx.run(Query(insert(subscriptions).values(subscription)))
