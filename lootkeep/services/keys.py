"""The stock of keys: added in batches, withdrawn, and looked at, which is always written down."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from lootkeep.deps import Deps
from lootkeep.domain import goods as goods_rules
from lootkeep.domain.goods import KEY_PURPOSE, KeyBatch, ProductKey, RevokedKey, SealedKey
from lootkeep.domain.products import Product
from lootkeep.engines.vault import Vault
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import existing, invalid
from lootkeep.kernel.money import Hundredths
from lootkeep.services import goods, orders
from lootkeep.storage import audit as audit_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import keys as keys_db
from lootkeep.storage.goods.keys import KeySelection
from lootkeep.storage.products import rows as products_db

REVEAL = "Show a key"
LIST_REVOKED = "List revoked keys for the supplier"


class KeysAdded(msgspec.Struct, frozen=True):
    added: int
    already_known: int
    stock: int


class KeysWithdrawn(msgspec.Struct, frozen=True):
    withdrawn: int
    # Keys that buyers have, with their orders.
    already_assigned: list[tuple[int, int]]


async def add(
    deps: Deps, product_id: int, keys: Sequence[str], batch: str | None, unit_cost: Hundredths | None
) -> KeysAdded:
    """Adds the keys that are new; orders that wait are served first, and the rest can be sold."""
    sealed = await asyncio.to_thread(_sealed, deps.vault, goods_rules.cleaned(keys))
    now = deps.clock.now()
    async with deps.db.write() as tx:
        await _take_turn(tx, product_id)
        product = await _product(tx, product_id)
        goods_rules.require_keys_product(product.delivery_type)
        waiting = await orders.lock_waiting(tx, product_id)
        count = await keys_db.add(tx, await _batch(tx, product, batch or "", unit_cost, now), sealed, now)
        stock = await products_db.change_keys(tx, product_id, count)
        await orders.serve(tx, product_id, waiting, now)
    return KeysAdded(count, len(keys) - count, stock)


async def withdraw(
    deps: Deps, product_id: int, *, batch: str | None = None, key_ids: Sequence[int] | None = None
) -> KeysWithdrawn:
    """Takes back the keys of a batch, or these, as far as they are available."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        await _take_turn(tx, product_id)
        product = await _product(tx, product_id)
        goods_rules.require_keys_product(product.delivery_type)
        selection = await _selection(tx, product_id, batch, key_ids)
        withdrawn = await keys_db.withdraw(tx, product_id, selection, now)
        stock = await products_db.change_keys(tx, product_id, -withdrawn)
        await goods.report_if_low(tx, product, stock, (product.stock or 0) - stock, now)
        return KeysWithdrawn(withdrawn, await keys_db.owned(tx, product_id, selection))


async def reveal(
    deps: Deps, product_id: int, key_id: int, *, user_id: int | None, ip_address: str | None = None
) -> tuple[ProductKey, str]:
    """The whole key; who looked at it is in the audit log."""
    async with deps.db.write() as tx:
        key = existing(await keys_db.ROWS.find_one(tx, id=key_id, product_id=product_id), "Key")
        record = f"product:{product_id}" if key.order_id is None else f"order:{key.order_id}"
        after = {"key_id": key_id, "key": key.masked_key}
        now = deps.clock.now()
        await audit_db.add(
            tx, user_id=user_id, action=REVEAL, record=record, after=after, ip_address=ip_address, now=now
        )
    return key, deps.vault.open(key.sealed_key, KEY_PURPOSE)


async def list_revoked(deps: Deps, product_id: int, *, user_id: int | None) -> list[RevokedKey]:
    """Whole, for the supplier; who read them is in the audit log."""
    async with deps.db.write() as tx:
        await _product(tx, product_id)
        keys = await keys_db.ROWS.find(tx, product_id=product_id, status="revoked")
        batches = {batch.id: batch.name for batch in await keys_db.BATCHES.find(tx, product_id=product_id)}
        record, now, after = f"product:{product_id}", deps.clock.now(), {"keys": len(keys)}
        await audit_db.add(tx, user_id=user_id, action=LIST_REVOKED, record=record, after=after, now=now)
    return [RevokedKey(key, deps.vault.open(key.sealed_key, KEY_PURPOSE), batches[key.batch_id]) for key in keys]


async def _take_turn(tx: Transaction, product_id: int) -> None:
    """Changes of a product's stock of keys run one after the other."""
    await tx.wait_for(f"keys of product {product_id}")


async def _product(tx: Transaction, product_id: int) -> Product:
    return existing(await products_db.ROWS.get(tx, product_id), "Product")


async def _batch(tx: Transaction, product: Product, name: str, unit_cost: Hundredths | None, now: Instant) -> KeyBatch:
    batch = await keys_db.BATCHES.find_one(tx, product_id=product.id, name=name)
    if batch is None:
        return await keys_db.BATCHES.add(tx, KeyBatch(0, product.id, name, unit_cost, now))
    if unit_cost is not None and unit_cost != batch.unit_cost:
        raise invalid("unit_cost", "The unit cost field differs from that of the batch. Use another batch.")
    return batch


async def _selection(
    tx: Transaction, product_id: int, batch: str | None, key_ids: Sequence[int] | None
) -> KeySelection:
    if key_ids is not None:
        return keys_db.with_ids(key_ids)
    existing_batch = await keys_db.BATCHES.find_one(tx, product_id=product_id, name=batch or "")
    if existing_batch is None:
        raise invalid("batch", "The batch field is not a batch of this product.")
    return keys_db.of_batch(existing_batch.id)


def _sealed(vault: Vault, keys: Sequence[str]) -> list[SealedKey]:
    def sealed(key: str) -> SealedKey:
        key_hash = vault.fingerprint(key.encode(), KEY_PURPOSE)
        return SealedKey(key_hash, vault.seal(key, KEY_PURPOSE), goods_rules.last_four(key))

    return [sealed(key) for key in keys]
