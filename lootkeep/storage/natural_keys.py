"""Many rows at once by the names people give them: e-mails, external ids, skus."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Column, bindparam, select

from lootkeep.storage.database import Transaction
from lootkeep.storage.query import Query
from lootkeep.storage.tables import customers, orders, products

# Statements are compiled once, so each asks for the same number of names; a short list repeats its last.
_AT_ONCE = 100


def _ids_by(column: Column[Any]) -> Query[tuple[Any, ...]]:
    names: list[Any] = [bindparam(f"name_{i}", type_=column.type) for i in range(_AT_ONCE)]
    return Query(select(column, column.table.c.id).where(column.in_(names)))


_CUSTOMERS_BY_EMAIL = _ids_by(customers.c.email)
_CUSTOMERS_BY_EXTERNAL_ID = _ids_by(customers.c.external_id)
_ORDERS_BY_EXTERNAL_ID = _ids_by(orders.c.external_id)
_PRODUCTS_BY_SKU = _ids_by(products.c.sku)


async def customers_by_email(tx: Transaction, emails: Iterable[str]) -> dict[str, int]:
    """The ids by e-mail; who is not a customer is not there."""
    return await _ids(tx, _CUSTOMERS_BY_EMAIL, emails)


async def customers_by_external_id(tx: Transaction, external_ids: Iterable[str]) -> dict[str, int]:
    return await _ids(tx, _CUSTOMERS_BY_EXTERNAL_ID, external_ids)


async def orders_by_external_id(tx: Transaction, external_ids: Iterable[str]) -> dict[str, int]:
    return await _ids(tx, _ORDERS_BY_EXTERNAL_ID, external_ids)


async def products_by_sku(tx: Transaction, skus: Iterable[str]) -> dict[str, int]:
    return await _ids(tx, _PRODUCTS_BY_SKU, skus)


async def _ids(tx: Transaction, query: Query[tuple[Any, ...]], names: Iterable[str]) -> dict[str, int]:
    wanted = list(dict.fromkeys(names))
    found: dict[str, int] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        part = wanted[start : start + _AT_ONCE]
        part += part[-1:] * (_AT_ONCE - len(part))
        found |= dict(await tx.all(query, **{f"name_{i}": name for i, name in enumerate(part)}))
    return found
