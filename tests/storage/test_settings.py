"""Stored settings: defaults until something is changed, and no change lost."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from sqlalchemy import select

from lootkeep.domain.referrals import ReferralSettings
from lootkeep.kernel.clock import Instant
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import settings

GROUP = "referrals"
ROWS = Query(select(settings.c.name, settings.c.version, settings.c.updated_at))


async def read(db: Engine) -> ReferralSettings:
    async with db.read() as tx:
        return await settings_db.get(tx, GROUP, ReferralSettings)


async def change(db: Engine, now: int = 1, **changes: Any) -> None:
    async with db.write() as tx:
        current = await settings_db.get_for_update(tx, GROUP, ReferralSettings, Instant(now))
        await settings_db.put(tx, GROUP, msgspec.structs.replace(current, **changes), Instant(now))


async def test_a_new_store_has_the_defaults(db: Engine) -> None:
    assert await read(db) == ReferralSettings()


async def test_reading_the_defaults_writes_nothing(db: Engine) -> None:
    await read(db)
    async with db.read() as tx:
        assert await tx.all(ROWS) == []


async def test_a_change_is_stored_and_leaves_the_other_fields_alone(db: Engine) -> None:
    await change(db, referral_enabled=False)
    assert await read(db) == ReferralSettings(referral_enabled=False)


async def test_concurrent_changes_of_different_fields_are_both_stored(db: Engine) -> None:
    await asyncio.gather(change(db, referral_enabled=False), change(db, referral_reward_event="signup"))
    assert await read(db) == ReferralSettings(referral_enabled=False, referral_reward_event="signup")


async def test_concurrent_changes_each_increment_the_version(db: Engine) -> None:
    await asyncio.gather(*(change(db, now=7, referral_welcome_discount_value=100 + n) for n in range(20)))
    async with db.read() as tx:
        assert await tx.all(ROWS) == [(GROUP, 20, 7)]


async def test_groups_are_separate(db: Engine) -> None:
    await change(db, referral_enabled=False)
    async with db.read() as tx:
        assert await settings_db.get(tx, "another", ReferralSettings) == ReferralSettings()


async def test_a_stored_field_that_the_code_no_longer_knows_is_ignored_and_a_new_one_has_its_default(
    db: Engine,
) -> None:
    class Older(msgspec.Struct, frozen=True):
        referral_enabled: bool = False
        forgotten: int = 5

    async with db.write() as tx:
        await settings_db.get_for_update(tx, GROUP, Older, Instant(1))
    assert await read(db) == ReferralSettings(referral_enabled=False)
