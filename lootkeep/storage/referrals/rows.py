"""Referrals, and the counts of referrers."""

from __future__ import annotations

from sqlalchemy import bindparam, func, or_, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.domain.orders import STANDING
from lootkeep.domain.referrals import AbuseReason, Referral, Referrer
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, insertion
from lootkeep.storage.schema import labels, orders, referrals, referrers, refused_referrals

ROWS = Rows(referrals, Referral, totals="referrals")
REFERRERS = Rows(referrers, Referrer)

_FIRST_STANDING_ORDER = Query(
    select(func.min(orders.c.paid_at)).where(
        orders.c.customer_id == bindparam("customer"),
        or_(*(orders.c.status == status for status in STANDING)),
        # A confirmed fraud earns nobody a reward.
        ~select(labels.c.order_id).where(labels.c.order_id == orders.c.id, labels.c.kind == "customer").exists(),
    )
)
_THIS_REFERRER = referrers.c.customer_id == bindparam("referrer")
_ADD_TOTAL = Query(
    postgresql.insert(referrers)
    .values(
        customer_id=bindparam("referrer"),
        total_referrals=1,
        successful_referrals=0,
        rewards_claimed=0,
        total_reached_at=0,
        successful_reached_at=0,
    )
    .on_conflict_do_update(index_elements=["customer_id"], set_={"total_referrals": referrers.c.total_referrals + 1})
)
_ADD_SUCCESSFUL = Query(
    update(referrers)
    .where(_THIS_REFERRER)
    .values(successful_referrals=referrers.c.successful_referrals + bindparam("change"))
)
_OF_REFERRER = referrals.c.referrer_id == referrers.c.customer_id
_SET_REACHED = Query(
    update(referrers)
    .where(_THIS_REFERRER)
    .values(
        total_reached_at=select(func.coalesce(func.max(referrals.c.referred_at), 0))
        .where(_OF_REFERRER)
        .scalar_subquery(),
        successful_reached_at=select(func.coalesce(func.max(referrals.c.first_order_at), 0))
        .where(_OF_REFERRER)
        .scalar_subquery(),
    )
)
_ADD_CLAIM = Query(update(referrers).where(_THIS_REFERRER).values(rewards_claimed=referrers.c.rewards_claimed + 1))
_ADD_REFUSED = insertion(refused_referrals, "customer_id", "referrer_id", "reason", "created_at")
_REJECTIONS = Query(
    select(refused_referrals.c.reason, refused_referrals.c.created_at)
    .where(refused_referrals.c.customer_id == bindparam("customer"))
    .order_by(refused_referrals.c.id)
)


async def add(tx: Transaction, referral: Referral) -> bool:
    """Attributes a new customer to a referrer; False if the mailbox or the device was referred before."""
    if await ROWS.add_if_free(tx, referral) is None:
        return False
    await tx.run(_ADD_TOTAL, referrer=referral.referrer_id)
    await _set_reached(tx, referral.referrer_id)
    return True


async def add_refused(tx: Transaction, customer_id: int, referrer_id: int, reason: str, now: Instant) -> None:
    """Stored for staff to review."""
    await tx.run(_ADD_REFUSED, customer_id=customer_id, referrer_id=referrer_id, reason=reason, created_at=now)
    tx.totals.count("refused referrals", None, True)


async def rejections_of(tx: Transaction, customer_id: int) -> list[tuple[AbuseReason, Instant]]:
    """Why a sign-up of this customer was not attributed, and when."""
    return [(reason, created_at) for reason, created_at in await tx.all(_REJECTIONS, customer=customer_id)]


async def first_standing_order(tx: Transaction, customer_id: int) -> Instant | None:
    """When the first order was paid that still counts."""
    ((paid_at,),) = await tx.all(_FIRST_STANDING_ORDER, customer=customer_id)
    return None if paid_at is None else Instant(paid_at)


async def save(tx: Transaction, before: Referral, after: Referral) -> None:
    """With the counts of the referrer."""
    await ROWS.save(tx, before, after)
    change = int(after.status == "successful") - int(before.status == "successful")
    await tx.run(_ADD_SUCCESSFUL, referrer=after.referrer_id, change=change)
    await _set_reached(tx, after.referrer_id)


async def referrer(tx: Transaction, customer_id: int) -> Referrer:
    """A customer's counts, which are 0 for a customer who never referred anyone."""
    return await REFERRERS.get(tx, customer_id) or Referrer(customer_id, 0, 0, 0)


async def get_referrer_for_update(tx: Transaction, customer_id: int) -> Referrer:
    """The same, locked until the transaction ends: claims of one customer run one after the other."""
    return await REFERRERS.lock(tx, customer_id) or Referrer(customer_id, 0, 0, 0)


async def add_claim(tx: Transaction, customer_id: int) -> None:
    await tx.run(_ADD_CLAIM, referrer=customer_id)


async def _set_reached(tx: Transaction, referrer_id: int) -> None:
    # A separate statement, after the row is locked: only then does it see what others have just committed.
    await tx.run(_SET_REACHED, referrer=referrer_id)
