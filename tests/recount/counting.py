"""The counters as they are kept, and counted again."""

from __future__ import annotations

import json
from collections import Counter

from lootkeep.kernel.clock import DAY
from lootkeep.storage.engine.database import Database
from lootkeep.storage.schema import (
    counters,
    customers,
    email_campaigns,
    fraud_checks,
    gift_cards,
    products,
    refused_referrals,
    reward_claims,
)
from tests.recount.ledgers import shelf, values_of_cards
from tests.recount.stored import Row, rows

# A counter is named with its day, or with this for all days together.
TOTAL = "total"
_ALL_DAYS = -1


async def kept_counters(db: Database) -> dict[tuple[str, int | str], int]:
    sums: Counter[tuple[str, int | str]] = Counter()
    for counter in await rows(db, counters):
        if counter["bucket"] < _ALL_DAYS:
            # Blocks of days: `recount.check` compares them.
            continue
        day = TOTAL if counter["bucket"] == _ALL_DAYS else counter["bucket"]
        sums[counter["name"], day] += counter["value"]
    return {key: value for key, value in sums.items() if value}


async def recounted_counters(
    db: Database, placed: list[Row], attributed: list[Row], currency: str
) -> dict[tuple[str, int | str], int]:
    sums: Counter[tuple[str, int | str]] = Counter()
    dated = [(f"orders.{order['status']}", order["created_at"]) for order in placed]
    dated += [(f"referrals.{one['status']}", one["referred_at"]) for one in attributed]
    dated += [(f"gift_cards.{shelf(card)}", card["created_at"]) for card in await rows(db, gift_cards)]
    dated += [("customers.all", who["created_at"]) for who in await rows(db, customers)]
    dated += [("products.all", one["created_at"]) for one in await rows(db, products) if one["deleted_at"] is None]
    dated += [("email_campaigns.all", one["created_at"]) for one in await rows(db, email_campaigns)]
    for check in await rows(db, fraud_checks):
        is_reviewed = "reviewed" if check["is_reviewed"] else "open"
        dated.append((f"fraud.{check['risk_level']}.{check['action_taken']}.{is_reviewed}", check["created_at"]))
        for signal in json.loads(check["signals"]):
            sums[f"fraud_signals.{signal}.fired", TOTAL] += 1
            if check["review_outcome"] in ("fraud", "legitimate"):
                sums[f"fraud_signals.{signal}.{check['review_outcome']}", TOTAL] += 1
    for name, time in dated:
        sums.update([(name, TOTAL), (name, time // DAY)])
    sums["claims.made", TOTAL] = len(await rows(db, reward_claims))
    sums["refused_referrals.made", TOTAL] = len(await rows(db, refused_referrals))
    sums["referral_coupons.value", TOTAL] = sum(
        order["discount_total"]
        for order in placed
        if order["coupon_id"] and order["paid_at"] is not None and order["currency"] == currency
    )
    for name, value in await values_of_cards(db):
        sums[name, TOTAL] += value
    return {key: value for key, value in sums.items() if value}
