"""Commands of a server that gave something which may still be owned: candidates for being sent again."""

from __future__ import annotations

from sqlalchemy import and_, bindparam, or_, select

from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import commands, customers, fraud_checks, orders, subscriptions
from lootkeep.storage.schema.fraud import IS_LATEST

# Bounded: queueing one batch never holds the write lock for long.
_BATCH = 100

_candidates = (
    select(commands.c.id, commands.c.order_id)
    .select_from(commands)
    .join(orders, orders.c.id == commands.c.order_id)
    .join(customers, customers.c.id == commands.c.customer_id)
    .outerjoin(fraud_checks, and_(fraud_checks.c.order_id == orders.c.id, IS_LATEST))
    .outerjoin(subscriptions, subscriptions.c.id == orders.c.subscription_id)
    .where(
        commands.c.server_id == bindparam("server"),
        commands.c.id > bindparam("after"),
        commands.c.cause == "paid",
        commands.c.resent_from_id.is_(None),
        orders.c.paid_at >= bindparam("since"),
        customers.c.erased_at.is_(None),
        or_(fraud_checks.c.review_outcome.is_(None), fraud_checks.c.review_outcome != "fraud"),
        or_(
            subscriptions.c.id.is_(None),
            subscriptions.c.ends_at.is_(None),
            subscriptions.c.ends_at > bindparam("now"),
        ),
    )
    .order_by(commands.c.id)
    .limit(_BATCH)
)
_CANDIDATES = Query(_candidates)
_OF_PLAYER = Query(_candidates.where(commands.c.player_id == bindparam("player")))


async def candidates(
    tx: Transaction, server_id: int, player_id: str | None, since: Instant, after: int, now: Instant
) -> tuple[list[int], int]:
    """The orders of the next ones, by id, and the last id; without what an erased buyer, a fraud or an end took."""
    conditions = {"server": server_id, "since": since, "after": after, "now": now}
    if player_id is None:
        rows = await tx.all(_CANDIDATES, **conditions)
    else:
        rows = await tx.all(_OF_PLAYER, **conditions, player=player_id)
    return sorted({order_id for _, order_id in rows}), rows[-1][0] if rows else after
