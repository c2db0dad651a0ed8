"""Subscriptions: created, renewed, cancelled; each period is a paid order."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import checkout as checkout_rules, subscriptions as subscriptions_rules
from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.customers import Customer, accepted_customer
from lootkeep.domain.orders import OrderDetails
from lootkeep.domain.players import Player
from lootkeep.domain.product_commands import CommandCause
from lootkeep.domain.products import Product
from lootkeep.domain.subscriptions import PastTerms, Subscription
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, Unprocessable, existing, invalid
from lootkeep.services import goods, orders
from lootkeep.storage import subscriptions as subscriptions_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.storage.products import rows as products_db
from lootkeep.views import subscriptions as subscriptions_views


async def create(
    deps: Deps, customer_id: int, product_id: int, external_id: str | None = None, player: Player | None = None
) -> tuple[Subscription, OrderDetails]:
    """The subscription, and the paid order of its first period."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        await _claim_external_id(tx, external_id)
        await customers_db.take_turn(tx, customer_id)
        # The product cannot be deleted while it gets its first subscription.
        pair = await customers_db.ROWS.get(tx, customer_id), await products_db.get_undeletable(tx, product_id)
        customer, product = subscriptions_rules.checked(*pair)
        new = subscriptions_rules.started(customer, product, now, external_id, player)
        subscription = await subscriptions_db.ROWS.add(tx, new)
        paid = await _pay_period(deps, tx, subscription, subscription, product, customer)
        error = invalid("product_id", f"The product id field {subscriptions_rules.OUT_OF_STOCK}.")
        await _sell(tx, product, paid[1], error)
        return paid


async def import_in(deps: Deps, tx: Transaction, customer_id: int, product_id: int, terms: PastTerms) -> Subscription:
    """An imported subscription: it continues where it was, creates no order and sends no events."""
    now = deps.clock.now()
    customer = accepted_customer(await customers_db.ROWS.get(tx, customer_id))
    product = await products_db.get_undeletable(tx, product_id)
    if product is None:
        raise invalid("product_id", "The product id field is not a product of this store.")
    if terms.created_at > now:
        raise invalid("created_at", "The created at field must not be in the future.")
    return await subscriptions_db.ROWS.add(tx, subscriptions_rules.of_the_past(customer, product, terms, now))


async def renew(deps: Deps, subscription_id: int) -> tuple[Subscription, OrderDetails]:
    """The subscription in its next period, and the paid order of that period."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        before = await _get_for_update(tx, subscription_id)
        if not subscriptions_rules.has_run_out(before, now):
            return await _renew(deps, tx, before, now)
        after = subscriptions_rules.expired(before, now)
        await subscriptions_db.ROWS.save(tx, before, after)
        await orders.expire(tx, after, now)
    # Raised only after the commit: raised inside, the error would roll back the new state.
    raise subscriptions_rules.ended(after)


async def cancel(
    deps: Deps, subscription_id: int, *, at_period_end: bool, reason: str | None
) -> tuple[Subscription, Customer]:
    """Cancelling again changes nothing and sends nothing."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        before = await _get_for_update(tx, subscription_id)
        customer = await _customer(tx, before)
        if before.cancelled_at is not None:
            return before, customer
        after = subscriptions_rules.cancelled(before, now, at_period_end=at_period_end, reason=reason)
        await subscriptions_db.ROWS.save(tx, before, after)
        if not at_period_end:
            await orders.expire(tx, after, now)
        await outbox_db.append(tx, "subscription.cancelled", subscriptions_views.cancelled(after, customer), now)
    return after, customer


async def expire(deps: Deps) -> None:
    """Ends the subscriptions that were cancelled at the end of a period that is over."""
    expired = [0]
    while expired:
        now = deps.clock.now()
        async with deps.db.write(is_long=True) as tx:
            expired = await subscriptions_db.expire(tx, now)
            for subscription_id in expired:
                await orders.expire(tx, await _get_for_update(tx, subscription_id), now)


async def _claim_external_id(tx: Transaction, external_id: str | None) -> None:
    """A repeated call is rejected: a second subscription would be paid twice."""
    if external_id is None:
        return
    if not await tx.lock(f"subscription {external_id}"):
        raise Conflict("subscription_in_progress", "A subscription with this external id is being created right now.")
    subscription = await subscriptions_db.ROWS.find_one(tx, external_id=external_id)
    if subscription:
        sentence = f"The external id field has already been taken by subscription {subscription.id}."
        raise invalid("external_id", sentence)


async def _renew(deps: Deps, tx: Transaction, before: Subscription, now: Instant) -> tuple[Subscription, OrderDetails]:
    subscriptions_rules.require_renewable(before, await _last_paid_at(tx, before), now)
    customer = await _customer(tx, before)
    subscriptions_rules.require_buyer(customer)
    product = await products_db.ROWS.get(tx, before.product_id)
    # A product with an active subscription is never deleted.
    assert product is not None
    paid = await _pay_period(deps, tx, before, subscriptions_rules.renewed(before, now), product, customer)
    sentence = f"The product {before.product_name} {subscriptions_rules.OUT_OF_STOCK}."
    await _sell(tx, product, paid[1], Unprocessable("product_out_of_stock", sentence))
    return paid


async def _last_paid_at(tx: Transaction, subscription: Subscription) -> Instant:
    """An imported subscription has no order yet: its period was paid elsewhere."""
    latest = await orders_db.ROWS.get(tx, subscription.latest_order_id) if subscription.latest_order_id else None
    return subscription.current_period_start if latest is None or latest.paid_at is None else latest.paid_at


async def _pay_period(
    deps: Deps, tx: Transaction, before: Subscription, subscription: Subscription, product: Product, customer: Customer
) -> tuple[Subscription, OrderDetails]:
    """Creates the paid order of the subscription's period, and appends the events of both."""
    now = subscription.updated_at
    line = subscriptions_rules.line(subscription, product)
    cart = Cart(customer.id, (CartLine(product.id, 1),), ip_address=None, subscription_id=subscription.id)
    cart = replace(cart, player=subscription.player)
    new = checkout_rules.order(
        cart, [line], subscription.currency, None, await customers_db.code_that_brought(tx, customer), now
    )
    cause: CommandCause = "renewed" if subscription.renewals_count else "paid"
    if cause == "paid":
        await goods.check_player(tx, [product], subscription.player, customer)
    details = await orders.place_paid(deps, tx, new, [line], customer, cause)
    subscription = replace(subscription, latest_order_id=details.order.id)
    await subscriptions_db.ROWS.save(tx, before, subscription)
    if subscription.renewals_count:
        await outbox_db.append(tx, "subscription.renewed", subscriptions_views.renewed(subscription, customer), now)
    else:
        await outbox_db.append(tx, "subscription.created", subscriptions_views.created(subscription, customer), now)
    return subscription, details


async def _sell(tx: Transaction, product: Product, details: OrderDetails, error: Exception) -> None:
    """Fails with the error if none is left. Last: other buyers of the product wait from here on."""
    await goods.take_stock(tx, product, 1, error, details.order.created_at)
    await orders.count_sold(tx, details)


async def _get_for_update(tx: Transaction, subscription_id: int) -> Subscription:
    return existing(await subscriptions_db.ROWS.lock(tx, subscription_id), "Subscription")


async def _customer(tx: Transaction, subscription: Subscription) -> Customer:
    customer = await customers_db.ROWS.get(tx, subscription.customer_id)
    assert customer is not None
    return customer
