"""The products, rewards and settings of the demo store."""

from __future__ import annotations

import json
from dataclasses import replace as with_ids
from random import Random
from typing import Any

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.coupons import SINGLE_USE, Coupon
from lootkeep.domain.creators import HOLD_DAYS, Creator
from lootkeep.domain.goods import MAX_KEYS
from lootkeep.domain.products import PLAIN, Product, ProductTerms
from lootkeep.domain.referrals import TierTerms
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.services import (
    access as access_service,
    canned_replies as canned_replies_service,
    coupons as coupons_service,
    creators as creators_service,
    fraud as fraud_service,
    keys as keys_service,
    products as products_service,
    referrals as referrals_service,
    tiers as tiers_service,
    users as users_service,
)
from lootkeep.toolbox.demo_store.ids import SeededIds

STAFF = (("mira@pixelforge.example", "Mira Okafor"), ("tom@pixelforge.example", "Tom Lindqvist"))
SUPPORT = {
    "name": "Support",
    "scopes": ["customers:read", "orders:read", "orders:write", "support-tickets:read", "support-tickets:write"],
    "refund_limit": Hundredths(50_00),
    "masks_emails": True,
    "hides_revenue": True,
}
# Name and text of the canned replies.
_REPLIES = (
    (
        "New key",
        "Hello {{ customer_name }},\n\nsorry about that! The new key of {{ product }} is on your order’s page.",
    ),
    ("Refund", "Hello {{ customer_name }},\n\n{{ order_number }} is refunded. It takes your bank up to five days."),
)

# Name, sku, price, delivery type, category, how often it is bought compared with the others.
_PRODUCTS: tuple[tuple[str, str, int, str, str, int], ...] = (
    ("Emberfall: Standard Edition", "KEY-EMBER", 39_99, "keys", "Games", 10),
    ("Emberfall: Deluxe Edition", "KEY-EMBER-DX", 59_99, "keys", "Games", 6),
    ("Starlit Depths", "KEY-STARLIT", 24_99, "keys", "Games", 8),
    ("Hexgarden", "KEY-HEX", 14_99, "keys", "Games", 9),
    ("Emberfall Original Soundtrack", "FILE-OST", 9_99, "file", "Extras", 4),
    ("Hexgarden Artbook (PDF)", "FILE-ART", 7_50, "file", "Extras", 3),
    ("Mapmaker's Texture Pack", "FILE-TEX", 4_99, "file", "Extras", 5),
    ("1,000 Gold", "CMD-GOLD-1K", 4_99, "command", "Currency", 16),
    ("5,500 Gold", "CMD-GOLD-5K", 19_99, "command", "Currency", 11),
    ("Crate Key", "CMD-CRATE", 2_49, "command", "Currency", 14),
    ("Squire Rank", "RANK-SQUIRE", 5_00, "command", "Ranks", 9),
    ("Knight Rank", "RANK-KNIGHT", 15_00, "command", "Ranks", 7),
    ("Legend Rank", "RANK-LEGEND", 49_00, "command", "Ranks", 2),
    ("Custom Guild Banner", "MAN-BANNER", 25_00, "manual", "Services", 2),
    ("Gift Card 25", "GIFT-25", 25_00, "gift_card", "Gift cards", 2),
    ("Gift Card 50", "GIFT-50", 50_00, "gift_card", "Gift cards", 1),
)
_SUBSCRIPTION = ("Guild Pass", "SUB-PASS", 7_99, "command", "Subscriptions")
_TIERS: tuple[tuple[str, int, str, int, bool], ...] = (
    ("Bronze recruiter", 3, "percentage_discount", 10_00, True),
    ("Silver recruiter", 8, "percentage_discount", 20_00, True),
    ("Gold recruiter", 20, "fixed_discount", 25_00, True),
    ("Founder's circle", 50, "fixed_discount", 75_00, False),
)
# Code, percent, its terms, and the first and last of its days in the year.
_SALES: tuple[tuple[str, int, dict[str, Any], int | None, int | None], ...] = (
    ("PIXEL10", 10_00, {}, None, None),
    ("RANKUP", 20_00, {"categories": '["Ranks"]'}, 40, None),
    ("SUMMER25", 25_00, {"min_total": Hundredths(15_00)}, 205, 235),
    (
        "LAUNCH30",
        30_00,
        {"max_uses": 500, "first_order_only": True, "note": "For the day Ashen Crown comes out."},
        380,
        387,
    ),
)
_STREAMED = 40
# Keys of each game, more than a small store sells in a month; a key has no letter that looks like a digit.
_KEYS = 60
# One in the first batch, two in the second.
_SCARCE = 3
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
BLOCKED_COUNTRIES = frozenset({"AQ"})


class Catalogue:
    """The products of the store, with the weight of each."""

    def __init__(self, deps: Deps, rng: Random) -> None:
        self._deps = deps
        self._rng = rng
        self.products: list[Product] = []
        self.weights: list[int] = []
        self.subscription_id = 0
        # Sold by hand, until there is none left.
        self.scarce: Product | None = None
        self.tiers: list[tuple[int, int]] = []
        self.sales: list[Coupon] = []
        self.staff: list[int] = []

    async def open(self, orders: int) -> None:
        """The store on its first day, with keys for that many orders."""
        for email, name in STAFF:
            self.staff.append((await access_service.add_user(self._deps, email, name)).id)
        await users_service.create_role(self._deps, SUPPORT)
        for name, body in _REPLIES:
            await canned_replies_service.create(self._deps, name, body)
        await referrals_service.change_settings(self._deps, {"referral_welcome_discount_enabled": True})
        await fraud_service.change_settings(self._deps, {"fraud_custom_blocked_countries": BLOCKED_COUNTRIES})
        for name, sku, price, delivery, category, weight in _PRODUCTS:
            self.products.append(
                await products_service.create(self._deps, self._terms(name, sku, price, delivery, category))
            )
            self.weights.append(weight)
            if delivery == "keys":
                await self._add_keys(self.products[-1], _KEYS + orders // 10)
        rhythm: dict[str, Any] = {"billing_type": "recurring", "billing_interval": "month", "billing_interval_count": 1}
        self.subscription_id = (await products_service.create(self._deps, self._terms(*_SUBSCRIPTION, **rhythm))).id
        await products_service.create(
            self._deps, self._terms("Emberfall: Ashen Crown", "KEY-ASHEN", 19_99, "keys", "Games", status="draft")
        )
        self.scarce = await products_service.create(
            self._deps, self._terms("Founder's Pack", "KEY-FOUNDER", 89_00, "keys", "Games")
        )
        await self._add_keys(self.scarce, _SCARCE)
        for order, tier in enumerate(_TIERS):
            await self._add_tier(order, *tier)
        for code, percent, terms, first, last in _SALES:
            await self._add_sale(code, percent, terms, first, last)
        streamed = replace(SINGLE_USE, discount_type="fixed", value=Hundredths(5_00), note="For viewers of a stream.")
        now = self._deps.clock.now()
        luna = Creator(0, "Luna Plays", 0, Hundredths(10_00), HOLD_DAYS, None, now, now)
        _, coupon = await creators_service.create(self._deps, luna, "LUNA", "percentage", Hundredths(5_00))
        self.sales.append(coupon)
        own_ids = with_ids(self._deps, ids=SeededIds(Random(_STREAMED)))  # noqa: S311  made-up data
        await coupons_service.generate(own_ids, streamed, _STREAMED, "STREAM-")

    async def _add_keys(self, product: Product, count: int) -> None:
        """In two deliveries; past orders were delivered elsewhere."""
        for batch, share in (("Spring", count // 3), ("Autumn", count - count // 3)):
            keys = ["-".join("".join(self._rng.choices(_LETTERS, k=5)) for _ in range(3)) for _ in range(share)]
            cost = Hundredths(product.price // 2)
            for start in range(0, share, MAX_KEYS):
                await keys_service.add(self._deps, product.id, keys[start : start + MAX_KEYS], batch, cost)

    async def _add_sale(
        self, code: str, percent: int, terms: dict[str, Any], first: int | None, last: int | None
    ) -> None:
        now = self._deps.clock.now()
        starts, ends = (None if day is None else Instant(now + day * DAY) for day in (first, last))
        unlimited = replace(SINGLE_USE, value=Hundredths(percent), starts_at=starts, ends_at=ends, max_uses=None)
        self.sales.append(await coupons_service.create(self._deps, replace(unlimited, **terms), code))

    async def _add_tier(self, order: int, name: str, required: int, kind: Any, value: int, is_active: bool) -> None:
        terms = TierTerms(
            name=name,
            description=f"For referring {required} players.",
            referrals_required=required,
            reward_type=kind,
            reward_value=Hundredths(value),
            reward_currency=None,
            coupon_validity_days=90,
            is_active=is_active,
            sort_order=order,
        )
        tier = await tiers_service.create_tier(self._deps, terms)
        if is_active:
            self.tiers.append((required, tier.id))

    def _terms(self, name: str, sku: str, price: int, delivery: Any, category: str, **more: Any) -> ProductTerms:
        return replace(
            PLAIN,
            name=name,
            sku=sku,
            description=f"{name}, of the demo store.",
            delivery_type=delivery,
            price=Hundredths(price),
            currency=self._deps.currency,
            category=category,
            file_url=f"https://files.pixelforge.example/{sku.lower()}" if delivery == "file" else None,
            tags=json.dumps([category.lower().replace(" ", "-"), "demo"]),
            **more,
        )
