"""The life of an order once it is placed: paid, refunded, cancelled."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import orders as rules
from lootkeep.domain.orders import Order, Refund, Return, Sale
from lootkeep.domain.recovery import recovery
from lootkeep.engines.card_codes import CardCodes
from lootkeep.kernel.errors import NotFound
from lootkeep.kernel.money import Hundredths
from lootkeep.storage import (
    customers,
    fraud_checks,
    gift_cards,
    payments,
    tender,
)
from lootkeep.storage import orders as storage
from lootkeep.storage.counters import Changes
from lootkeep.storage.database import Transaction


async def pay(deps: Deps, order_id: int, method: str | None, transaction_id: str | None) -> Sale:
    """Paying again with the same transaction changes nothing: payment providers repeat themselves."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        sale = await _load(tx, order_id)
        order = sale.order
        if transaction_id and order.paid_at is not None and order.transaction_id == transaction_id:
            return sale
        rules.require(order, "pay")
        changes = Changes(spread=order.customer_id)
        paid = rules.paid(order, now, method, transaction_id, now)
        sale = await payments.record(
            tx,
            sale,
            paid,
            changes,
            store_currency=deps.currency,
            codes=CardCodes(deps.vault, deps.ids),
        )
        await changes.apply(tx)
    return sale


async def refund(
    deps: Deps, order_id: int, amount: Hundredths | None, reason: str | None, *, allow_unrecovered: bool = False
) -> tuple[Sale, Refund, Return]:
    """Gives back an amount, or all that is left; tells which part of it goes where."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        sale = await _load(tx, order_id)
        rules.require(sale.order, "refund")
        given = await storage.add_refund(tx, order_id, rules.refund_amount(sale.order, amount), reason, now)
        after = rules.refunded(sale.order, given.amount, now)
        changes = Changes(spread=after.customer_id)
        way = await _return(tx, sale.order, given, changes)
        unrecovered = await _recover(tx, sale.order, after, given, changes, allow_unrecovered=allow_unrecovered)
        sale = await payments.record_refund(tx, sale, after, given, changes, store_currency=deps.currency)
        await changes.apply(tx)
    return sale, given, replace(way, unrecovered=unrecovered)


async def cancel(deps: Deps, order_id: int, reason: str | None) -> tuple[Sale, Hundredths]:
    """Cancels what is not paid yet, and releases what it held; tells what could not be put back on a revoked card."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        sale = await _load(tx, order_id)
        rules.require(sale.order, "cancel")
        changes = Changes(spread=sale.order.customer_id)
        sale, unreturned = await payments.cancel(tx, sale, reason, now, changes)
        await changes.apply(tx)
    return sale, unreturned


async def _load(tx: Transaction, order_id: int) -> Sale:
    order = await storage.for_change(tx, order_id)
    if order is None:
        raise NotFound("Order")
    customer = await customers.get(tx, order.customer_id)
    assert customer is not None
    return Sale(order, await storage.items_of(tx, order.id), customer, await fraud_checks.of_order(tx, order.id))


async def _return(tx: Transaction, before: Order, refund: Refund, changes: Changes) -> Return:
    """Puts the gift card's part back."""
    way = rules.returned(before, refund.amount)
    card = await tender.give_back(tx, before, way.gift_card, refund.created_at, changes)
    if card and card.revoked_at is not None:
        way = Return(way.payment, Hundredths(0), way.gift_card)
    return way


async def _recover(
    tx: Transaction, before: Order, after: Order, refund: Refund, changes: Changes, *, allow_unrecovered: bool
) -> Hundredths:
    """Takes the refund off the cards bought in the order; tells what they no longer held.

    Cards are held in the order in which they were made: the one that paid is older than any that was bought.
    """
    cards = await tender.bought_in(tx, before)
    if not cards:
        return Hundredths(0)
    revoked = await gift_cards.revoked_of(tx, before.id)
    found = recovery(before, refund.amount, cards, revoked, allow_unrecovered=allow_unrecovered)
    await tender.take_back(tx, after, list(zip(cards, found.taken, strict=True)), refund.created_at, changes)
    return found.unrecovered
