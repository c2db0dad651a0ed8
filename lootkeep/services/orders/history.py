"""Imports past orders: reads what they need together, decides each, and writes all of them together.

Imported history sends no events and waits for nobody: it is judged by what existed at its time.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import (
    checkout as checkout_rules,
    orders as orders_rules,
    past_orders as past_orders_rules,
    refunds as refunds_rules,
)
from lootkeep.domain.checkout import Cart, PastRefund, PricedLine
from lootkeep.domain.declined_payments import declined
from lootkeep.domain.fraud.amounts import week_of
from lootkeep.domain.fraud.facts import History
from lootkeep.domain.fraud.judgement import Judgement
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.fraud.recording import check_of, with_judgement
from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError, Unavailable, invalid
from lootkeep.services import coupons, creators, fraud_amounts
from lootkeep.services.orders import _checkout, _payment
from lootkeep.services.orders._past_requests import PastRequest, independent_batches, reload_customers, requests_of
from lootkeep.services.orders.dispute import DisputeReport, import_dispute
from lootkeep.services.orders.place import PlacedOrder
from lootkeep.storage import settings as settings_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import (
    checks as fraud_checks_db,
    history as fraud_history_db,
    identity as identity_db,
)
from lootkeep.storage.fraud.identity import SeenCustomer
from lootkeep.storage.orders import payment_attempts as payment_attempts_db, rows as orders_db
from lootkeep.storage.products import rows as products_db
from lootkeep.storage.referrals import rows as referrals_db


class _Context(msgspec.Struct, frozen=True):
    """What all orders of a batch share."""

    now: Instant
    policy: tuple[int, Policy]
    # A stock shrinks with every order that takes from it.
    products: dict[int, Product]
    # By the referrer of the buyer.
    referral_codes: dict[int, str]


class _Draft(msgspec.Struct, frozen=True):
    """An order that is decided but not written yet."""

    request: PastRequest
    order: Order
    lines: Sequence[PricedLine]
    judgement: Judgement | None
    refunds: Sequence[PastRefund] = ()


async def import_order(deps: Deps, cart: Cart) -> PlacedOrder:
    """One order; the same external id returns the same order."""
    async with deps.db.write() as tx:
        (placed,) = await import_history(deps, tx, [cart])
        if isinstance(placed, AppError):
            raise placed
    return placed


async def import_history(deps: Deps, tx: Transaction, carts: Sequence[Cart]) -> list[PlacedOrder | AppError]:
    """Imports them as if one after the other; returns the result of each.

    No two of them have the same external id. A rejected order leaves nothing behind.
    """
    now = deps.clock.now()
    requests, outcomes = await requests_of(tx, carts, now)
    await _lock(tx, requests)
    context = await _context(tx, requests, now)
    for number, batch in enumerate(independent_batches(requests)):
        batch = await reload_customers(tx, batch) if number else batch
        outcomes |= await _import_batch(deps, tx, batch, context)
    new = [outcome[0] for outcome in outcomes.values() if not isinstance(outcome, AppError) and outcome[1]]
    await _payment.add_sold(tx, [details for details in new if details.order.paid_at is not None], {})
    return [outcomes[index] for index in range(len(carts))]


async def _lock(tx: Transaction, requests: Sequence[PastRequest]) -> None:
    """What all of them change, up front and each by id: one by one they could deadlock with payments."""
    carts, buyers = [request.cart for request in requests], [request.customer for request in requests]
    await customers_db.take_turns(tx, {customer.id for customer in buyers})
    await customers_db.ROWS.lock_many(tx, [customer.id for customer in buyers])
    referred = {customer.id: customer.referred_by_id for customer in buyers if customer.referred_by_id is not None}
    await referrals_db.ROWS.lock_many(tx, referred)
    await referrals_db.REFERRERS.lock_many(tx, referred.values())
    await coupons.lock_named(tx, carts)
    await products_db.lock_stocks(
        tx, {line.product_id for cart in carts if not cart.is_concluded for line in cart.lines}
    )


async def _context(tx: Transaction, requests: Sequence[PastRequest], now: Instant) -> _Context:
    policy = await settings_db.current(tx, SETTINGS, Policy)
    products = await products_db.ROWS.get_many(
        tx, {line.product_id for request in requests for line in request.cart.lines}
    )
    referrers = {request.customer.referred_by_id for request in requests} - {None}
    codes = await customers_db.ROWS.get_many(tx, {referrer for referrer in referrers if referrer is not None})
    return _Context(now, policy, products, {customer.id: customer.referral_code for customer in codes.values()})


async def _import_batch(
    deps: Deps, tx: Transaction, batch: Sequence[PastRequest], context: _Context
) -> dict[int, PlacedOrder | AppError]:
    outcomes: dict[int, PlacedOrder | AppError] = {}
    drafts: list[_Draft] = []
    for request, history in zip(batch, await _histories(tx, batch, context), strict=True):
        try:
            drafts.append(await _draft(deps, tx, request, history, context))
        except Unavailable:
            raise
        except AppError as reason:
            outcomes[request.index] = reason
    if drafts:
        sales = await _write(deps, tx, drafts, context.now)
        outcomes |= {draft.request.index: (details, True) for draft, details in zip(drafts, sales, strict=True)}
    return outcomes


async def _histories(tx: Transaction, batch: Sequence[PastRequest], context: _Context) -> Sequence[History | None]:
    """What the store knew about each buyer at the time of the order; nothing if orders are not judged."""
    _, policy = context.policy
    if not policy.fraud_detection_enabled:
        return [None] * len(batch)
    await fraud_amounts.ensure(tx, {week_of(request.at) for request in batch})
    buyers = [
        _checkout.buyer(request.cart, request.customer, _currency(request.cart, context.products), request.at)
        for request in batch
    ]
    return await fraud_history_db.gather(tx, policy, buyers)


def _currency(cart: Cart, products: dict[int, Product]) -> str:
    """Its own, or that of the first line; an order with mixed currencies is rejected later."""
    if cart.currency is not None:
        return cart.currency
    product = products.get(cart.lines[0].product_id) if cart.lines else None
    return product.currency if product else ""


async def _draft(
    deps: Deps, tx: Transaction, request: PastRequest, history: History | None, context: _Context
) -> _Draft:
    cart, customer, now = request.cart, request.customer, context.now
    lines, currency = checkout_rules.priced(cart, context.products)
    judgement = None
    if history:
        judgement = await _checkout.judge(deps, tx, cart, customer, lines, history, context.policy, request.at)
    applied = await _checkout.find_coupon(tx, cart, customer, (lines, currency), context.products, now)
    referral_code = context.referral_codes.get(customer.referred_by_id or 0)
    order = checkout_rules.order(cart, lines, currency, applied, referral_code, now)
    if judgement:
        order = with_judgement(order, judgement)
        action = judgement.verdict.action_taken
        order = order if cart.is_concluded else orders_rules.judged(order, action, now)
    if order.status == "cancelled":
        return _Draft(request, order, lines, judgement)
    if cart.gift_card_code:
        raise invalid("gift_card_code", "The gift card code field cannot be used for an imported order.")
    if not cart.is_concluded:
        lines = await _reserve_stock(tx, lines, context.products)
        _take_from_stock(context.products, lines)
    order, reserved, refunds = past_orders_rules.concluded(cart, order, lines, now)
    # At once: the next order of the batch may have the same coupon.
    await _checkout.reserve_coupon(tx, applied, order)
    return _Draft(request, order, reserved, judgement, refunds)


async def _reserve_stock(
    tx: Transaction, lines: Sequence[PricedLine], products: dict[int, Product]
) -> list[PricedLine]:
    """The lines after taking stock; if stock is short, nothing stays reserved. Nothing is reported of the past."""
    reserved = list(lines)
    for index, line in _checkout.limited(lines, products):
        reservation = await products_db.reserve_stock(tx, line.product_id, line.quantity)
        if reservation is None:
            await _checkout.release_stock(tx, reserved)
            raise _checkout.out_of_stock(index)
        reserved[index] = replace(line, holds_stock=reservation.holds_stock)
    return reserved


def _take_from_stock(products: dict[int, Product], lines: Sequence[PricedLine]) -> None:
    """The next order of the batch sees what is left."""
    for line in lines:
        product = products[line.product_id]
        if product.stock is not None:
            products[line.product_id] = replace(product, stock=product.stock - line.quantity)


async def _write(deps: Deps, tx: Transaction, drafts: Sequence[_Draft], now: Instant) -> list[OrderDetails]:
    added_orders = await orders_db.add_many(tx, [(draft.order, draft.lines) for draft in drafts])
    seen = [SeenCustomer(draft.request.customer.id, draft.request.traces, draft.order.created_at) for draft in drafts]
    await identity_db.remember(tx, seen)
    attempts = [
        declined(order, at)
        for draft, (order, _) in zip(drafts, added_orders, strict=True)
        for at in draft.request.cart.declined_at
    ]
    await payment_attempts_db.ROWS.add_many(tx, attempts)
    pairs = zip(drafts, added_orders, strict=True)
    judged = [check_of(order, draft.judgement) for draft, (order, _) in pairs if draft.judgement]
    checks = {check.order_id: check.summary for check in await fraud_checks_db.ROWS.add_many(tx, judged)}
    sales = [
        OrderDetails(order, items, draft.request.customer, checks.get(order.id))
        for draft, (order, items) in zip(drafts, added_orders, strict=True)
    ]
    paid = [details for details in sales if details.order.paid_at is not None]
    for details in paid:
        await _payment.use_coupon(tx, details.order)
    if paid:
        await _payment.count(tx, paid, deps.currency)
    for details in paid:
        await creators.book(tx, details)
    for draft, details in zip(drafts, sales, strict=True):
        if draft.request.cart.disputed_at is not None:
            report = DisputeReport("dispute", "fraudulent", draft.request.cart.disputed_at)
            await import_dispute(tx, details.order.id, report, now)
    for draft, details in zip(drafts, sales, strict=True):
        await _write_refunds(deps, tx, details, draft.refunds)
    return sales


async def _write_refunds(deps: Deps, tx: Transaction, details: OrderDetails, refunds: Sequence[PastRefund]) -> None:
    order, earlier = details.order, 0
    for refund in refunds:
        at = order.refunded_at if refund.created_at is None else refund.created_at
        assert at is not None
        await orders_db.add_refund(tx, order, refunds_rules.refund_of(order, earlier, refund.amount, refund.reason, at))
        earlier += refund.amount
    if order.refunded_at is not None:
        await creators.correct(tx, order, order.refunded_at)
        counted = details.counted_in(deps.currency, order.refunded_total)
        await customers_db.take_back(tx, details.customer.id, counted, orders=1 if order.status == "refunded" else 0)
