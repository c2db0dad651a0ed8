"""The sandbox for test tokens: prepared with relaxed fraud limits, and reset."""

from __future__ import annotations

from dataclasses import replace

from lootkeep.deps import Deps
from lootkeep.domain.fraud.policy import LIMITS, SETTINGS, Policy
from lootkeep.services import access, fraud
from lootkeep.storage import sandbox as sandbox_db, settings as settings_db
from lootkeep.storage.engine.database import JoinedDatabase

# Tests order often, from one IP address and right after signing up. `GET /fraud/settings` shows it, `PUT` changes it.
RELAXED = {
    "fraud_velocity_limit_orders_per_ip": LIMITS["fraud_velocity_limit_orders_per_ip"][1],
    "fraud_velocity_limit_orders_per_email": LIMITS["fraud_velocity_limit_orders_per_email"][1],
    "fraud_velocity_window_minutes": LIMITS["fraud_velocity_window_minutes"][0],
    "fraud_accounts_made_at_checkout": True,
}


async def prepare(deps: Deps) -> None:
    """A new sandbox gets its owner and the relaxed limits; an existing one does not change."""
    await access.ensure_owner(deps)
    async with deps.db.read() as tx:
        version, _ = await settings_db.current(tx, SETTINGS, Policy)
    if not version:
        await fraud.change_settings(deps, RELAXED)


async def reset(deps: Deps) -> None:
    """Removes everything but the tokens, even while servers use it."""
    async with deps.db.write(is_long=True) as tx:
        await sandbox_db.empty(tx)
        await fraud.change_settings(replace(deps, db=JoinedDatabase(tx)), RELAXED)
