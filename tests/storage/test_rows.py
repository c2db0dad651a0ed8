"""Single rows: read, found, locked, added, saved and removed by one class."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.domain.access import User
from lootkeep.domain.accounts import Account
from lootkeep.domain.referrals import Tier
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage.access import accounts as accounts_db, rows as access_db
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.referrals import tiers as tiers_db
from tests.storage.plans import QueryRecorder
from tests.world import NOON

BRONZE = Tier("Bronze", None, 3, "percentage_discount", Hundredths(10_00), None, 30, True, 0, 0, 0, NOON, NOON)


async def test_a_row_is_added_and_read_by_its_id(db: Engine) -> None:
    async with db.write() as tx:
        added = await tiers_db.ROWS.add(tx, BRONZE)
        silver = await tiers_db.ROWS.add(tx, replace(BRONZE, name="Silver"))
    async with db.read() as tx:
        assert added == replace(BRONZE, id=1)
        assert await tiers_db.ROWS.get(tx, 1) == added
        assert await tiers_db.ROWS.get(tx, 3) is None
        assert await tiers_db.ROWS.get_many(tx, [2, 1, 2, 9]) == {1: added, 2: silver}


async def test_rows_are_found_by_the_values_of_their_columns(db: Engine) -> None:
    async with db.write() as tx:
        first, _, third = await tiers_db.ROWS.add_many(tx, [BRONZE, replace(BRONZE, is_active=False), BRONZE])
    async with db.read() as tx:
        assert await tiers_db.ROWS.find(tx, name="Bronze", is_active=True) == [first, third]
        assert await tiers_db.ROWS.find_one(tx, is_active=True) == first
        assert await tiers_db.ROWS.find_one(tx, name="Gold") is None
    async with db.write() as tx:
        assert await tiers_db.ROWS.lock_one(tx, is_active=True) == first
        assert await tiers_db.ROWS.lock_one(tx, name="Gold") is None


async def test_ids_are_found_by_the_values_of_a_unique_column(db: Engine) -> None:
    async with db.write() as tx:
        for name in ("a", "b", "c"):
            await access_db.USERS.add(tx, User(0, f"{name}@store.test", "", False, NOON))
        emails = ["c@store.test", "x@store.test", "a@store.test", "c@store.test"]
        assert await access_db.USERS.ids_by(tx, "email", emails) == {"a@store.test": 1, "c@store.test": 3}
        assert await access_db.USERS.ids_by(tx, "email", []) == {}


async def test_only_the_columns_that_differ_are_written(db: Engine) -> None:
    async with db.write() as tx:
        before = await tiers_db.ROWS.add(tx, BRONZE)
        recorder = QueryRecorder(tx)
        await tiers_db.ROWS.save(recorder, before, before)
        after = await tiers_db.ROWS.save(recorder, before, replace(before, name="Silver", updated_at=Instant(NOON + 1)))
        assert [set(query.values) for query in recorder.asked] == [{"row", "name", "updated_at"}]
    async with db.read() as tx:
        assert await tiers_db.ROWS.get(tx, before.id) == after


async def test_a_row_with_the_key_of_another_is_added_under_that_key(db: Engine) -> None:
    async with db.write() as tx:
        for number in (1, 2):
            await access_db.USERS.add(tx, User(0, f"{number}@store.test", "", False, NOON))
        second = Account(2, "staff", NOON, NOON)
        assert await accounts_db.ROWS.add(tx, second) == second
        assert await accounts_db.ROWS.add_if_free(tx, replace(second, role="owner")) is None
        assert await accounts_db.ROWS.add_if_free(tx, replace(second, user_id=1)) == replace(second, user_id=1)
    async with db.read() as tx:
        assert await accounts_db.ROWS.find(tx) == [replace(second, user_id=1), second]


async def test_a_removed_row_is_gone(db: Engine) -> None:
    async with db.write() as tx:
        tier = await tiers_db.ROWS.add(tx, BRONZE)
        await tiers_db.ROWS.remove(tx, tier)
        assert await tiers_db.ROWS.lock(tx, tier.id) is None
