"""Multiplies the orders of a store within its database, with buyers and checks: faster than judging each of them."""

from collections.abc import Iterator

from sqlalchemy import Column, Table

from lootkeep.storage.schema import customers, fraud_checks, order_items, orders, sightings

TABLES: tuple[Table, ...] = (customers, orders, order_items, fraud_checks, sightings)
# What may exist once.
_UNIQUE = (customers.c.email, customers.c.referral_code)


def statements(size: int, copies: int) -> Iterator[str]:
    """Of a store of `size` orders, whose ids are 1 to `size`; with the copies it has `copies` times as many."""
    if copies == 1:
        return
    numbers = ", ".join(f"({number})" for number in range(1, copies))
    for table in TABLES:
        names = ", ".join(f'"{column.name}"' for column in table.c)
        values = ", ".join(_copied(column, size) for column in table.c)
        yield (
            f"WITH n(i) AS (VALUES {numbers}) INSERT INTO {table.name} ({names})"
            f" SELECT {values} FROM {table.name} CROSS JOIN n"
        )


def _copied(column: Column[object], size: int) -> str:
    parents = {key.column.table for key in column.foreign_keys}
    if column.name == "id" or parents & set(TABLES):
        return f'"{column.name}" + i * {size}'
    return f"i || '.' || {column.name}" if column in _UNIQUE else f'"{column.name}"'
