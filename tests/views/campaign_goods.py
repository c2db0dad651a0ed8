"""A campaign in Markdown with every block, and the product and the coupon that it shows."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec.structs import asdict, replace

from lootkeep.domain.coupons import SINGLE_USE, issued
from lootkeep.domain.emails import StoreIdentity
from lootkeep.domain.products import PLAIN, Product
from lootkeep.kernel.clock import DAY, Instant, instant
from lootkeep.kernel.money import Hundredths
from lootkeep.views.emails.markdown import Goods

NOW = instant(datetime(2026, 11, 20, tzinfo=UTC))
_TERMS = asdict(PLAIN) | {"name": "Emberfall <Deluxe> {{ email }}", "price": Hundredths(2399), "metadata": "{}"}
PRODUCT = Product(
    **_TERMS | {"compare_at_price": Hundredths(3999), "image_url": "https://img.example/ember.png"},
    id=12,
    slug="emberfall",
    sales_count=0,
    created_at=NOW,
    updated_at=NOW,
    deleted_at=None,
)
COUPON = issued(
    replace(SINGLE_USE, value=Hundredths(4000), max_uses=None, ends_at=Instant(NOW + 10 * DAY)), "owner", "EMBER40", NOW
)
GOODS = Goods(StoreIdentity(url="https://shop.example"), {"12": PRODUCT}, {"EMBER40": COUPON}, NOW, "UTC")
MARKDOWN = """# Emberfall is 40 % off, {{ name }}

The **Ashen Crown** opens on *Friday*. [Your link]({{ referral_url }}).

- new raid for 8 players
- your rank carries over

> A quote

![A castle](https://img.example/castle.png)

[](product:12)
[](coupon:ember40)

[Get the key](https://shop.example/?a=1&b=2 "button")
"""
