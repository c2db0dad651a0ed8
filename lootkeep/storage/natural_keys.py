"""Looks up many rows at once by natural keys: e-mails, external ids, skus, hashes of codes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Column, bindparam, select

from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, gift_cards, orders, products


def _ids_by(column: Column[Any]) -> Query[tuple[Any, ...]]:
    return Query(select(column, column.table.c.id).where(column == bindparam("wanted", type_=column.type)))


_CUSTOMERS_BY_EMAIL = _ids_by(customers.c.email)
_CUSTOMERS_BY_EXTERNAL_ID = _ids_by(customers.c.external_id)
_ORDERS_BY_EXTERNAL_ID = _ids_by(orders.c.external_id)
_PRODUCTS_BY_SKU = _ids_by(products.c.sku)
_GIFT_CARDS_BY_HASH = _ids_by(gift_cards.c.code_hash)


async def customers_by_email(tx: Transaction, emails: Iterable[str]) -> dict[str, int]:
    """The ids by e-mail; unknown e-mails are missing."""
    return await _ids(tx, _CUSTOMERS_BY_EMAIL, emails)


async def customers_by_external_id(tx: Transaction, external_ids: Iterable[str]) -> dict[str, int]:
    return await _ids(tx, _CUSTOMERS_BY_EXTERNAL_ID, external_ids)


async def orders_by_external_id(tx: Transaction, external_ids: Iterable[str]) -> dict[str, int]:
    return await _ids(tx, _ORDERS_BY_EXTERNAL_ID, external_ids)


async def products_by_sku(tx: Transaction, skus: Iterable[str]) -> dict[str, int]:
    return await _ids(tx, _PRODUCTS_BY_SKU, skus)


async def gift_cards_by_hash(tx: Transaction, hashes: Iterable[str]) -> dict[str, int]:
    return await _ids(tx, _GIFT_CARDS_BY_HASH, hashes)


async def _ids(tx: Transaction, query: Query[tuple[Any, ...]], names: Iterable[str]) -> dict[str, int]:
    return dict(await tx.fetch_for_each(query, [{"wanted": name} for name in dict.fromkeys(names)]))
