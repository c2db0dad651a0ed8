"""Creators: their codes, what orders with them earn, and what was paid out to them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import coupons as coupons_rules, creators as creators_rules
from lootkeep.domain.coupons import SINGLE_USE, Coupon
from lootkeep.domain.creators import Creator, CreatorEntry
from lootkeep.domain.customers import accepted_customer, plain_code
from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.domain.referrals import DiscountType
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, existing, invalid
from lootkeep.kernel.money import Hundredths
from lootkeep.storage import coupons as coupons_db, creators as creators_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.orders import disputes as disputes_db

# Of the coupon, by the names of a creator's fields.
_OF_COUPON = {"code": "code", "discount_type": "discount_type", "discount_value": "value", "is_active": "is_active"}


async def create(
    deps: Deps,
    new: Creator,
    code: str,
    discount_type: DiscountType | None = None,
    discount_value: Hundredths | None = None,
    *,
    is_active: bool = True,
) -> tuple[Creator, Coupon]:
    """With a coupon for the code, which anyone can use any number of times; without a discount it takes nothing off."""
    now = deps.clock.now()
    terms = replace(
        SINGLE_USE,
        discount_type=discount_type or "percentage",
        value=discount_value or Hundredths(0),
        max_uses=None,
        is_active=is_active,
    )
    coupon = coupons_rules.issued(
        coupons_rules.settled(terms, deps.currency), "creator", coupons_rules.checked_code(plain_code(code)), now
    )
    async with deps.db.write() as tx:
        await _check_customer(tx, new.customer_id)
        stored = await coupons_db.ROWS.add_if_free(tx, coupon)
        if stored is None:
            raise invalid("code", "The code field has already been taken.")
        new = replace(new, coupon_id=stored.id, created_at=now, updated_at=now)
        return await creators_db.ROWS.add(tx, new), stored


async def change(deps: Deps, creator_id: int, changes: dict[str, Any]) -> Creator:
    """A new share counts for orders that are paid from now on. A code that was used keeps its discount."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        creator = existing(await creators_db.ROWS.lock(tx, creator_id), "Creator")
        coupon = existing(await coupons_db.ROWS.lock(tx, creator.coupon_id), "Coupon")
        after = replace(creator, **{name: value for name, value in changes.items() if name not in _OF_COUPON})
        if after.customer_id != creator.customer_id:
            await _check_customer(tx, after.customer_id)
        coupon_after = await _change_coupon(deps, tx, coupon, _terms(changes), now)
        if (after, coupon_after) != (creator, coupon):
            after = await creators_db.ROWS.save(tx, creator, replace(after, updated_at=now))
        return after


def _terms(changes: dict[str, Any]) -> dict[str, Any]:
    """What changes of the coupon; no discount is a discount of nothing."""
    terms = {_OF_COUPON[name]: value for name, value in changes.items() if name in _OF_COUPON}
    if terms.get("value", 0) is None:
        terms["value"] = Hundredths(0)
    if terms.get("discount_type", "") is None:
        terms |= {"discount_type": "percentage", "value": Hundredths(0)}
    return terms


async def _change_coupon(deps: Deps, tx: Transaction, coupon: Coupon, terms: dict[str, Any], now: Instant) -> Coupon:
    if "code" in terms:
        terms["code"] = coupons_rules.checked_code(plain_code(terms["code"]))
    after = coupons_rules.settled(replace(coupon, **terms), deps.currency)
    if after == coupon:
        return coupon
    if coupon.taken_count and replace(after, is_active=coupon.is_active) != coupon:
        raise Conflict("coupon_used", "Orders have this code: neither it nor its discount can change any more.")
    if after.code != coupon.code and await coupons_db.ROWS.find_one(tx, code=after.code):
        raise invalid("code", "The code field has already been taken.")
    return await coupons_db.ROWS.save(tx, coupon, coupons_rules.changed(after, now))


async def pay_out(
    deps: Deps, creator_id: int, amount: Hundredths, currency: str | None, reference: str
) -> tuple[CreatorEntry, bool]:
    """Books what was paid outside, and whether that is new: the same reference again changes nothing."""
    currency = currency or deps.currency
    async with deps.db.write() as tx:
        # Locked: two payouts of one creator are booked one after the other.
        creator = existing(await creators_db.ROWS.lock(tx, creator_id), "Creator")
        now = deps.clock.now()
        earlier = await creators_db.ENTRIES.find_one(tx, creator_id=creator.id, reference=reference)
        (account,) = await creators_db.accounts(tx, [creator], now)
        entry = creators_rules.check_payout(earlier, amount, account.balance(currency))
        if entry:
            return entry, False
        payout = CreatorEntry(0, creator.id, "payout", Hundredths(-amount), currency, None, reference, now, now)
        return await creators_db.ENTRIES.add(tx, payout), True


async def book(tx: Transaction, details: OrderDetails) -> None:
    """What a payment earns the creator whose code it has, unless the buyer is the creator."""
    order = details.order
    if order.coupon_origin != "creator" or order.coupon_id is None:
        return
    creator = await creators_db.ROWS.find_one(tx, coupon_id=order.coupon_id)
    if creator and not await _is_own(tx, creator, details):
        await creators_db.ENTRIES.add(tx, creators_rules.earned(creator, order))


async def correct(tx: Transaction, order: Order, now: Instant) -> None:
    """Takes back, or gives back, what a refund or a dispute of the locked order changes."""
    if order.coupon_origin == "creator":
        entries = await creators_db.ENTRIES.find(tx, order_id=order.id)
        disputes = await disputes_db.of_order(tx, order.id) if entries else []
        entry = creators_rules.correction(entries, order, disputes, now)
        if entry:
            await creators_db.ENTRIES.add(tx, entry)


async def _is_own(tx: Transaction, creator: Creator, details: OrderDetails) -> bool:
    """By customer, mailbox, device, payment method or player, but not by an address alone."""
    order, buyer = details.order, details.customer
    if creator.customer_id is None:
        return False
    if creator.customer_id == buyer.id:
        return True
    if await creators_db.share_trace(tx, creator.customer_id, buyer.id, order.payment_instrument):
        return True
    owner = await customers_db.ROWS.get(tx, creator.customer_id)
    players = [*buyer.players, *([order.player] if order.player else [])]
    return bool(owner and {player.trace for player in players} & {player.trace for player in owner.players})


async def _check_customer(tx: Transaction, customer_id: int | None) -> None:
    if customer_id is not None:
        accepted_customer(await customers_db.ROWS.get(tx, customer_id))
