"""Operations of the catalogue: adding, changing and removing products, each with an event in the outbox."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import products as products_rules
from lootkeep.domain.product_commands import commands_of
from lootkeep.domain.products import Product, ProductTerms
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, InvalidFields, existing, invalid
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.goods import servers as servers_db
from lootkeep.storage.products import rows as products_db
from lootkeep.views import products as products_views


async def create(deps: Deps, terms: ProductTerms) -> Product:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        await products_db.wait_for_skus(tx, [terms.sku])
        product = await add_in(tx, terms, now)
        await outbox_db.append(tx, "product.created", products_views.created(product), now)
    return product


async def add_in(tx: Transaction, terms: ProductTerms, now: Instant) -> Product:
    """The same inside a larger transaction, which has waited for the sku; sends no events."""
    product = products_rules.new(terms, now)
    await _check_servers(tx, product.commands)
    sku, slug = product.sku, product.slug
    while (stored := await products_db.add(tx, product)) is None:
        if sku is not None and await products_db.has_sku(tx, sku):
            raise _taken()
        # Another transaction may take the same free slug: the constraint decides, and we try again.
        slugs = await products_db.slugs_like(tx, products_rules.slug_stem(slug))
        product = replace(product, slug=products_rules.slug_after(slug, slugs))
    return stored


async def change(deps: Deps, product_id: int, changes: dict[str, Any]) -> Product:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        before = await _get_for_update(tx, product_id)
        after = products_rules.changed(before, changes)
        if after.delivery_type != before.delivery_type:
            await _require_free(tx, product_id)
        if after.commands != before.commands:
            await _check_servers(tx, after.commands)
        names = products_rules.changed_fields(before, after)
        if not names:
            return before
        if after.sku not in (before.sku, None) and not await products_db.claim_sku(tx, after.sku):
            raise _taken()
        product = await products_db.save(tx, before, replace(after, updated_at=now))
        await outbox_db.append(tx, "product.updated", products_views.updated(product, names), now)
    return product


async def delete(deps: Deps, product_id: int) -> None:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        product = await _get_for_update(tx, product_id)
        if await products_db.has_active_subscriptions(tx, product_id):
            raise Conflict("product_has_subscriptions", "A product with active subscriptions cannot be deleted.")
        await products_db.remove(tx, product, now)
        await outbox_db.append(tx, "product.deleted", products_views.deleted(product, now), now)


async def _check_servers(tx: Transaction, commands: str) -> None:
    """Each command names a server, which is not deleted meanwhile."""
    in_commands = [command.server_id for command in commands_of(commands)]
    server_ids = {server_id for server_id in sorted(set(in_commands)) if await servers_db.ROWS.lock(tx, server_id)}
    errors = {
        f"commands.{index}.server_id": [f"The commands.{index}.server id field is not a server of this store."]
        for index, server_id in enumerate(in_commands)
        if server_id not in server_ids
    }
    if errors:
        raise InvalidFields(errors)


async def _require_free(tx: Transaction, product_id: int) -> None:
    """What was promised to buyers is delivered as it was promised."""
    if await products_db.has_keys(tx, product_id):
        raise Conflict("product_has_keys", "The delivery type of a product that has keys cannot be changed.")
    if await products_db.has_undelivered(tx, product_id):
        raise Conflict(
            "product_has_open_orders",
            "The delivery type cannot be changed while orders of this product wait for payment or delivery.",
        )


def _taken() -> InvalidFields:
    return invalid("sku", "The sku field has already been taken.")


async def _get_for_update(tx: Transaction, product_id: int) -> Product:
    return existing(await products_db.ROWS.lock(tx, product_id), "Product")
