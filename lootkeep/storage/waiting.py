"""Times in the queues that are further ahead than any rule writes them, since the clock was set back after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Table, Text, bindparam, literal_column, update

from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.storage.database import Transaction
from lootkeep.storage.deliveries import PENDING
from lootkeep.storage.query import Query
from lootkeep.storage.tables import campaign_recipients, deliveries, email_campaigns, mails

# Clocks of several machines differ by less: what another worker has just written is left as it is.
_TOLERANCE = MINUTE


def _sooner(table: Table, column: str, *conditions: Any) -> Query[Any]:
    return Query(
        update(table).where(table.c[column] > bindparam("latest"), *conditions).values({column: bindparam("due")})
    )


def _after_failures(table: Table, *conditions: Any) -> Query[Any]:
    return _sooner(table, "due_at", table.c.failures == bindparam("failed"), *conditions)


_DELIVERIES = _after_failures(deliveries, PENDING)
_LEASES = _sooner(deliveries, "leased_until", PENDING)
_MAILS = _after_failures(mails, mails.c.finished_at.is_(None))
_RECIPIENTS = _after_failures(campaign_recipients, campaign_recipients.c.finished_at.is_(None))
_PACE = _sooner(email_campaigns, "next_at", email_campaigns.c.status == literal_column("'sending'", Text))


async def pull_in_deliveries(tx: Transaction, waits: Sequence[int], lease: int, now: Instant) -> None:
    """`waits` is how long a delivery waits at most after no failure, after one, after two and so on."""
    await _pull_in(tx, _DELIVERIES, waits, now)
    await tx.long(_LEASES, latest=now + lease + _TOLERANCE, due=now + lease)


async def pull_in_mails(tx: Transaction, waits: Sequence[int], now: Instant) -> None:
    await _pull_in(tx, _MAILS, waits, now)


async def pull_in_campaigns(tx: Transaction, waits: Sequence[int], pause: int, now: Instant) -> None:
    await tx.run(_PACE, latest=now + pause + _TOLERANCE, due=now)
    await _pull_in(tx, _RECIPIENTS, waits, now)


async def _pull_in(tx: Transaction, query: Query[Any], waits: Sequence[int], now: Instant) -> None:
    """The wait begins again: never sooner than the rule says, and late by what had passed of it."""
    for failures, wait in enumerate(waits):
        await tx.long(query, failed=failures, latest=now + wait + _TOLERANCE, due=now + wait)
