"""Operations on the referral program: its settings, and the status of a referral."""

from __future__ import annotations

from typing import Any

from lootkeep.deps import Deps
from lootkeep.domain import referrals as referrals_rules
from lootkeep.domain.customers import Customer
from lootkeep.domain.referrals import SETTINGS, ReferralSettings
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.referrals import rows as referrals_db


async def change_settings(deps: Deps, changes: dict[str, Any]) -> ReferralSettings:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        current = await settings_db.get_for_update(tx, SETTINGS, ReferralSettings, now)
        changed = referrals_rules.change(current, changes, deps.currency)
        if changed != current:
            await settings_db.put(tx, SETTINGS, changed, now)
    return changed


async def update_status(tx: Transaction, customer: Customer) -> None:
    """The status of the customer's own referral, if there is one, after a change of their orders."""
    before = None if customer.referred_by_id is None else await referrals_db.ROWS.lock(tx, customer.id)
    if before is None:
        return
    after = before.with_first_order(await referrals_db.first_standing_order(tx, customer.id))
    if after != before:
        await referrals_db.save(tx, before, after)
