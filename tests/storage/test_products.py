"""Products in the database, on both engines, alone and under races."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from sqlalchemy import select, update

from lootkeep.domain.products import PLAIN, Product
from lootkeep.kernel.money import Hundredths
from lootkeep.services import products as products_service
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.query import Query
from lootkeep.storage.products import rows as products_db
from lootkeep.storage.schema import products, subscriptions
from tests.storage.subscribing import LATER, NOW, subscribe

SWORD = msgspec.structs.replace(PLAIN, name="Sword", price=Hundredths(19_99))


async def make(db: Engine, **terms: Any) -> Product:
    async with db.write() as tx:
        return await products_service.add_in(tx, msgspec.structs.replace(SWORD, **terms), NOW)


async def read(db: Engine, product_id: int) -> Product:
    async with db.read() as tx:
        product = await products_db.ROWS.get(tx, product_id)
    assert product is not None
    return product


async def stored(db: Engine, product_id: int) -> Any:
    """The row itself, deleted or not."""
    columns = products.c.sku, products.c.slug, products.c.search_text, products.c.deleted_at
    async with db.read() as tx:
        return await tx.one(Query(select(*columns).where(products.c.id == product_id)))


async def reserve(db: Engine, product_id: int, quantity: int) -> bool:
    async with db.write() as tx:
        return await products_db.reserve_stock(tx, product_id, quantity) is not None


async def remove(db: Engine, product_id: int) -> None:
    async with db.write() as tx:
        product = await products_db.ROWS.lock(tx, product_id)
        assert product is not None
        await products_db.remove(tx, product, LATER)


async def test_an_added_product_is_read_back_as_it_was(db: Engine) -> None:
    added = await make(db, sku="S-1", stock=3, tags='["rare"]', metadata='{"a":1.50}')
    assert added == await read(db, added.id)
    assert (added.id, added.slug, added.sku, added.tags, added.metadata) == (
        1,
        "sword",
        "S-1",
        '["rare"]',
        '{"a":1.50}',
    )
    assert (added.sales_count, added.created_at, added.updated_at, added.deleted_at) == (0, NOW, NOW, None)


async def test_many_products_are_looked_up_at_once_without_the_deleted(db: Engine) -> None:
    sword, axe, bow = await make(db), await make(db, name="Axe"), await make(db, name="Bow")
    await remove(db, axe.id)
    async with db.read() as tx:
        assert await products_db.ROWS.get_many(tx, [bow.id, axe.id, sword.id, sword.id, 99]) == {1: sword, 3: bow}
        assert await products_db.ROWS.get_many(tx, []) == {}


async def test_products_with_the_same_name_get_numbered_slugs(db: Engine) -> None:
    assert [(await make(db)).slug for _ in range(4)] == ["sword", "sword-2", "sword-3", "sword-4"]


async def test_a_slug_number_taken_by_another_name_is_skipped(db: Engine) -> None:
    await make(db, name="Sword 2")
    await make(db, name="Sword of Dawn")
    assert [(await make(db)).slug for _ in range(2)] == ["sword", "sword-3"]


async def test_long_names_that_begin_the_same_get_different_slugs(db: Engine) -> None:
    slugs = [(await make(db, name="x" * length)).slug for length in (90, 100, 255)]
    assert slugs == ["x" * 80, "x" * 78 + "-2", "x" * 78 + "-3"]


async def test_concurrent_products_with_the_same_name_get_different_slugs(db: Engine) -> None:
    added = await asyncio.gather(*(make(db) for _ in range(20)))
    assert {product.slug for product in added} == {"sword", *(f"sword-{number}" for number in range(2, 21))}


async def test_a_change_keeps_the_slug_and_updates_the_search(db: Engine) -> None:
    sword = await make(db, sku="S-1")
    async with db.write() as tx:
        changed = await products_db.save(tx, sword, msgspec.structs.replace(sword, name="Axe", updated_at=LATER))
    assert changed == msgspec.structs.replace(sword, name="Axe", updated_at=LATER)
    assert await stored(db, sword.id) == ("S-1", "sword", "axe\ns-1", None)


async def test_a_deleted_product_is_gone_but_its_row_stays(db: Engine) -> None:
    sword = await make(db, sku="S-1", stock=5)
    await remove(db, sword.id)
    async with db.write() as tx:
        assert await products_db.ROWS.get(tx, sword.id) is None
        assert await products_db.ROWS.lock(tx, sword.id) is None
        assert not await products_db.reserve_stock(tx, sword.id, 1)
    assert await stored(db, sword.id) == (None, "sword", "sword\ns-1", LATER)


async def test_a_deleted_product_frees_its_sku_but_not_its_slug(db: Engine) -> None:
    await remove(db, (await make(db, sku="S-1")).id)
    again = await make(db, sku="S-1")
    assert (again.sku, again.slug) == ("S-1", "sword-2")


async def test_stock_is_reserved_as_long_as_there_is_enough(db: Engine) -> None:
    sword = await make(db, stock=5)
    assert [await reserve(db, sword.id, quantity) for quantity in (6, 3, 3, 2, 1)] == [False, True, False, True, False]
    assert await read(db, sword.id) == msgspec.structs.replace(sword, stock=0)


async def test_released_stock_can_be_reserved_again(db: Engine) -> None:
    sword = await make(db, stock=1)
    assert await reserve(db, sword.id, 1)
    async with db.write() as tx:
        await products_db.release_stock(tx, sword.id, 1)
    assert await reserve(db, sword.id, 1)


async def test_unlimited_stock_stays_unlimited(db: Engine) -> None:
    sword = await make(db)
    assert await reserve(db, sword.id, 1_000_000)
    async with db.write() as tx:
        await products_db.release_stock(tx, sword.id, 1_000_000)
    assert (await read(db, sword.id)).stock is None


async def test_nothing_is_reserved_of_a_missing_product(db: Engine) -> None:
    assert not await reserve(db, 7, 1)


async def test_64_concurrent_reservations_share_a_stock_of_10(db: Engine) -> None:
    sword = await make(db, stock=10)
    answers = await asyncio.gather(*(reserve(db, sword.id, 1) for _ in range(64)))
    assert sorted(answers) == [False] * 54 + [True] * 10
    assert (await read(db, sword.id)).stock == 0


async def test_a_change_made_during_reservations_loses_none_of_them(db: Engine) -> None:
    sword = await make(db, stock=100)

    async def rename(name: str) -> None:
        async with db.write() as tx:
            product = await products_db.ROWS.lock(tx, sword.id)
            assert product is not None
            await products_db.save(tx, product, msgspec.structs.replace(product, name=name, updated_at=LATER))

    operations = [operation for i in range(20) for operation in (reserve(db, sword.id, 1), rename(f"Sword {i}"))]
    await asyncio.gather(*operations)
    assert (await read(db, sword.id)).stock == 80


async def test_sales_counters_change_without_touching_other_columns(db: Engine) -> None:
    sword = await make(db)
    async with db.write() as tx:
        await products_db.add_sales(tx, {sword.id: 3}, {})
        await products_db.add_sales(tx, {sword.id: -1}, {})
    assert await read(db, sword.id) == msgspec.structs.replace(sword, sales_count=2)


async def test_only_active_subscriptions_of_the_product_itself_count(db: Engine) -> None:
    sword, axe = await make(db), await make(db, name="Axe")
    await subscribe(db, sword.id)
    async with db.write() as tx:
        assert await products_db.has_active_subscriptions(tx, sword.id)
        assert not await products_db.has_active_subscriptions(tx, axe.id)
        await tx.run(Query(update(subscriptions).values(status="cancelled")))
        assert not await products_db.has_active_subscriptions(tx, sword.id)
