"""Places an order: from the cart to an order that is judged, announced and, if nothing is due, paid."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import checkout as checkout_rules, orders as orders_rules
from lootkeep.domain.alerts import AlertTrigger
from lootkeep.domain.checkout import Cart, PricedLine
from lootkeep.domain.customers import Customer
from lootkeep.domain.fraud.judgement import Judgement
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.recording import check_of, with_judgement
from lootkeep.domain.gift_cards import GiftCard
from lootkeep.domain.identity import Trace
from lootkeep.domain.orders import Order, OrderCheck, OrderDetails
from lootkeep.domain.product_commands import CommandCause
from lootkeep.domain.products import Product
from lootkeep.kernel.cause import note
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict
from lootkeep.services import gift_cards, goods, order_alerts
from lootkeep.services.orders import _checkout, _details, _payment
from lootkeep.services.orders._delivery import NewEvents
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.fraud import checks as fraud_checks_db, history as fraud_history_db, identity as identity_db
from lootkeep.storage.fraud.identity import SeenCustomer
from lootkeep.storage.orders import checkout as checkout_db, rows as orders_db
from lootkeep.storage.orders.checkout import CheckoutStart
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.views import (
    fraud_events as fraud_events_views,
    gift_card_events as gift_card_events_views,
    order_events as order_events_views,
)

# The alerts for staff: orders that fraud detection stopped.
_ALERTS: dict[str, tuple[AlertTrigger, str]] = {
    "on_hold": ("order_held", "held for review"),
    "cancelled": ("order_blocked", "blocked"),
}
# The order, and whether it is new.
PlacedOrder = tuple[OrderDetails, bool]


async def place(deps: Deps, cart: Cart) -> PlacedOrder:
    """The same external id returns the same order."""
    async with deps.db.write() as tx:
        return await place_in(deps, tx, cart)


async def place_in(deps: Deps, tx: Transaction, cart: Cart) -> PlacedOrder:
    """The same inside a larger transaction."""
    policy, customer, existing_order_id = await _start(tx, cart)
    if existing_order_id is not None:
        return await _details.load(tx, existing_order_id), False
    await _take_turn(tx, cart, _checkout.check_buyer(customer), policy[1])
    # Only now: an order gets its time after the wait, not when it started to wait.
    now = deps.clock.now()
    customer, referral_code, products = await _context(tx, cart, policy[1])
    lines, currency = checkout_rules.priced(cart, products)
    await goods.check_player(tx, products.values(), cart.player, customer)
    judgement = await _judge(deps, tx, cart, customer, (lines, currency), policy, now)
    applied = await _checkout.find_coupon(tx, cart, customer, (lines, currency), products, now)
    order = _judged(checkout_rules.order(cart, lines, currency, applied, referral_code, now), judgement)
    card = None
    if order.status != "cancelled":
        lines = _checkout.holding_stock(lines, products)
        order, card = await _pay_by_card(deps, tx, cart, order, lines)
    order, items = await orders_db.add(tx, order, lines)
    note(order=order.id)
    redemption = await gift_cards.pay_for(tx, card, order, now) if card else None
    check = await _remember(tx, customer, _checkout.traces(cart, customer), order, judgement)
    details = OrderDetails(order, items, customer, check)
    new = await _new_events(tx, details, check, now)
    if card and redemption:
        new.append(("gift_card.redeemed", gift_card_events_views.redeemed(card, redemption)))
    await outbox_db.append_all(tx, new, now)
    if order.status == "cancelled":
        return details, True
    if order.amount_due > 0:
        await payment_events_db.rouse(tx, order, now)
    if paid := _payment.paid_if_nothing_due(order, cart.payment_method, now):
        details = await _payment.hand_over(deps, tx, details, paid)
    # Last: other buyers with the coupon or of the product wait from here on, until this order is committed.
    await _checkout.reserve_coupon(tx, applied, order)
    await _checkout.take_stock(tx, lines, products, now)
    if paid:
        await _payment.count_sold(tx, details)
    return details, True


def _judged(order: Order, judgement: Judgement | None) -> Order:
    if judgement is None:
        return order
    return orders_rules.judged(with_judgement(order, judgement), judgement.verdict.action_taken, order.created_at)


async def _new_events(tx: Transaction, details: OrderDetails, check: OrderCheck | None, now: Instant) -> NewEvents:
    """Alerts staff. The events of the verdict, if it has one, and of the order, unless it is cancelled."""
    new: NewEvents = []
    order = details.order
    if order.status in _ALERTS:
        trigger, what = _ALERTS[order.status]
        await order_alerts.raise_for(tx, order, trigger, f"order:{order.id}", what, now)
    if check and check.action_taken in fraud_events_views.EVENTS:
        new.append((fraud_events_views.EVENTS[check.action_taken], fraud_events_views.judged(order, check)))
    if order.status != "cancelled":
        new.append(("order.created", order_events_views.created(details)))
    return new


async def place_paid(
    deps: Deps, tx: Transaction, order: Order, lines: Sequence[PricedLine], customer: Customer, cause: CommandCause
) -> OrderDetails:
    """An order without a checkout, such as a period of a subscription: announced, and paid immediately.

    The caller then takes its stock, and counts what was sold.
    """
    now = order.created_at
    order, items = await orders_db.add(tx, order, lines)
    note(order=order.id)
    details = OrderDetails(order, items, customer, None)
    await outbox_db.append(tx, "order.created", order_events_views.created(details), now)
    return await _payment.hand_over(deps, tx, details, orders_rules.paid(order, now, None, None, now), cause)


async def _start(tx: Transaction, cart: Cart) -> CheckoutStart:
    """Of two concurrent requests with the same external id, the second is rejected."""
    if cart.external_id is not None and not await tx.lock(f"order {cart.external_id}"):
        raise Conflict("order_in_progress", "An order with this external id is being placed right now.")
    return await checkout_db.start(tx, cart.customer_id, cart.external_id)


async def _take_turn(tx: Transaction, cart: Cart, customer: Customer, policy: Policy) -> None:
    """Waits until no other order that shares a trace with this one is being judged."""
    traces = _checkout.traces(cart, customer) if policy.fraud_detection_enabled else ()
    await identity_db.take_turn(tx, customer.id, traces)


async def _context(tx: Transaction, cart: Cart, policy: Policy) -> tuple[Customer, str | None, dict[int, Product]]:
    """Read after the wait, during which the customer may have been blocked, or got another e-mail."""
    product_ids = [line.product_id for line in cart.lines]
    context = await checkout_db.context(tx, cart.customer_id, product_ids, is_judged=policy.fraud_detection_enabled)
    return _checkout.check_buyer(context.customer), context.referral_code, context.products


async def _judge(
    deps: Deps,
    tx: Transaction,
    cart: Cart,
    customer: Customer,
    priced: tuple[Sequence[PricedLine], str],
    policy: tuple[int, Policy],
    now: Instant,
) -> Judgement | None:
    if not policy[1].fraud_detection_enabled:
        return None
    lines, currency = priced
    (history,) = await fraud_history_db.gather(tx, policy[1], [_checkout.buyer(cart, customer, currency, now)])
    return await _checkout.judge(deps, tx, cart, customer, lines, history, policy, now)


async def _pay_by_card(
    deps: Deps, tx: Transaction, cart: Cart, order: Order, lines: Sequence[PricedLine]
) -> tuple[Order, GiftCard | None]:
    """The order with what a gift card pays of it, and that card."""
    if not cart.gift_card_code:
        return order, None
    card = await gift_cards.find_for_payment(deps, tx, cart.gift_card_code, order, order.created_at)
    if card is None:
        return order, None
    return replace(order, gift_card_total=min(card.balance, checkout_rules.payable_by_card(order, lines))), card


async def _remember(
    tx: Transaction, customer: Customer, traces: list[Trace], order: Order, judgement: Judgement | None
) -> orders_rules.OrderCheck | None:
    """Stores the sightings, and the fraud check if there is one."""
    await identity_db.remember(tx, [SeenCustomer(customer.id, traces, order.created_at)])
    if judgement is None:
        return None
    return (await fraud_checks_db.ROWS.add(tx, check_of(order, judgement))).summary
