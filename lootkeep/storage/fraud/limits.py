"""When a velocity limit that is exceeded now will accept another order."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Text, bindparam, select

from lootkeep.domain.fraud.buyers import Buyer
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.fraud.history import FOREVER, IN_WINDOW, OF_MAILBOX
from lootkeep.storage.schema import orders, sightings


def _nth_newest(chosen: Any, name: str) -> Any:
    """The time of the order that must leave the window before another is accepted."""
    times = chosen.where(*IN_WINDOW).order_by(orders.c.created_at.desc())
    return times.limit(1).offset(bindparam(name)).scalar_subquery().label(name)


_LIMITING = Query(
    select(
        _nth_newest(
            select(orders.c.created_at).where(orders.c.ip_network == bindparam("address", type_=Text)), "per_address"
        ),
        _nth_newest(
            select(orders.c.created_at)
            .join(sightings, sightings.c.customer_id == orders.c.customer_id)
            .where(*OF_MAILBOX),
            "per_mailbox",
        ),
    )
)


async def ends(tx: Transaction, policy: Policy, buyer: Buyer) -> dict[str, Instant]:
    """When a velocity limit that is exceeded now will accept another order, by signal name."""
    window = policy.fraud_velocity_window_minutes * MINUTE
    ((by_address, by_mailbox),) = await tx.all(
        _LIMITING,
        address=buyer.ip_network,
        mailbox=buyer.mailbox,
        until=FOREVER,
        window=buyer.at - window,
        per_address=policy.fraud_velocity_limit_orders_per_ip - 1,
        per_mailbox=policy.fraud_velocity_limit_orders_per_email - 1,
    )
    result = {"velocity_ip": by_address, "velocity_email": by_mailbox}
    return {name: Instant(time + window) for name, time in result.items() if time is not None}
