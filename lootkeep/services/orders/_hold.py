"""Paid but held: the money is recorded, and everything else that a payment does waits for a reviewer."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.checkout import Cart, CartLine, PricedLine
from lootkeep.domain.fraud.checks import FraudCheck, reopened
from lootkeep.domain.fraud.judgement import Judgement
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.fraud.recording import check_of, with_judgement
from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.services import order_alerts
from lootkeep.services.orders import _checkout, _labels
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.fraud import checks as fraud_checks_db, history as fraud_history_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.views import fraud_events as fraud_events_views


async def reopen(
    deps: Deps, tx: Transaction, details: OrderDetails, order: Order, check: FraudCheck | None
) -> tuple[Order, FraudCheck]:
    """The check waits for a review again; an order that has none is judged now."""
    if check:
        check = await fraud_checks_db.ROWS.save(tx, check, reopened(check))
        (check,) = await _labels.settle(tx, details, [check], order.updated_at)
        return order, check
    judgement = await _judge(deps, tx, details, order)
    order = with_judgement(order, judgement)
    return order, await fraud_checks_db.ROWS.add(tx, check_of(order, judgement))


async def hold(tx: Transaction, details: OrderDetails, order: Order, check: FraudCheck, what: str) -> OrderDetails:
    """Saves the held payment, whose check is in the review queue, and alerts staff of `what` happened."""
    now = order.updated_at
    await orders_db.save(tx, details.order, order, details.items)
    await payment_events_db.rouse(tx, order, now)
    await order_alerts.raise_for(tx, order, "order_held", f"payment:{order.id}", what, now)
    await outbox_db.append(tx, "fraud.held", fraud_events_views.judged(order, check.summary), now)
    return replace(details, order=order, check=check.summary)


async def _judge(deps: Deps, tx: Transaction, details: OrderDetails, order: Order) -> Judgement:
    """An order that was not judged when it was placed is judged now, and held whatever its score."""
    cart = Cart(
        order.customer_id,
        tuple(CartLine(item.product_id, item.quantity) for item in details.items),
        order.ip_address,
        order.billing_country,
        order.user_agent,
        order.device_id,
        player=order.player,
        payment=order.payment,
    )
    lines = [
        PricedLine(it.product_id, it.product_name, it.sku, it.delivery_type, it.quantity, it.price, it.total)
        for it in details.items
    ]
    policy = await settings_db.current(tx, SETTINGS, Policy)
    buyer = _checkout.buyer(cart, details.customer, order.currency, order.updated_at)
    (history,) = await fraud_history_db.gather(tx, policy[1], [buyer])
    judgement = await _checkout.judge(deps, tx, cart, details.customer, lines, history, policy, order.updated_at)
    return replace(judgement, verdict=replace(judgement.verdict, action_taken="verification_required"))
