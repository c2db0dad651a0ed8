"""Steps shared by placing and importing an order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import checkout as checkout_rules, coupons as coupons_rules, identity as identity_rules
from lootkeep.domain.checkout import Cart, PricedLine
from lootkeep.domain.coupons import AppliedCoupon
from lootkeep.domain.customers import Customer, accepted_customer, plain_code
from lootkeep.domain.fraud.buyers import Buyer
from lootkeep.domain.fraud.facts import History
from lootkeep.domain.fraud.judgement import Judgement, facts_of, judgement, made_before
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.identity import Trace
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Unprocessable, invalid
from lootkeep.services import coupons, fraud_lists, goods
from lootkeep.storage import coupons as coupons_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.products import rows as products_db


def check_buyer(customer: Customer | None) -> Customer:
    customer = accepted_customer(customer)
    if customer.status == "blocked":
        raise Unprocessable("customer_blocked", "This customer is blocked and cannot place orders.")
    return customer


def traces(cart: Cart, customer: Customer) -> list[Trace]:
    player = cart.player.trace if cart.player else None
    return identity_rules.traces(customer.email, cart.ip_address, cart.device_id, cart.payment.instrument, player)


def buyer(cart: Cart, customer: Customer, currency: str, at: Instant) -> Buyer:
    """The buyer to look up, as of the time of the order."""
    return Buyer(
        at,
        customer.email,
        cart.ip_address,
        cart.device_id,
        customer.id,
        customer_created_at=made_before(cart, customer, at),
        currency=currency,
        instrument=cart.payment.instrument,
        player=cart.player.trace if cart.player else None,
        is_past=cart.created_at is not None,
    )


async def judge(
    deps: Deps,
    tx: Transaction,
    cart: Cart,
    customer: Customer,
    lines: Sequence[PricedLine],
    history: History,
    policy: tuple[int, Policy],
    at: Instant,
) -> Judgement:
    """The fraud check of the order, from memory and local data alone; a policy has a version."""
    network = deps.intelligence.network(cart.ip_address)
    is_disposable = deps.intelligence.is_disposable(identity_rules.domain_of(customer.email))
    facts = facts_of(cart, customer, lines, at, network=network, is_disposable=is_disposable, history=history)
    return judgement(await fraud_lists.with_lists(tx, facts, policy[1]), policy[1], policy[0])


async def find_coupon(
    tx: Transaction,
    cart: Cart,
    customer: Customer,
    priced: tuple[Sequence[PricedLine], str],
    products: Mapping[int, Product],
    now: Instant,
) -> AppliedCoupon | None:
    """Not locked: other orders with the coupon need not wait for this one."""
    if not cart.coupon_code:
        return None
    coupon = await coupons_db.ROWS.find_one(tx, code=plain_code(cart.coupon_code))
    reason, applied = await coupons.apply(tx, coupon, cart, customer, priced, products, now)
    if applied is None:
        raise coupons_rules.rejected(reason or "unknown", coupon, priced[1])
    return applied


async def reserve_coupon(tx: Transaction, applied: AppliedCoupon | None, order: Order) -> None:
    """For an order that was not stopped: of two orders for the last use, the second is rejected."""
    if applied and order.status != "cancelled":
        taken = coupons_rules.rejected("used_up", applied.coupon, order.currency)
        await coupons_db.reserve(tx, applied.coupon, taken)


def holding_stock(lines: Sequence[PricedLine], products: dict[int, Product]) -> list[PricedLine]:
    """The lines as they are going to be when their stock is taken."""
    return [replace(line, holds_stock=products[line.product_id].stock is not None) for line in lines]


def limited(lines: Sequence[PricedLine], products: dict[int, Product]) -> list[tuple[int, PricedLine]]:
    """Those of products with a stock, with their numbers, by product: two orders of the same never deadlock.

    Nothing is taken from an unlimited stock, so orders of the same product need not wait for each other.
    """
    numbered = ((index, line) for index, line in enumerate(lines) if products[line.product_id].stock is not None)
    return sorted(numbered, key=lambda pair: pair[1].product_id)


def out_of_stock(index: int) -> Exception:
    return invalid(f"items.{index}.quantity", f"The items.{index}.quantity field {checkout_rules.OUT_OF_STOCK}.")


async def take_stock(tx: Transaction, lines: Sequence[PricedLine], products: dict[int, Product], now: Instant) -> None:
    """At the latest before the commit, which fails if stock is short."""
    for index, line in limited(lines, products):
        await goods.take_stock(tx, products[line.product_id], line.quantity, out_of_stock(index), now)


async def release_stock(tx: Transaction, lines: Sequence[PricedLine | OrderItem]) -> None:
    """By product, like a checkout: no two deadlock."""
    for line in sorted(lines, key=lambda line: line.product_id):
        if line.holds_stock:
            await products_db.release_stock(tx, line.product_id, line.quantity)
