"""The review queue: assignment and due time of a check, and what happens to held orders after that time."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.kernel.errors import existing, invalid
from lootkeep.services import orders
from lootkeep.storage import settings as settings_db
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.fraud import checks as fraud_checks_db, queue as fraud_queue_db


async def assign(deps: Deps, check_id: int, changes: dict[str, Any]) -> FraudCheck:
    """Changes the reviewer of a check and, if sent, its due time."""
    async with deps.db.write() as tx:
        check = existing(await fraud_checks_db.ROWS.lock(tx, check_id), "Fraud check")
        assigned = replace(check, **changes)
        if assigned.owner_id is not None and await access_db.STAFF.get(tx, assigned.owner_id) is None:
            raise invalid("owner_id", "The owner id field is not a user of this store.")
        return await fraud_checks_db.ROWS.save(tx, check, assigned)


async def end_holds(deps: Deps) -> None:
    """Ends overdue holds as the settings say, each in its own transaction."""
    now = deps.clock.now()
    async with deps.db.read() as tx:
        step = (await settings_db.get(tx, SETTINGS, Policy)).fraud_review_when_due
        due = await fraud_queue_db.due(tx, now)
    if step == "wait":
        return
    for check_id in due:
        async with deps.db.write() as tx:
            check = await fraud_checks_db.ROWS.lock(tx, check_id)
            # Someone may have reviewed it, or extended its due time, since it was read.
            if check is None or check.review_outcome or check.due_at is None or check.due_at > now:
                continue
            await orders.end_hold(deps, tx, check, step, now)
