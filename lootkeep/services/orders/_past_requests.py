"""Imported orders before they are decided: the new ones, with their buyers, in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from lootkeep.domain import past_orders as past_orders_rules
from lootkeep.domain.checkout import Cart
from lootkeep.domain.customers import Customer
from lootkeep.domain.fraud.amounts import week_of
from lootkeep.domain.identity import Trace
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError, Conflict
from lootkeep.services.orders import _checkout, _details
from lootkeep.services.orders.place import PlacedOrder
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.orders import rows as orders_db


class PastRequest(msgspec.Struct, frozen=True):
    """A cart with a buyer who may order, and its index among all carts."""

    index: int
    cart: Cart
    at: Instant
    customer: Customer
    traces: list[Trace]


async def requests_of(
    tx: Transaction, carts: Sequence[Cart], now: Instant
) -> tuple[list[PastRequest], dict[int, PlacedOrder | AppError]]:
    """The new carts, with their buyers, and the results of all others, by index."""
    past, outcomes = _dated(carts, now)
    outcomes |= await _find_existing(tx, past)
    requests: list[PastRequest] = []
    buyers = await customers_db.ROWS.get_many(tx, {cart.customer_id for i, cart in past.items() if i not in outcomes})
    for index, cart in past.items():
        if index in outcomes:
            continue
        try:
            customer = _checkout.check_buyer(buyers.get(cart.customer_id))
        except AppError as reason:
            outcomes[index] = reason
        else:
            traces = _checkout.traces(cart, customer)
            requests.append(PastRequest(index, cart, cart.created_at or now, customer, traces))
    return requests, outcomes


def _dated(carts: Sequence[Cart], now: Instant) -> tuple[dict[int, Cart], dict[int, PlacedOrder | AppError]]:
    past: dict[int, Cart] = {}
    refused: dict[int, PlacedOrder | AppError] = {}
    for index, cart in enumerate(carts):
        try:
            past[index] = past_orders_rules.dated(cart, now)
        except AppError as reason:
            refused[index] = reason
    return past, refused


async def _find_existing(tx: Transaction, carts: Mapping[int, Cart]) -> dict[int, PlacedOrder | AppError]:
    """Carts with a known or locked external id; two concurrent imports would otherwise both find none."""
    named = {cart.external_id: index for index, cart in carts.items() if cart.external_id is not None}
    outcomes: dict[int, PlacedOrder | AppError] = {}
    if not named:
        return outcomes
    for index, is_held in zip(named.values(), await tx.lock_each([f"order {name}" for name in named]), strict=True):
        if not is_held:
            outcomes[index] = Conflict("order_in_progress", "An order with this external id is being placed right now.")
    for order in await orders_db.by_external_id(tx, named):
        assert order.external_id is not None
        outcomes.setdefault(named[order.external_id], (await _details.load(tx, order.id), False))
    return outcomes


def independent_batches(requests: Sequence[PastRequest]) -> Iterator[list[PastRequest]]:
    """Splits them where an order must see an earlier one, and where a week starts.

    That is where both have the same customer, mailbox, IP address, device, payment instrument or player. The orders
    before a week decide which orders are large in it.
    """
    batch: list[PastRequest] = []
    seen: set[int | Trace] = set()
    for request in requests:
        marks: set[int | Trace] = {request.customer.id, *request.traces}
        if batch and (not seen.isdisjoint(marks) or week_of(request.at) != week_of(batch[0].at)):
            yield batch
            batch, seen = [], set()
        batch.append(request)
        seen |= marks
    if batch:
        yield batch


async def reload_customers(tx: Transaction, batch: Sequence[PastRequest]) -> list[PastRequest]:
    """The orders of earlier batches have changed them."""
    buyers = await customers_db.ROWS.get_many(tx, {request.customer.id for request in batch})
    return [replace(request, customer=buyers[request.customer.id]) for request in batch]
