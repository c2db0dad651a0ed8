"""Gift cards counted again: balances from the ledger, statuses from the balances and the time, totals from both."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, and_, bindparam, case, cast, func, or_, select, update

from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage import counters
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.gift_cards import COUNTER, VALUE
from lootkeep.storage.schema import gift_card_entries as entries
from lootkeep.storage.schema import gift_cards as cards


def _summed(value: Any) -> Any:
    return cast(func.sum(value), BigInteger)


_balances = (
    select(entries.c.gift_card_id, _summed(entries.c.amount).label("balance"))
    .group_by(entries.c.gift_card_id)
    .subquery()
)
_NOW = bindparam("now", type_=BigInteger)
_states = (
    select(
        cards.c.id,
        cards.c.starts_at,
        cards.c.expires_at,
        _balances.c.balance,
        case(
            (cards.c.revoked_at.is_not(None), "revoked"),
            (_balances.c.balance == 0, "redeemed"),
            (cards.c.expires_at <= _NOW, "expired"),
            (cards.c.starts_at > _NOW, "scheduled"),
            else_="active",
        ).label("status"),
    )
    .join(_balances, _balances.c.gift_card_id == cards.c.id)
    .subquery()
)
_truth = select(
    _states.c.id,
    _states.c.balance,
    _states.c.status,
    case(
        (_states.c.status == "scheduled", _states.c.starts_at),
        (_states.c.status == "active", _states.c.expires_at),
    ).label("turns_at"),
).subquery()
_MEND = Query(
    update(cards)
    .where(
        cards.c.id == _truth.c.id,
        or_(
            cards.c.balance != _truth.c.balance,
            # What is due to turn is settled by others, with all that goes with it.
            and_(
                or_(cards.c.turns_at.is_(None), cards.c.turns_at > _NOW),
                or_(
                    cards.c.kept_status != _truth.c.status,
                    cards.c.turns_at.is_distinct_from(_truth.c.turns_at),
                ),
            ),
        ),
    )
    .values(balance=_truth.c.balance, kept_status=_truth.c.status, turns_at=_truth.c.turns_at)
    .returning(cards.c.id)
)

_PLACE = cards.c.currency + "." + cards.c.kept_status
_DAYS = select(_PLACE.label("name"), (cards.c.created_at // DAY).label("day")).subquery()
# Like the other counts by day: name, day, count.
DAILY = {COUNTER: Query(select(_DAYS.c.name, _DAYS.c.day, func.count()).group_by(_DAYS.c.name, _DAYS.c.day))}

_held = select(_PLACE.label("name"), cards.c.balance).where(cards.c.balance > 0).subquery()
_HELD = Query(select(_held.c.name, _summed(_held.c.balance)).group_by(_held.c.name))
_SUM_OF = case((entries.c.type == "issue", ".issued"), (entries.c.type == "revoke", ".revoked"), else_=".redeemed")
_SIGNED = case((entries.c.type == "issue", entries.c.amount), else_=-entries.c.amount)
_moved = (
    select((cards.c.currency + _SUM_OF).label("name"), _SIGNED.label("amount"))
    .join(cards, cards.c.id == entries.c.gift_card_id)
    .subquery()
)
_MOVED = Query(select(_moved.c.name, _summed(_moved.c.amount)).group_by(_moved.c.name))


async def mend(tx: Transaction, now: Instant) -> int:
    """How many cards were wrong."""
    return len(await tx.all(_MEND, now=now))


async def totals(tx: Transaction) -> dict[tuple[str, int], int]:
    """What the cards hold by status, and what their ledgers add up to."""
    found = [*await tx.all(_HELD), *await tx.all(_MOVED)]
    return {(VALUE + name, counters.TOTAL): value for name, value in found}
