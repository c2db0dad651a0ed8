"""A store with a record for every POST of the route table, and a call of each that succeeds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from lootkeep.api.external.fraud_rules import EXAMPLE
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import DAY
from lootkeep.worker.deliveries import DeliveryWorker
from tests.api import campaigns, providers
from tests.api.claiming import BRONZE, anna_with, new_tier
from tests.api.commanding import GIVE, bought, open_server, rank
from tests.api.hooks import HOOK
from tests.builders import STORE, new_alert, new_customer, new_gift_card, new_order, new_product, new_ticket, paid_order
from tests.receiver import Receiver
from tests.worker.delivering import subscribe, work
from tests.world import EXTERNAL, World

MONTHLY = {"billing_type": "recurring", "billing_interval": "month", "billing_interval_count": 1}
RULE = {"name": "Large", "expression": EXAMPLE, "action": "flag"}


class Store(NamedTuple):
    """What the calls need to know about the records."""

    receiver: str
    referral_code: str
    gift_card_code: str
    delivery_id: str
    item_id: int
    key_id: int = 1


async def full_store(world: World, receiver: Receiver) -> Store:
    """Anna (1), her friend (2) with the paid order 1, and what else the calls act on, each with an id of its own."""
    await subscribe(world, receiver, "order.paid")
    anna = await anna_with(world, bought=1)
    await new_tier(world)
    await new_product(world, name="VIP", **MONTHLY)
    await world.post(f"{STORE}/subscriptions", {"customer_id": 1, "product_id": 2})
    await new_order(world, 1, (1, 1))
    await new_order(world, 1, (1, 1))
    await paid_order(world, 2, (1, 1))
    await new_product(world, name="Key", delivery_type="keys", stock=5)
    sold = await paid_order(world, 2, (3, 1))
    await new_ticket(world, 1)
    await campaigns.reader(world)
    for _ in range(2):
        await campaigns.make(world)
    card = await new_gift_card(world, recipient_email="jun@example.com")
    await new_gift_card(world)
    await new_alert(world)
    await world.post("/fraud/lists", {"name": "friends", "kind": "email"})
    await work(DeliveryWorker(world.deps, Wakeup()))
    return Store(
        receiver.url, anna["referral_code"], card["code"], receiver.received[0].json["id"], sold["items"][0]["id"]
    )


async def _nothing(_: World) -> None:
    """The store is ready for the call."""


async def _a_month_later(world: World) -> None:
    world.clock.advance(31 * DAY)


async def _an_unmatched_payment(world: World) -> None:
    await providers.send(
        world, await providers.new_source(world), providers.event("charge.failed", providers.charge(None))
    )
    await providers.work(world)


async def _a_commission(world: World) -> None:
    buyer = (await new_customer(world))["customer"]["id"]
    await paid_order(world, buyer, (1, 1), coupon_code="LUNA")


async def _a_done_command(world: World) -> None:
    server = await open_server(world)
    product_id = await rank(world, GIVE | {"server_id": 2})
    await bought(world, product_id)
    await server.take()
    await server.report({"id": 1, "ok": True})


class Post(NamedTuple):
    """A call of a route: its body, in which `{name}` is a field of the Store, and the record that it acts on."""

    body: dict[str, Any] | None = None
    id: int = 1
    before: Callable[[World], Awaitable[None]] = _nothing

    def request(self, route: str, store: Store) -> tuple[str, dict[str, Any] | None]:
        """The path and the body."""
        values = store._asdict()
        path = route.format(id=self.id, **values)
        filled = {
            name: value.format(**values) if isinstance(value, str) else value
            for name, value in (self.body or {}).items()
        }
        return path, None if self.body is None else filled


_LINE = {"product_id": 1, "quantity": 1}
# By route, in the order in which they can be called one after the other.
POSTS = {
    f"{EXTERNAL}/referrals/validate": Post({"code": "{referral_code}"}),
    f"{EXTERNAL}/referrals/tiers": Post(BRONZE),
    f"{EXTERNAL}/referrals/tiers/{{id}}/toggle": Post(id=2),
    f"{EXTERNAL}/fraud/checks/{{id}}/review": Post({"outcome": "legitimate"}),
    f"{EXTERNAL}/fraud/whitelist/ip": Post({"ip": "203.0.113.9"}),
    f"{EXTERNAL}/fraud/whitelist/email": Post({"email": "jun@example.com"}),
    f"{EXTERNAL}/fraud/blocked-countries": Post({"country_code": "KP"}),
    f"{EXTERNAL}/fraud/backtest": Post({"settings": {"fraud_action": "flag"}}),
    f"{EXTERNAL}/fraud/rules": Post(RULE),
    f"{EXTERNAL}/fraud/lists": Post({"name": "countries", "kind": "country"}),
    f"{EXTERNAL}/fraud/lists/{{id}}/entries": Post({"values": ["ana@example.com"]}),
    f"{EXTERNAL}/fraud/reviews": Post({"check_ids": [1, 2], "outcome": "legitimate"}),
    f"{EXTERNAL}/webhooks": Post(HOOK),
    f"{EXTERNAL}/webhooks/{{id}}/test": Post(),
    f"{EXTERNAL}/webhooks/deliveries/{{delivery_id}}/redeliver": Post(),
    f"{EXTERNAL}/webhooks/{{id}}/replay": Post({"since": "2026-11-14T00:00:00Z"}),
    f"{EXTERNAL}/webhooks/{{id}}/rotate-secret": Post(),
    f"{EXTERNAL}/orders/{{id}}/fulfill": Post({}),
    f"{EXTERNAL}/orders/{{id}}/items/{{item_id}}/replace-key": Post({"key_id": 1, "reason": "Used."}, id=6),
    f"{EXTERNAL}/products/{{id}}/keys": Post({"keys": ["AAAA-1111"]}, id=3),
    f"{EXTERNAL}/products/{{id}}/keys/withdraw": Post({"key_ids": [2]}, id=3),
    f"{EXTERNAL}/products/{{id}}/keys/{{key_id}}/reveal": Post(id=3),
    f"{EXTERNAL}/gift-cards/validate": Post({"code": "{gift_card_code}"}),
    f"{EXTERNAL}/gift-cards/{{id}}/redeem": Post({"amount": "1.00"}),
    f"{EXTERNAL}/gift-cards/{{id}}/revoke": Post({"reason": "Lost"}, id=2),
    f"{EXTERNAL}/gift-cards/{{id}}/resend-email": Post({}),
    f"{EXTERNAL}/coupons": Post({"code": "SALE20", "discount_type": "percentage", "discount_value": 20}),
    f"{EXTERNAL}/coupons/generate": Post({"count": 3, "discount_type": "fixed", "discount_value": "5.00"}),
    f"{EXTERNAL}/creators": Post({"name": "Luna", "code": "LUNA", "commission_percent": 10, "hold_days": 0}),
    f"{EXTERNAL}/creators/{{id}}/payouts": Post({"amount": "1.00", "reference": "t-1"}, before=_a_commission),
    f"{EXTERNAL}/support-tickets/{{id}}/messages": Post({"message": "Here is a new key."}),
    f"{EXTERNAL}/support-tickets/{{id}}/close": Post({}),
    f"{EXTERNAL}/support-tickets/{{id}}/assign": Post({"user_id": 1}),
    f"{EXTERNAL}/email-campaigns": Post({"name": "Winter sale", "subject": "20% off"}),
    f"{EXTERNAL}/email-campaigns/{{id}}/test": Post({"email": "staff@example.com"}),
    f"{EXTERNAL}/email-campaigns/{{id}}/send": Post({"scheduled_at": "2026-12-01T00:00:00Z"}),
    f"{EXTERNAL}/email-campaigns/{{id}}/cancel": Post(),
    f"{EXTERNAL}/email-campaigns/{{id}}/duplicate": Post({}, id=2),
    f"{EXTERNAL}/alerts": Post(
        {"name": "Desk", "channel": "email", "target": "desk@shop.example", "triggers": ["backlog"]}
    ),
    f"{EXTERNAL}/alerts/{{id}}/test": Post(),
    f"{EXTERNAL}/servers": Post({"name": "Survival", "game": "minecraft"}),
    f"{EXTERNAL}/servers/{{id}}/rotate-token": Post(),
    f"{EXTERNAL}/commands/{{id}}/resend": Post(before=_a_done_command),
    f"{EXTERNAL}/servers/{{id}}/resync": Post({}, id=2),
    f"{EXTERNAL}/payment-sources": Post(providers.STRIPE),
    f"{EXTERNAL}/payment-events/{{id}}/match": Post({"order_id": 1}, before=_an_unmatched_payment),
    f"{STORE}/customers": Post({"email": "jun@example.com", "name": "Jun Park"}),
    f"{STORE}/customers/{{id}}/claims": Post({"tier_id": 1}),
    f"{STORE}/products": Post({"name": "Dragon Sword", "price": "19.99"}),
    f"{STORE}/orders": Post({"customer_id": 1, "items": [_LINE], "ip_address": "203.0.113.9"}),
    f"{STORE}/coupons/preview": Post({"code": "SALE20", "items": [_LINE]}),
    f"{STORE}/orders/{{id}}/pay": Post({"transaction_id": "pi_1"}, id=3),
    f"{STORE}/orders/{{id}}/refund": Post({"amount": "5.00"}, id=3),
    f"{STORE}/orders/{{id}}/cancel": Post({"reason": "never paid"}, id=4),
    f"{STORE}/orders/{{id}}/payment-attempts": Post({"reason": "insufficient_funds"}, id=3),
    f"{STORE}/orders/{{id}}/dispute": Post({"kind": "dispute", "reason": "fraudulent"}, id=5),
    f"{STORE}/subscriptions": Post({"customer_id": 2, "product_id": 2}),
    f"{STORE}/subscriptions/{{id}}/renew": Post(before=_a_month_later),
    f"{STORE}/subscriptions/{{id}}/cancel": Post({"reason": "plays no more"}),
    f"{STORE}/gift-cards": Post({"initial_balance": "25.00"}),
    f"{STORE}/support-tickets": Post({"customer_id": 1, "subject": "A key", "message": "It is used."}),
    f"{STORE}/support-tickets/{{id}}/messages": Post({"message": "It works now."}, id=2),
}
