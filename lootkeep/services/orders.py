"""The life of an order: placed, paid, refunded, cancelled."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import checkout, coupons, gift_cards, identity
from lootkeep.domain import orders as rules
from lootkeep.domain.checkout import Cart, PricedLine
from lootkeep.domain.coupons import Coupon
from lootkeep.domain.customers import Customer, plain_code
from lootkeep.domain.fraud.judgement import Judgement, facts_of, judgement
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.gift_cards import GiftCard
from lootkeep.domain.orders import Order, Refund, Return, Sale
from lootkeep.engines.card_codes import CardCodes
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, NotFound, Unprocessable, invalid
from lootkeep.kernel.money import Hundredths
from lootkeep.storage import coupons as stored_coupons
from lootkeep.storage import (
    customers,
    fraud_checks,
    fraud_history,
    gift_card_turns,
    outbox,
    payments,
    products,
    settings,
    tender,
)
from lootkeep.storage import gift_cards as stored_gift_cards
from lootkeep.storage import identity as stored_identity
from lootkeep.storage import orders as storage
from lootkeep.storage.counters import Changes
from lootkeep.storage.database import Transaction
from lootkeep.views import order_events


async def place(deps: Deps, cart: Cart) -> tuple[Sale, bool]:
    """The order, and whether it is new: an external id sent again gives the same order."""
    changes = Changes(spread=cart.customer_id)
    async with deps.db.write() as tx:
        placed = await place_in(deps, tx, cart, changes)
        await changes.apply(tx)
    return placed


async def place_in(deps: Deps, tx: Transaction, cart: Cart, changes: Changes) -> tuple[Sale, bool]:
    """The same inside a transaction that holds several orders, an import, which applies all changes at its end."""
    now = deps.clock.now()
    checkout.check_times(cart, now)
    if cart.external_id is not None and (known := await _known(tx, cart.external_id)):
        return known, False
    customer = await _buyer(tx, cart.customer_id)
    is_history = cart.paid_at is not None
    wanted = await products.get_many(tx, [line.product_id for line in cart.lines])
    lines, currency = checkout.priced(cart.lines, wanted, is_history=is_history)
    found = await _judge(deps, tx, cart, customer, lines, now)
    coupon = await _coupon(tx, cart, currency, now)
    new = checkout.order(cart, lines, currency, coupon, await customers.code_that_brought(tx, customer), now)
    if found:
        # What was paid long ago is not stopped any more.
        new = replace(new, risk_level=found.verdict.risk_level)
        new = new if is_history else rules.judged(new, found.verdict.action_taken, now)
    is_stopped = new.status == "cancelled"
    if not is_history and not is_stopped:
        lines = await _reserve(tx, lines)
    card = None if is_stopped else await _gift_card(deps, tx, cart, new, now, changes)
    if card:
        new = replace(new, gift_card_total=min(card.balance, new.total))
    order, items = await storage.add(tx, new, lines, changes)
    if card:
        await stored_gift_cards.redeem(tx, card, order.gift_card_total, now, changes, order_id=order.id, is_tender=True)
    if coupon and not is_stopped:
        await _use(tx, coupon, order, now)
    traces = identity.traces(customer.email, cart.ip_address, cart.device_id)
    await stored_identity.remember(tx, customer.id, traces, order.created_at)
    check = await fraud_checks.add(tx, order, found, changes) if found else None
    sale = Sale(order, items, customer, check)
    if cart.created_at is None and not is_stopped:
        await outbox.append(tx, "order.created", order_events.created(sale), now)
    return await _pay_if_due(deps, tx, cart, sale, now, changes), True


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
            announce=True,
            codes=CardCodes(deps.vault, deps.ids),
        )
        await changes.apply(tx)
    return sale


async def refund(
    deps: Deps, order_id: int, amount: Hundredths | None, reason: str | None
) -> tuple[Sale, Refund, Return]:
    """Gives back an amount, or all that is left; tells which part of it goes where."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        sale = await _load(tx, order_id)
        rules.require(sale.order, "refund")
        given = await storage.add_refund(tx, order_id, rules.refund_amount(sale.order, amount), reason, now)
        after = rules.refunded(sale.order, given.amount, now)
        changes = Changes(spread=after.customer_id)
        way = await _return(tx, sale.order, after, given, changes)
        sale = await payments.record_refund(tx, sale, after, given, changes, store_currency=deps.currency)
        await changes.apply(tx)
    return sale, given, way


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
    return await _sale(tx, order)


async def _sale(tx: Transaction, order: Order) -> Sale:
    customer = await customers.get(tx, order.customer_id)
    assert customer is not None
    return Sale(order, await storage.items_of(tx, order.id), customer, await fraud_checks.of_order(tx, order.id))


async def _known(tx: Transaction, external_id: str) -> Sale | None:
    """The order that was placed under this id before; two at once would both find none."""
    if not await tx.lock(f"order {external_id}"):
        raise Conflict("order_in_progress", "An order with this external id is being placed right now.")
    order = await storage.by_external_id(tx, external_id)
    return await _sale(tx, order) if order else None


async def _buyer(tx: Transaction, customer_id: int) -> Customer:
    customer = await customers.get(tx, customer_id)
    if customer is None:
        raise invalid("customer_id", "The customer id field is not a customer of this store.")
    if customer.status == "blocked":
        raise Unprocessable("customer_blocked", "This customer is blocked and cannot place orders.")
    return customer


async def _judge(
    deps: Deps, tx: Transaction, cart: Cart, customer: Customer, lines: Sequence[PricedLine], now: Instant
) -> Judgement | None:
    """What fraud detection says of the order, from memory and local data alone."""
    version, policy = await settings.current(tx, SETTINGS, Policy)
    if not policy.fraud_detection_enabled:
        return None
    if cart.created_at is None:
        await fraud_history.hold(tx, customer.email, cart.ip_address)
    at = now if cart.created_at is None else cart.created_at
    history = await fraud_history.gather(
        tx,
        policy,
        at,
        email=customer.email,
        ip_address=cart.ip_address,
        device_id=cart.device_id,
        customer_id=customer.id,
        paid_orders=customer.orders_count,
    )
    network = deps.intelligence.network(cart.ip_address)
    is_disposable = deps.intelligence.is_disposable(identity.domain_of(customer.email))
    facts = facts_of(cart, customer, lines, at, network=network, is_disposable=is_disposable, history=history)
    return judgement(facts, policy, version)


async def _coupon(tx: Transaction, cart: Cart, currency: str, now: Instant) -> Coupon | None:
    if not cart.coupon_code:
        return None
    coupon = await stored_coupons.by_code_for_change(tx, plain_code(cart.coupon_code))
    refusal = coupons.why_not(coupon, cart.customer_id, currency, now)
    if refusal:
        raise refusal
    return coupon


async def _use(tx: Transaction, coupon: Coupon, order: Order, now: Instant) -> None:
    if not await stored_coupons.reserve(tx, coupon.id, order.id, order.discount_total, now):
        raise invalid("coupon_code", "The coupon code field names a coupon that has already been used.")


async def _gift_card(
    deps: Deps, tx: Transaction, cart: Cart, order: Order, now: Instant, changes: Changes
) -> GiftCard | None:
    """The card that pays for the order or a part of it, held until the transaction ends."""
    if not cart.gift_card_code:
        return None
    if cart.created_at is not None:
        raise invalid("gift_card_code", "The gift card code field cannot be used for an order of the past.")
    codes = CardCodes(deps.vault, deps.ids)
    card = await stored_gift_cards.by_hash_for_change(tx, codes.hashed(cart.gift_card_code))
    refusal = gift_cards.why_not_tender(card, order.currency, now)
    if refusal:
        raise refusal
    # What costs nothing takes nothing from a card.
    return await gift_card_turns.turn(tx, card, now, codes, changes) if card and order.total else None


async def _return(tx: Transaction, before: Order, after: Order, refund: Refund, changes: Changes) -> Return:
    """Puts the gift card's part back, and after a full refund takes back what is left on cards bought in the order.

    Cards are held in the order in which they were made: the one that paid is older than any that was bought.
    """
    way = rules.returned(before, refund.amount)
    card = await tender.give_back(tx, before, way.gift_card, refund.created_at, changes)
    if card and card.revoked_at is not None:
        way = Return(way.payment, Hundredths(0), way.gift_card)
    if after.status == "refunded":
        await tender.revoke_bought(tx, after, refund.created_at, changes)
    return way


async def _reserve(tx: Transaction, lines: Sequence[PricedLine]) -> list[PricedLine]:
    """The lines, which now hold what they take from a stock."""
    held = list(lines)
    # In the order of ids: two orders of the same products never wait for each other in a circle.
    for index, line in sorted(enumerate(lines), key=lambda numbered: numbered[1].product_id):
        holds_stock = await products.reserve_stock(tx, line.product_id, line.quantity)
        if holds_stock is None:
            raise invalid(f"items.{index}.quantity", f"The items.{index}.quantity field {checkout.OUT_OF_STOCK}.")
        held[index] = replace(line, holds_stock=holds_stock)
    return held


async def _pay_if_due(deps: Deps, tx: Transaction, cart: Cart, sale: Sale, now: Instant, changes: Changes) -> Sale:
    """An order with nothing due is paid at once; history brings its payment with it."""
    if cart.paid_at is None and (sale.order.amount_due > 0 or sale.order.status != "pending"):
        return sale
    is_live = cart.created_at is None
    method = rules.BY_GIFT_CARD if sale.order.gift_card_total else cart.payment_method
    paid = rules.paid(sale.order, now if cart.paid_at is None else cart.paid_at, method, None, now)
    codes = CardCodes(deps.vault, deps.ids)
    sale = await payments.record(tx, sale, paid, changes, store_currency=deps.currency, announce=is_live, codes=codes)
    if cart.completed_at is not None:
        completed = replace(sale.order, status="completed", completed_at=cart.completed_at)
        sale = await payments.complete(tx, sale, completed, changes, announce=is_live)
    return sale
