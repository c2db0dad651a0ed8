"""The generated stores equal what the services would have written."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table, select

from bench import data, judged, rows
from bench.buyers import Purchase, purchases
from bench.people import RARE, RARE_NAMES, code, people
from lootkeep.deps import Deps
from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.products import ProductTerms
from lootkeep.domain.referrals import TierTerms
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.clock import SECOND, Instant, ManualClock
from lootkeep.kernel.money import Hundredths
from lootkeep.services import (
    customers as customers_service,
    fraud as fraud_service,
    orders as orders_service,
    products as products_service,
    recount as recount_service,
    tiers as tiers_service,
)
from lootkeep.storage import schema
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Database, Engine, Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from tests.ids import CountingIds
from tests.world import World

SIZE = 1200
COMPARED = (
    *(schema.customers, schema.sightings, schema.products, schema.orders, schema.order_items),
    *(schema.referrals, schema.referrers, schema.refused_referrals),
    *(schema.referral_tiers, schema.coupons, schema.reward_claims),
)
ORDERS = 750
JUDGED = (
    *(schema.customers, schema.sightings, schema.products, schema.orders, schema.order_items),
    *(schema.fraud_checks, schema.fraud_reviews, schema.fraud_policies, schema.settings),
)


class GivenCodes(CountingIds):
    """Ids that return the codes of the generated store."""

    def __init__(self) -> None:
        super().__init__()
        self._codes: Iterator[str] = map(code, range(1, 10 * SIZE))

    def code(self) -> str:
        return next(self._codes)


async def test_the_services_would_have_written_the_same_rows(world: World, tmp_path: Path) -> None:
    await data.make_sqlite(tmp_path / "made.db", data.REFERRALS, SIZE)
    database = SqliteDatabase(tmp_path / "made.db")
    deps = replace(world.deps, clock=ManualClock(rows.NOW), ids=GivenCodes())
    await _live_through(deps)
    for table in COMPARED:
        assert await _rows(database, table) == await _rows(world.db, table), table.name
    # The totals are in other shards; their sums must be those of a recount in both.
    for db in (database, world.db):
        assert set((await recount_service.check(replace(deps, db=db))).values()) == {0}
    await database.close()


@pytest.fixture
async def judging(db: Engine) -> AsyncIterator[World]:
    world = World(db)
    await world.begin()
    yield world
    await world.close()


async def test_the_services_would_have_judged_the_same_orders(judging: World, tmp_path: Path) -> None:
    await data.make_sqlite(tmp_path / "made.db", data.ORDERS, ORDERS)
    database = SqliteDatabase(tmp_path / "made.db")
    deps = replace(judging.deps, clock=ManualClock(rows.NOW), ids=GivenCodes())
    await _sell(deps)
    for table in JUDGED:
        assert await _rows(database, table) == await _rows(judging.db, table), table.name
    for db in (database, judging.db):
        assert set((await recount_service.check(replace(deps, db=db))).values()) == {0}
    await database.close()


def test_the_generated_checks_have_every_level_and_action() -> None:
    checks = [row for part in judged.parts(ORDERS) for row in part.get(schema.fraud_checks, ())]
    assert {row["risk_level"] for row in checks} == {"low", "medium", "high", "critical"}
    assert {row["action_taken"] for row in checks} == {"allowed", "flagged", "blocked", "verification_required"}
    assert {row["review_outcome"] for row in checks} == {None, "legitimate", "fraud", "inconclusive"}


def test_the_rare_fragment_is_in_the_same_number_of_names_at_every_size() -> None:
    for size in (100, SIZE, 5000):
        everyone = list(people(size))
        assert sum(RARE in person.name.casefold() for person in everyone) == RARE_NAMES
        assert not any(RARE in person.email for person in everyone)
        assert len({person.email for person in everyone}) == len({person.code for person in everyone}) == len(everyone)


async def _live_through(deps: Deps) -> None:
    """The same history, one operation after the other; the made store has no checks."""
    await fraud_service.change_settings(deps, {"fraud_detection_enabled": False})
    terms: dict[str, Any] = dict.fromkeys(ProductTerms.__struct_fields__) | rows.PRODUCT
    await products_service.create(deps, ProductTerms(**terms))
    for required in rows.TIERS:
        await tiers_service.create_tier(deps, _tier(required))
    async with deps.db.write() as tx:
        for person in people(SIZE):
            by = person.referrer.code if person.referrer else None
            form = SignUp(person.email, person.name, referral_code=by, created_at=person.created_at)
            await customers_service.sign_up_in(deps, tx, form)
            if person.paid_at is not None:
                placed_at = Instant(person.paid_at - SECOND)
                cart = Cart(person.id, (CartLine(1, 1),), None, created_at=placed_at, paid_at=person.paid_at)
                await orders_service.import_history(deps, tx, [cart])
    for tier_id, required in enumerate(rows.TIERS, 1):
        for referrer in await _rows(deps.db, schema.referrers):
            if referrer["successful_referrals"] >= required:
                await tiers_service.claim(deps, referrer["customer_id"], tier_id)


async def _sell(deps: Deps) -> None:
    """A year of orders, operation by operation, then the reviews."""
    terms: dict[str, Any] = dict.fromkeys(ProductTerms.__struct_fields__) | rows.PRODUCT
    await products_service.create(deps, ProductTerms(**terms))
    numbered = list(enumerate(purchases(ORDERS), 1))
    for version, action in enumerate(judged.ACTIONS):
        await fraud_service.change_settings(deps, {"fraud_action": action})
        async with deps.db.write() as tx:
            for number, purchase in numbered:
                if judged.version_at(number, ORDERS) == version:
                    await _buy(deps, tx, purchase)
    for check in await _rows(deps.db, schema.fraud_checks):
        if outcome := judged.outcome_of(check["id"], check["action_taken"]):
            await fraud_service.review(deps, check["id"], outcome, None, judged.OWNER)


async def _buy(deps: Deps, tx: Transaction, purchase: Purchase) -> None:
    buyer = purchase.buyer
    if await customers_db.ROWS.get(tx, buyer.id) is None:
        form = SignUp(buyer.email, buyer.name, created_at=buyer.created_at)
        await customers_service.sign_up_in(deps, tx, form)
    cart = Cart(
        buyer.id,
        (CartLine(1, 1),),
        purchase.address,
        purchase.billing_country,
        purchase.user_agent,
        purchase.device,
        created_at=purchase.at,
        paid_at=Instant(purchase.at + SECOND),
    )
    await orders_service.import_history(deps, tx, [cart])


def _tier(required: int) -> TierTerms:
    return TierTerms(
        name=f"{required} friends",
        description=None,
        referrals_required=required,
        reward_type="percentage_discount",
        reward_value=Hundredths(rows.PERCENT),
        reward_currency=None,
        coupon_validity_days=rows.VALIDITY_DAYS,
        is_active=True,
        sort_order=0,
    )


async def _rows(db: Database, table: Table) -> list[dict[str, Any]]:
    """Without the hashes of referred mailboxes and devices, which only the store's key can make."""
    columns = [
        column for column in table.c if table is not schema.referrals or column.name not in ("mailbox", "device")
    ]
    query = Query(select(*columns).order_by(*table.primary_key.columns))
    async with db.read() as tx:
        return [dict(zip((column.name for column in columns), row, strict=True)) for row in await tx.all(query)]
