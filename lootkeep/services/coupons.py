"""Coupons: made by the owner one by one or many at once, changed, deleted, and what one takes off a basket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import checkout as checkout_rules, coupons as coupons_rules
from lootkeep.domain.checkout import Cart, PricedLine
from lootkeep.domain.coupons import AppliedCoupon, Coupon, CouponRejection, CouponTerms
from lootkeep.domain.customers import Customer, known_customer, plain_code
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields, existing, invalid
from lootkeep.kernel.money import Hundredths
from lootkeep.storage import coupons as coupons_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.products import rows as products_db


class Preview(msgspec.Struct, frozen=True):
    reason: CouponRejection | None
    discount_total: Hundredths
    total: Hundredths


async def create(deps: Deps, terms: CouponTerms, code: str | None) -> Coupon:
    """Without a code it gets one."""
    async with deps.db.write() as tx:
        return await create_in(deps, tx, terms, code)


async def create_in(deps: Deps, tx: Transaction, terms: CouponTerms, code: str | None) -> Coupon:
    """The same inside a larger transaction."""
    terms, now = coupons_rules.settled(terms, deps.currency), deps.clock.now()
    await _check_products(tx, terms)
    if code is None:
        (coupon,) = await _add_generated(deps, tx, terms, 1, "", None, now)
        return coupon
    return await _add(tx, coupons_rules.issued(terms, "owner", coupons_rules.checked_code(plain_code(code)), now))


async def generate(deps: Deps, terms: CouponTerms, count: int, prefix: str) -> tuple[list[Coupon], str]:
    """Many coupons of the same terms, and the name of their batch."""
    terms, prefix = coupons_rules.settled(terms, deps.currency), coupons_rules.checked_prefix(plain_code(prefix))
    now, batch = deps.clock.now(), deps.ids.code()
    async with deps.db.write() as tx:
        await _check_products(tx, terms)
        return await _add_generated(deps, tx, terms, count, prefix, batch, now), batch


async def change(deps: Deps, coupon_id: int, changes: dict[str, Any]) -> Coupon:
    async with deps.db.write() as tx:
        before = existing(await coupons_db.ROWS.lock(tx, coupon_id), "Coupon")
        after = coupons_rules.settled(replace(before, **changes), deps.currency)
        if after == before:
            return before
        coupons_rules.require_changeable(before, after)
        if after.product_ids != before.product_ids:
            await _check_products(tx, after)
        if after.code != before.code:
            after = replace(after, code=coupons_rules.checked_code(plain_code(after.code)))
            if await coupons_db.ROWS.find_one(tx, code=after.code):
                raise _taken()
            await coupons_db.forget(tx, before)
        return await coupons_db.ROWS.save(tx, before, coupons_rules.changed(after, deps.clock.now()))


async def delete(deps: Deps, coupon_id: int) -> None:
    async with deps.db.write() as tx:
        coupon = existing(await coupons_db.ROWS.lock(tx, coupon_id), "Coupon")
        coupons_rules.require_deletable(coupon)
        await coupons_db.forget(tx, coupon)
        await coupons_db.ROWS.remove(tx, coupon)


async def settle(deps: Deps) -> None:
    """Updates the states that time has changed, so that lists by state are exact; the worker leaves little of it."""
    is_more = True
    while is_more:
        async with deps.db.read() as tx:
            is_more = await coupons_db.are_due(tx, deps.clock.now())
        if is_more:
            async with deps.db.write(is_long=True) as tx:
                is_more = await coupons_db.settle(tx, deps.clock.now())


async def preview(deps: Deps, cart: Cart) -> Preview:
    """What the cart would cost with its coupon; nothing is reserved. A cart without a customer has the id 0."""
    now = deps.clock.now()
    async with deps.db.read() as tx:
        customer = known_customer(await customers_db.ROWS.get(tx, cart.customer_id)) if cart.customer_id else None
        products = await products_db.ROWS.get_many(tx, {line.product_id for line in cart.lines})
        priced = checkout_rules.priced(cart, products)
        coupon = await coupons_db.ROWS.find_one(tx, code=plain_code(cart.coupon_code or ""))
        reason, applied = await apply(tx, coupon, cart, customer, priced, products, now)
    discount = applied.discount if applied else Hundredths(0)
    return Preview(reason, discount, Hundredths(sum(line.total for line in priced[0]) - discount))


async def apply(
    tx: Transaction,
    coupon: Coupon | None,
    cart: Cart,
    customer: Customer | None,
    priced: tuple[Sequence[PricedLine], str],
    products: Mapping[int, Product],
    now: Instant,
) -> tuple[CouponRejection | None, AppliedCoupon | None]:
    """Why the coupon cannot be used for the lines, or what it takes off."""
    if coupon is None:
        return "unknown", None
    own_uses, has_first = 0, False
    if customer and coupon.max_uses_per_customer is not None:
        own_uses = await coupons_db.own_uses(tx, coupon.id, customer.id)
    if customer and coupon.first_order_only:
        has_first = await coupons_db.has_first_order(tx, customer.id)
    basket = checkout_rules.basket(cart, coupon, priced[0], products, priced[1])
    reason = coupons_rules.rejection(coupon, customer, own_uses, basket, now, has_first=has_first)
    if reason:
        return reason, None
    return None, AppliedCoupon(coupon, coupons_rules.discount(coupon, basket.discounted, basket.currency))


async def lock_named(tx: Transaction, carts: Sequence[Cart]) -> None:
    """Locks the coupons of several carts, by id, before anything else that their orders lock."""
    codes = [plain_code(cart.coupon_code) for cart in carts if cart.coupon_code]
    if codes:
        await coupons_db.ROWS.lock_many(tx, (await coupons_db.ROWS.ids_by(tx, "code", codes)).values())


async def _add(tx: Transaction, new: Coupon) -> Coupon:
    coupon = await coupons_db.ROWS.add_if_free(tx, new)
    if coupon is None:
        raise _taken()
    return coupon


async def _add_generated(
    deps: Deps, tx: Transaction, terms: CouponTerms, count: int, prefix: str, batch: str | None, now: Instant
) -> list[Coupon]:
    """Codes that are taken are rare, so the next ones will do."""
    coupons: list[Coupon] = []
    while len(coupons) < count:
        codes = {f"{prefix}{deps.ids.code()}" for _ in range(count - len(coupons))}
        new = [coupons_rules.issued(terms, "owner", code, now, batch=batch) for code in sorted(codes)]
        coupons += await coupons_db.ROWS.add_free(tx, new)
    return coupons


async def _check_products(tx: Transaction, terms: CouponTerms) -> None:
    product_ids = msgspec.json.decode(terms.product_ids, type=list[int])
    products = await products_db.ROWS.get_many(tx, product_ids)
    errors = {
        f"product_ids.{index}": [f"The product_ids.{index} field is not a product of this store."]
        for index, product_id in enumerate(product_ids)
        if product_id not in products
    }
    if errors:
        raise InvalidFields(errors)


def _taken() -> InvalidFields:
    return invalid("code", "The code field has already been taken.")
