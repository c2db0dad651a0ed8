"""Storing the settings of fraud detection: every change is a new version, and every version is stored."""

from __future__ import annotations

from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.kernel.clock import Instant
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import checks as fraud_checks_db


async def save(tx: Transaction, before: Policy, after: Policy, now: Instant) -> Policy:
    """Checks refer to the version they were made with; an update that changes nothing creates none."""
    if after != before:
        version = await settings_db.put(tx, SETTINGS, after, now)
        await fraud_checks_db.store_policy(tx, version, after, now)
    return after
