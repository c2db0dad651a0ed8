"""The rows of a store whose people referred each other, exactly as the services would have written them."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from sqlalchemy import Table

from bench.people import END, BenchPerson, code, people
from lootkeep.domain import identity as identity_rules
from lootkeep.kernel.clock import DAY, SECOND, Instant
from lootkeep.kernel.search import search_text
from lootkeep.storage.schema import (
    coupons,
    customers,
    order_items,
    orders,
    products,
    referral_tiers,
    referrals,
    referrers,
    refused_referrals,
    reward_claims,
    sightings,
)

# This many people are held in memory at a time.
_CHUNK = 20_000

# When the history was brought in, and when its rewards were claimed.
NOW = Instant(END + 40 * DAY)
PRICE = 10_00
TIERS = (5, 25, 100)
PERCENT = 10_00
VALIDITY_DAYS = 60

Row = dict[str, Any]
Rows = list[Row]


class TotalsKeeper:
    """The counts of referrers, and how many codes were given."""

    def __init__(self) -> None:
        self.referrers: dict[int, Row] = {}
        # The claims' codes go on where those of the customers end.
        self.codes = 0

    def refer(self, person: BenchPerson) -> None:
        assert person.referrer
        row = self.referrers.setdefault(
            person.referrer.id,
            {
                "customer_id": person.referrer.id,
                "total_referrals": 0,
                "successful_referrals": 0,
                "rewards_claimed": 0,
                "total_reached_at": 0,
                "successful_reached_at": 0,
            },
        )
        row["total_referrals"] += 1
        row["total_reached_at"] = max(row["total_reached_at"], person.created_at)
        if person.paid_at is not None:
            row["successful_referrals"] += 1
            row["successful_reached_at"] = max(row["successful_reached_at"], person.paid_at)


def parts(size: int) -> Iterator[dict[Table, Rows]]:
    """The store's rows by table, a chunk of people at a time; what was counted on the way comes last."""
    keeper, everyone, sold = TotalsKeeper(), people(size), 0
    while chunk := list(islice(everyone, _CHUNK)):
        rows: dict[Table, Rows] = {
            table: [] for table in (customers, sightings, referrals, refused_referrals, orders, order_items)
        }
        for person in chunk:
            _add(rows, keeper, person)
        _number(rows[orders], rows[order_items], sold)
        sold += len(rows[orders])
        keeper.codes = chunk[-1].id
        yield rows
    yield _rewards(keeper) | {products: [product(sold)]}


def _add(rows: dict[Table, Rows], keeper: TotalsKeeper, person: BenchPerson) -> None:
    """Signs the person up, attributes or refuses the referral, and lets them pay."""
    is_referral = person.referrer is not None and not person.is_refused
    rows[customers].append(_customer(person, is_referral=is_referral))
    seen = person.created_at if person.paid_at is None else person.paid_at - SECOND
    rows[sightings].append(
        {
            "kind": "mailbox",
            "value": identity_rules.mailbox(person.email),
            "customer_id": person.id,
            "first_seen_at": person.created_at,
            "last_seen_at": max(person.created_at, seen),
        }
    )
    if person.referrer and person.is_refused:
        rows[refused_referrals].append(_refused(person, person.referrer))
    elif person.referrer:
        rows[referrals].append(_referral(person, person.referrer))
        keeper.refer(person)
    if person.referrer and person.paid_at is not None:
        rows[orders].append(_order(person, person.referrer, person.paid_at))
        rows[order_items].append(ITEM.copy())


def _customer(person: BenchPerson, *, is_referral: bool) -> Row:
    return {
        "id": person.id,
        "email": person.email,
        "name": person.name,
        "status": "active",
        "accepts_marketing": False,
        "email_status": "ok",
        "referral_code": person.code,
        "referred_by_id": person.referrer.id if person.referrer and is_referral else None,
        "orders_count": 0 if person.paid_at is None else 1,
        "total_spent": 0 if person.paid_at is None else PRICE,
        "first_order_at": person.paid_at,
        "last_order_at": person.paid_at,
        "tags": "[]",
        "search_text": search_text(person.name, person.email),
        "created_at": person.created_at,
        "updated_at": person.created_at,
    }


def _referral(person: BenchPerson, referrer: BenchPerson) -> Row:
    is_neighbour = identity_rules.domain_of(person.email) == identity_rules.domain_of(referrer.email)
    return {
        "customer_id": person.id,
        "referrer_id": referrer.id,
        "status": "pending" if person.paid_at is None else "successful",
        "referred_at": person.created_at,
        "first_order_at": person.paid_at,
        "marks": "same_email_domain" if is_neighbour else "",
    }


def _refused(person: BenchPerson, referrer: BenchPerson) -> Row:
    return {
        "customer_id": person.id,
        "referrer_id": referrer.id,
        "reason": "self_referral",
        "created_at": person.created_at,
    }


def _order(person: BenchPerson, referrer: BenchPerson, paid_at: int) -> Row:
    return {
        "customer_id": person.id,
        "status": "paid",
        "subtotal": PRICE,
        "discount_total": 0,
        "total": PRICE,
        "gift_card_total": 0,
        "refunded_total": 0,
        "currency": "USD",
        "referral_code": referrer.code,
        "metadata": "{}",
        "created_at": paid_at - SECOND,
        "updated_at": NOW,
        "paid_at": paid_at,
    }


PRODUCT = {
    "name": "VIP rank",
    "delivery_type": "manual",
    "billing_type": "one_time",
    "status": "active",
    "price": PRICE,
    "currency": "USD",
    "tags": "[]",
    "metadata": "{}",
    "commands": "[]",
}
ITEM = {
    "product_id": 1,
    "product_name": PRODUCT["name"],
    "delivery_type": "manual",
    "quantity": 1,
    "price": PRICE,
    "total": PRICE,
    "fulfilled_quantity": 0,
    "holds_stock": False,
}


def product(sold: int) -> Row:
    more = {"id": 1, "slug": "vip-rank", "search_text": "vip rank\n", "created_at": NOW, "updated_at": NOW}
    return PRODUCT | more | {"sales_count": sold}


def _number(sales: Rows, items: Rows, before: int) -> None:
    for number, (order, item) in enumerate(zip(sales, items, strict=True), before + 1):
        order["id"] = item["order_id"] = item["id"] = number


def _rewards(keeper: TotalsKeeper) -> dict[Table, Rows]:
    """Everyone claims every tier they have reached, one after another."""
    rows: dict[Table, Rows] = {table: [] for table in (referral_tiers, coupons, reward_claims)}
    for tier_id, required in enumerate(TIERS, 1):
        reached = [row for row in keeper.referrers.values() if row["successful_referrals"] >= required]
        for row in sorted(reached, key=lambda row: int(row["customer_id"])):
            claim_id = len(rows[reward_claims]) + 1
            rows[coupons].append(_coupon(claim_id, row["customer_id"], code(keeper.codes + claim_id)))
            rows[reward_claims].append(_claim(claim_id, row["customer_id"], tier_id))
            row["rewards_claimed"] += 1
        rows[referral_tiers].append(_tier(tier_id, required, len(reached)))
    return rows | {referrers: list(keeper.referrers.values())}


def _coupon(number: int, customer_id: int, letters: str) -> Row:
    return {
        "id": number,
        "code": f"REF-{letters}",
        "customer_id": customer_id,
        "origin": "tier",
        "discount_type": "percentage",
        "value": PERCENT,
        "product_ids": "[]",
        "categories": "[]",
        "first_order_only": False,
        "max_uses": 1,
        "ends_at": NOW + VALIDITY_DAYS * DAY,
        "next_state_at": NOW + VALIDITY_DAYS * DAY,
        "stored_state": "active",
        "is_active": True,
        "uses_count": 0,
        "reserved_count": 0,
        "search_text": f"ref-{letters.casefold()}",
        "created_at": NOW,
        "updated_at": NOW,
    }


def _claim(number: int, customer_id: int, tier_id: int) -> Row:
    return {"id": number, "customer_id": customer_id, "tier_id": tier_id, "coupon_id": number, "claimed_at": NOW}


def _tier(tier_id: int, required: int, claims: int) -> Row:
    return {
        "id": tier_id,
        "name": f"{required} friends",
        "referrals_required": required,
        "reward_type": "percentage_discount",
        "reward_value": PERCENT,
        "coupon_validity_days": VALIDITY_DAYS,
        "is_active": True,
        "sort_order": 0,
        "claims_count": claims,
        "created_at": NOW,
        "updated_at": NOW,
    }
