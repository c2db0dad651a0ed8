"""What orders stand on when they are placed: one query each, however many they are."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from lootkeep.domain import checkout, identity
from lootkeep.domain.checkout import Cart
from lootkeep.domain.customers import Customer
from lootkeep.domain.fraud.facts import History
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.orders import Order, Sale
from lootkeep.domain.placing import Wanted
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import Clock, Instant
from lootkeep.kernel.errors import Conflict, Reason, Unprocessable, invalid
from lootkeep.storage import customers, fraud_checks, fraud_history, orders, products, settings
from lootkeep.storage import identity as stored_identity
from lootkeep.storage.database import Transaction
from lootkeep.storage.fraud_history import Buyer

# The order, and whether it is new.
Placed = tuple[Sale, bool]


class Ground(msgspec.Struct, frozen=True):
    """What the orders of a transaction stand on."""

    now: Instant
    version: int
    policy: Policy
    # A stock goes down with every order that takes from it.
    products: dict[int, Product]
    # By the customer who brought the buyer.
    referral_codes: dict[int, str]

    def code_that_brought(self, customer: Customer) -> str | None:
        """The code with which the customer once signed up."""
        return None if customer.referred_by_id is None else self.referral_codes.get(customer.referred_by_id)


async def known(tx: Transaction, carts: Sequence[Cart], now: Instant) -> dict[int, Placed | Reason]:
    """Carts whose times are wrong, or whose external id is known or in use; two at once would both find none."""
    outcomes: dict[int, Placed | Reason] = {}
    named: dict[str, int] = {}
    for place, cart in enumerate(carts):
        try:
            checkout.check_times(cart, now)
        except Reason as reason:
            outcomes[place] = reason
        else:
            if cart.external_id is not None:
                named[cart.external_id] = place
    if not named:
        return outcomes
    for place, is_held in zip(named.values(), await tx.lock_each([f"order {name}" for name in named]), strict=True):
        if not is_held:
            outcomes[place] = Conflict("order_in_progress", "An order with this external id is being placed right now.")
    for order in await orders.by_external_id(tx, named):
        assert order.external_id is not None
        outcomes.setdefault(named[order.external_id], (await _sale(tx, order), False))
    return outcomes


async def _sale(tx: Transaction, order: Order) -> Sale:
    customer = await customers.get(tx, order.customer_id)
    assert customer is not None
    return Sale(order, await orders.items_of(tx, order.id), customer, await fraud_checks.of_order(tx, order.id))


async def wanted_of(tx: Transaction, carts: dict[int, Cart]) -> tuple[list[Wanted], dict[int, Reason]]:
    """The carts with their buyers, and those whose buyer may not order."""
    buyers = await customers.get_many(tx, {cart.customer_id for cart in carts.values()})
    wanted: list[Wanted] = []
    refused: dict[int, Reason] = {}
    for place, cart in carts.items():
        customer = buyers.get(cart.customer_id)
        if customer is None:
            refused[place] = invalid("customer_id", "The customer id field is not a customer of this store.")
        elif customer.status == "blocked":
            refused[place] = Unprocessable("customer_blocked", "This customer is blocked and cannot place orders.")
        else:
            traces = identity.traces(customer.email, cart.ip_address, cart.device_id)
            wanted.append(Wanted(place, cart, customer, traces))
    return wanted, refused


async def anew(tx: Transaction, part: Sequence[Wanted]) -> list[Wanted]:
    """With the buyers as they are after the orders before."""
    buyers = await customers.get_many(tx, {one.customer.id for one in part})
    return [replace(one, customer=buyers[one.customer.id]) for one in part]


async def ground(tx: Transaction, wanted: Sequence[Wanted], clock: Clock) -> Ground:
    version, policy = await settings.current(tx, SETTINGS, Policy)
    if policy.fraud_detection_enabled:
        await stored_identity.hold(tx, [trace for one in wanted if one.cart.created_at is None for trace in one.traces])
    # Only now: an order is placed when its turn has come, not when it began to wait.
    now = clock.now()
    found = await products.get_many(tx, {line.product_id for one in wanted for line in one.cart.lines})
    referrers = {one.customer.referred_by_id for one in wanted if one.customer.referred_by_id is not None}
    codes = {one.id: one.referral_code for one in (await customers.get_many(tx, referrers)).values()}
    return Ground(now, version, policy, found, codes)


async def histories(tx: Transaction, part: Sequence[Wanted], ground: Ground) -> Sequence[History | None]:
    """What the store remembers of each buyer at the time of the order; nothing when nobody is to be judged."""
    if not ground.policy.fraud_detection_enabled:
        return [None] * len(part)
    buyers = [
        Buyer(
            one.at(ground.now),
            one.customer.email,
            one.cart.ip_address,
            one.cart.device_id,
            one.customer.id,
            is_past=one.cart.created_at is not None,
        )
        for one in part
    ]
    return await fraud_history.gather(tx, ground.policy, buyers)
