"""The bodies of a campaign that is written in Markdown, made when it is previewed and when it is sent."""

from __future__ import annotations

import asyncio

import msgspec
from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.campaign_emails import MAX_BODY, targets
from lootkeep.domain.campaigns import Campaign
from lootkeep.domain.html import text_of
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import invalid
from lootkeep.storage import coupons as coupons_db
from lootkeep.storage.products import rows as products_db
from lootkeep.views.emails import markdown as markdown_views
from lootkeep.views.emails.markdown import Document, Goods

# Each is looked up.
MAX_BLOCKS = 100
# Longer than the number of any product.
_MAX_DIGITS = 18


async def with_bodies(deps: Deps, campaign: Campaign, at: Instant) -> Campaign:
    """With HTML and text as of now for an e-mail that is sent at this time, or every line that cannot be sent."""
    if not (campaign.body_markdown or "").strip():
        return campaign
    document = await asyncio.to_thread(markdown_views.parse, campaign.body_markdown or "")
    goods = await _look_up(deps, document, at)
    return await asyncio.to_thread(_written, campaign, document, goods)


def with_bodies_of(campaign: Campaign, written: Campaign) -> Campaign:
    bodies = {name: getattr(written, name) for name in ("body_html", "body_text", "is_text_derived", "links")}
    return replace(campaign, **bodies)


async def _look_up(deps: Deps, document: Document, at: Instant) -> Goods:
    numbers, codes = set(document.values("product")), set(document.values("coupon"))
    if len(numbers) + len(codes) > MAX_BLOCKS:
        raise invalid("body_markdown", f"The e-mail shows more than {MAX_BLOCKS} products and coupons.")
    ids = {number: int(number) for number in numbers if number.isdecimal() and len(number) <= _MAX_DIGITS}
    async with deps.db.read() as tx:
        products = await products_db.ROWS.get_many(tx, ids.values())
        coupons = [await coupons_db.ROWS.find_one(tx, code=code) for code in sorted(codes)]
    by_number = {number: products[product_id] for number, product_id in ids.items() if product_id in products}
    by_code = {coupon.code: coupon for coupon in coupons if coupon}
    return Goods(deps.store, by_number, by_code, at, deps.settings.value.timezone)


def _written(campaign: Campaign, document: Document, goods: Goods) -> Campaign:
    html = markdown_views.render(document, goods)
    if len(html.encode()) > MAX_BODY:
        raise invalid("body_markdown", "The e-mail is too long. Divide it into several.")
    links = msgspec.json.encode(targets(html)).decode()
    if (campaign.body_text or "").strip() and not campaign.is_text_derived:
        return replace(campaign, body_html=html, links=links)
    return replace(campaign, body_html=html, body_text=text_of(html), is_text_derived=True, links=links)
