"""The counters as they are maintained, and recounted."""

from __future__ import annotations

from collections import Counter

from lootkeep.storage.engine.database import Database
from lootkeep.storage.schema import (
    counters,
    coupons,
    creator_entries,
    customers,
    email_campaigns,
    fraud_checks,
    gift_cards,
    products,
    refused_referrals,
    reward_claims,
)
from tests.recount.keys import key_counters
from tests.recount.ledgers import shelf, values_of_cards
from tests.recount.stored import Row, rows


async def kept_counters(db: Database) -> dict[str, int]:
    sums: Counter[str] = Counter()
    for counter in await rows(db, counters):
        sums[counter["name"]] += counter["value"]
    return {name: value for name, value in sums.items() if value}


async def recounted_counters(db: Database, placed: list[Row], attributed: list[Row]) -> dict[str, int]:
    names = [f"orders.{order['status']}" for order in placed]
    names += [f"referrals.{row['status']}" for row in attributed]
    names += [f"gift_cards.{shelf(card)}" for card in await rows(db, gift_cards)]
    names += ["customers.all" for _ in await rows(db, customers)]
    names += ["products.all" for product in await rows(db, products) if product["deleted_at"] is None]
    names += ["email_campaigns.all" for _ in await rows(db, email_campaigns)]
    names += ["claims.made" for _ in await rows(db, reward_claims)]
    names += ["refused_referrals.made" for _ in await rows(db, refused_referrals)]
    names += [f"coupons.{coupon['origin']}" for coupon in await rows(db, coupons)]
    names += await key_counters(db)
    for check in await rows(db, fraud_checks):
        is_reviewed = "true" if check["is_reviewed"] else "false"
        is_latest = str(bool(check["is_latest"])).lower()
        names.append(f"fraud.{check['risk_level']}.{check['action_taken']}.{is_reviewed}.{is_latest}")
    sums = Counter(names)
    for order in placed:
        if order["coupon_id"] and order["paid_at"] is not None:
            sums[f"coupon_discounts.{order['coupon_origin']}.{order['currency']}"] += order["discount_total"]
    for entry in await rows(db, creator_entries):
        sums[f"creator_balances.{entry['currency']}"] += entry["amount"]
    sums.update(await values_of_cards(db))
    return {name: value for name, value in sums.items() if value}
