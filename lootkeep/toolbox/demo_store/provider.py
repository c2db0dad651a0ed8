"""The demo's payment provider: it reports the last payments, a refund, a dispute, and some that need someone."""

from __future__ import annotations

import hmac
from dataclasses import replace
from typing import Any

import msgspec

from lootkeep.deps import Deps
from lootkeep.domain.orders import Order
from lootkeep.domain.payments import stripe as stripe_rules
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import DAY, HOUR, SECOND
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.services import customers as customers_service, payments as payments_service
from lootkeep.storage.orders import lists as order_lists_db
from lootkeep.storage.webhooks import fan_out as fan_out_db
from lootkeep.toolbox.demo_store.shop import Shop
from lootkeep.worker.payments import PaymentWorker

# Of each status, the newest orders.
_REPORTED = 6
_LESS, _REFUNDED = 10_00, 2_00
# How long the provider takes evidence.
_EVIDENCE = 8 * DAY + 10 * HOUR

Event = tuple[str, dict[str, Any]]


async def report(deps: Deps, shop: Shop) -> None:
    """After everything else: the events arrive in the last moment of the demo."""
    # Secrets and URLs do not come from the seed.
    present = replace(shop.deps, db=deps.db, ids=deps.ids)
    secret = deps.ids.webhook_secret()
    source = await payments_service.create(present, "stripe", "Main account", secret)
    for number, (kind, described) in enumerate(await _events(present, shop), 1):
        sent = {"id": f"evt_{number}", "type": kind, "livemode": True, "data": {"object": described}}
        body, at = msgspec.json.encode(sent), present.clock.now() // SECOND
        digest = hmac.digest(secret.encode(), b"%d.%b" % (at, body), "sha256").hex()
        await payments_service.receive(
            present, source.slug, {stripe_rules.SIGNATURE: f"t={at},v1={digest}".encode()}, body
        )
    worker = PaymentWorker(present, Wakeup())
    while await worker.run_once():
        pass
    async with deps.db.write() as tx:
        while await fan_out_db.fan_out(tx, shop.deps.ids.delivery_id, present.clock.now()):
            pass


async def _events(deps: Deps, shop: Shop) -> list[Event]:
    paid = [order for status in ("completed", "paid") for order in await _newest(deps, status) if order.money_total]
    events = [("charge.succeeded", _charge(order, order.money_total)) for order in reversed(paid)]
    events.append(("charge.refunded", _charge(paid[-1], paid[-1].money_total) | {"amount_refunded": _REFUNDED}))
    if shop.disputed_order_id is not None:
        events.append(("charge.dispute.created", _dispute(deps, shop.disputed_order_id)))
    short, exact, blocked, *_ = shop.unpaid
    # Blocked after the order was placed: paid, and held.
    changes = {"status": "blocked", "status_reason": "Charged back at another store."}
    await customers_service.change(deps, blocked.customer.id, changes)
    for details, less in ((exact, 0), (blocked, 0), (short, _LESS)):
        charge = _charge(details.order, details.order.money_total - less)
        events.append(("charge.succeeded", charge | {"billing_details": {"email": details.customer.email}}))
    other = {"id": "ch_77", "amount": 999, "currency": "usd", "metadata": {"order_id": "other-shop-77"}}
    return [*events, ("charge.succeeded", other)]


async def _newest(deps: Deps, status: str) -> list[Order]:
    async with deps.db.read() as tx:
        rows, _ = await order_lists_db.LISTING.page(tx, ListRequest(PageRequest(1, _REPORTED), {"status": status}))
    return [row.order for row in rows if row.order.currency == deps.currency]


def _charge(order: Order, amount: int) -> dict[str, Any]:
    card = {"country": order.billing_country, "funding": "credit", "three_d_secure": {"result": "authenticated"}}
    return {
        "id": f"ch_{order.id}",
        "amount": amount,
        "currency": order.currency.lower(),
        "payment_intent": order.transaction_id or f"pi_{order.id}",
        "metadata": {"order_id": order.number},
        "payment_method_details": {"type": "card", "card": card},
    }


def _dispute(deps: Deps, order_id: int) -> dict[str, Any]:
    due_by = (deps.clock.now() + _EVIDENCE) // SECOND
    return {
        "id": "dp_1QzK0eB7XwPf4M",
        "status": "needs_response",
        "reason": "product_not_received",
        "metadata": {"order_id": str(order_id)},
        "evidence_details": {"due_by": due_by},
    }
