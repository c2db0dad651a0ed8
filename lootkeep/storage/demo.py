"""Whether a store contains anything, and the mark of a store with demo data."""

from __future__ import annotations

import msgspec
from sqlalchemy import exists, func, or_, select

from lootkeep.domain.orders import Order
from lootkeep.kernel.clock import Instant
from lootkeep.storage import settings
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import columns_of
from lootkeep.storage.schema import customers, orders, product_keys, products

_SETTINGS = "demo"
_TABLES = (customers, products, orders)
_ANY = {table.name: Query(select(table.c.id).limit(1)) for table in _TABLES}
_COUNTS = {table.name: Query(select(func.count()).select_from(table)) for table in _TABLES}
_ON_SALE = Query(
    select(products.c.id)
    .where(products.c.status == "active", products.c.billing_type == "one_time", products.c.deleted_at.is_(None))
    .order_by(products.c.id)
    .limit(100)
)
_WITH_KEY = Query(
    select(*columns_of(orders, Order))
    .where(
        or_(orders.c.status == "paid", orders.c.status == "completed"),
        exists().where(product_keys.c.order_id == orders.c.id),
    )
    .order_by(orders.c.id.desc())
    .limit(1),
    Order,
)
_LAST_CUSTOMER = Query(select(customers.c.id).order_by(customers.c.id.desc()).limit(1))


class Demo(msgspec.Struct, frozen=True):
    """Which demo was loaded; without a time, loading was not completed."""

    scale: str = ""
    seed: int = 0
    loaded_at: Instant | None = None
    # Anyone may look around, and nothing leaves the process.
    is_open_house: bool = False

    @property
    def is_begun(self) -> bool:
        return bool(self.scale)


async def existing_records(tx: Transaction) -> list[str]:
    """What the store already has: customers, products, orders."""
    return [name for name, query in _ANY.items() if await tx.one(query) is not None]


async def counts(tx: Transaction) -> dict[str, int]:
    return {name: (await tx.all(query))[0][0] for name, query in _COUNTS.items()}


async def mark(tx: Transaction) -> Demo:
    return await settings.get(tx, _SETTINGS, Demo)


async def set_mark(tx: Transaction, demo: Demo, now: Instant) -> None:
    await settings.get_for_update(tx, _SETTINGS, Demo, now)
    await settings.put(tx, _SETTINGS, demo, now)


async def set_open_house(tx: Transaction, is_open_house: bool, now: Instant) -> None:
    """Only a demo can be one."""
    demo = await mark(tx)
    if demo.is_begun and demo.is_open_house != is_open_house:
        await set_mark(tx, msgspec.structs.replace(demo, is_open_house=is_open_house), now)


async def products_on_sale(tx: Transaction) -> list[int]:
    """Products without recurring billing; a demo has few products."""
    return [row[0] for row in await tx.all(_ON_SALE)]


async def last_customer(tx: Transaction) -> int:
    row = await tx.one(_LAST_CUSTOMER)
    return row[0] if row else 0


async def order_with_key(tx: Transaction) -> Order | None:
    """The newest one that handed over a key: its buyer's page has something to show."""
    return await tx.one(_WITH_KEY)
