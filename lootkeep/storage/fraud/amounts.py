"""The amount above which an order is large, by week and currency: measured rarely, read at every checkout."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import BigInteger, bindparam, func, literal_column, select
from sqlalchemy.dialects import postgresql

from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import large_amounts, orders

_IN_WINDOW = (orders.c.created_at >= bindparam("begin"), orders.c.created_at < bindparam("end"))

_IS_MEASURED = Query(select(large_amounts.c.week).where(large_amounts.c.week == bindparam("this")).limit(1))
_COUNTS = Query(select(orders.c.currency, func.count()).where(*_IN_WINDOW).group_by(orders.c.currency))
_AMOUNT = Query(
    select(orders.c.subtotal)
    .where(*_IN_WINDOW, orders.c.currency == bindparam("code"))
    .order_by(orders.c.subtotal)
    .limit(literal_column("1", BigInteger))
    .offset(bindparam("position", type_=BigInteger))
)
_SAVE = Query(
    postgresql.insert(large_amounts)
    .values(week=bindparam("this"), currency=bindparam("code"), amount=bindparam("line"))
    .on_conflict_do_nothing()
)


async def is_measured(tx: Transaction, week: int) -> bool:
    return await tx.one(_IS_MEASURED, this=week) is not None


async def counts(tx: Transaction, begin: int, end: int) -> dict[str, int]:
    """How many orders there were, by currency."""
    return dict(await tx.all(_COUNTS, begin=begin, end=end))


async def amount_at(tx: Transaction, begin: int, end: int, currency: str, position: int) -> int:
    """One of the amounts of these orders, in ascending order."""
    ((amount,),) = await tx.all(_AMOUNT, begin=begin, end=end, code=currency, position=position)
    return int(amount)


async def save(tx: Transaction, week: int, lines: Mapping[str, int]) -> None:
    for currency, line in lines.items():
        await tx.run(_SAVE, this=week, code=currency, line=line)
