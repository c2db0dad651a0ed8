"""Placing orders, one or many: what they need is read together, each is decided upon, all are written together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import checkout, coupons, gift_cards, identity
from lootkeep.domain import orders as rules
from lootkeep.domain.checkout import Cart, PricedLine
from lootkeep.domain.coupons import Coupon
from lootkeep.domain.customers import plain_code
from lootkeep.domain.fraud.facts import History
from lootkeep.domain.fraud.judgement import Judgement, facts_of, judgement
from lootkeep.domain.gift_cards import GiftCard
from lootkeep.domain.orders import Order, Sale
from lootkeep.domain.placing import Wanted, apart
from lootkeep.domain.products import Product
from lootkeep.engines.card_codes import CardCodes
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Reason, Unavailable, invalid
from lootkeep.storage import checkout as storage
from lootkeep.storage import coupons as stored_coupons
from lootkeep.storage import (
    fraud_checks,
    gift_card_turns,
    orders,
    outbox,
    payments,
    products,
)
from lootkeep.storage import gift_cards as stored_gift_cards
from lootkeep.storage import identity as stored_identity
from lootkeep.storage.checkout import Ground, Placed
from lootkeep.storage.counters import Changes
from lootkeep.storage.database import Transaction
from lootkeep.storage.identity import Seen
from lootkeep.views import order_events


class _Draft(msgspec.Struct, frozen=True):
    """An order that is decided upon and not written yet."""

    wanted: Wanted
    order: Order
    lines: Sequence[PricedLine]
    judgement: Judgement | None
    coupon: Coupon | None
    card: GiftCard | None


async def place(deps: Deps, cart: Cart) -> Placed:
    """An external id sent again gives the same order."""
    changes = Changes(spread=cart.customer_id)
    async with deps.db.write() as tx:
        placed = await place_in(deps, tx, cart, changes)
        await changes.apply(tx)
    return placed


async def place_in(deps: Deps, tx: Transaction, cart: Cart, changes: Changes) -> Placed:
    """The same inside a transaction that does more, and applies all changes at its end."""
    (placed,) = await place_all(deps, tx, [cart], changes)
    if isinstance(placed, Reason):
        raise placed
    return placed


async def place_all(deps: Deps, tx: Transaction, carts: Sequence[Cart], changes: Changes) -> list[Placed | Reason]:
    """Places them as if one after the other; tells what came of each.

    No two of them have the same external id. One that is refused leaves nothing behind.
    """
    outcomes = await storage.known(tx, carts, deps.clock.now())
    wanted, refused = await storage.wanted_of(
        tx, {place: cart for place, cart in enumerate(carts) if place not in outcomes}
    )
    outcomes |= refused
    ground = await storage.ground(tx, wanted, deps.clock) if wanted else None
    for number, part in enumerate(apart(wanted)):
        assert ground is not None
        outcomes |= await _place_apart(deps, tx, await storage.anew(tx, part) if number else part, ground, changes)
    await payments.add_sales(tx, _paid_long_ago(carts, outcomes))
    return [outcomes[place] for place in range(len(carts))]


def _paid_long_ago(carts: Sequence[Cart], outcomes: dict[int, Placed | Reason]) -> Iterator[Sale]:
    """What is new and came with its payment: each product is counted up once for all of them."""
    for place, outcome in outcomes.items():
        if not isinstance(outcome, Reason):
            sale, is_new = outcome
            if is_new and sale.order.paid_at is not None and carts[place].created_at is not None:
                yield sale


async def _place_apart(
    deps: Deps, tx: Transaction, part: Sequence[Wanted], ground: Ground, changes: Changes
) -> dict[int, Placed | Reason]:
    """Places orders that know nothing of each other."""
    outcomes: dict[int, Placed | Reason] = {}
    drafts: list[_Draft] = []
    for one, history in zip(part, await storage.histories(tx, part, ground), strict=True):
        try:
            drafts.append(await _draft(deps, tx, one, history, ground, changes))
        except Unavailable:
            raise
        except Reason as reason:
            outcomes[one.place] = reason
    if drafts:
        sales = await _write(deps, tx, drafts, ground.now, changes)
        outcomes |= {draft.wanted.place: (sale, True) for draft, sale in zip(drafts, sales, strict=True)}
    return outcomes


async def _draft(
    deps: Deps, tx: Transaction, one: Wanted, history: History | None, ground: Ground, changes: Changes
) -> _Draft:
    cart, now = one.cart, ground.now
    is_history = cart.paid_at is not None
    lines, currency = checkout.priced(cart.lines, ground.products, is_history=is_history)
    found = _judged(deps, one, lines, history, ground) if history else None
    coupon = await _coupon(tx, cart, currency, now)
    new = checkout.order(cart, lines, currency, coupon, ground.code_that_brought(one.customer), now)
    if found:
        # What was paid long ago is not stopped any more.
        new = replace(new, risk_level=found.verdict.risk_level)
        new = new if is_history else rules.judged(new, found.verdict.action_taken, now)
    if new.status == "cancelled":
        return _Draft(one, new, lines, found, coupon, None)
    held: Sequence[PricedLine] = lines if is_history else await _reserve(tx, lines, ground.products)
    try:
        card = await _gift_card(deps, tx, cart, new, now, changes)
        if card:
            new = replace(new, gift_card_total=min(card.balance, checkout.payable_by_card(new, lines)))
    except Reason:
        await _release(tx, held)
        raise
    if cart.created_at is not None:
        new, held = checkout.concluded(cart, new, held, now)
    return _Draft(one, new, held, found, coupon, card)


def _judged(deps: Deps, one: Wanted, lines: Sequence[PricedLine], history: History, ground: Ground) -> Judgement:
    """What fraud detection says of the order, from memory and local data alone."""
    at = one.at(ground.now)
    network = deps.intelligence.network(one.cart.ip_address)
    is_disposable = deps.intelligence.is_disposable(identity.domain_of(one.customer.email))
    facts = facts_of(one.cart, one.customer, lines, at, network=network, is_disposable=is_disposable, history=history)
    return judgement(facts, ground.policy, ground.version)


async def _coupon(tx: Transaction, cart: Cart, currency: str, now: Instant) -> Coupon | None:
    if not cart.coupon_code:
        return None
    coupon = await stored_coupons.by_code_for_change(tx, plain_code(cart.coupon_code))
    refusal = coupons.why_not(coupon, cart.customer_id, currency, now)
    if refusal:
        raise refusal
    return coupon


async def _reserve(tx: Transaction, lines: Sequence[PricedLine], stocked: dict[int, Product]) -> list[PricedLine]:
    """The lines, which now hold what they take from a stock."""
    held = list(lines)
    # In the order of ids: two orders of the same products never wait for each other in a circle.
    for index, line in sorted(enumerate(lines), key=lambda numbered: numbered[1].product_id):
        if stocked[line.product_id].stock is None:
            # Nothing is taken where there is no end: so orders of the same product need not wait for each other.
            continue
        holds_stock = await products.reserve_stock(tx, line.product_id, line.quantity)
        if holds_stock is None:
            await _release(tx, held)
            raise invalid(f"items.{index}.quantity", f"The items.{index}.quantity field {checkout.OUT_OF_STOCK}.")
        held[index] = replace(line, holds_stock=holds_stock)
    for line in held:
        product = stocked[line.product_id]
        if product.stock is not None:
            stocked[line.product_id] = replace(product, stock=product.stock - line.quantity)
    return held


async def _release(tx: Transaction, lines: Sequence[PricedLine]) -> None:
    for line in lines:
        if line.holds_stock:
            await products.release_stock(tx, line.product_id, line.quantity)


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


async def _write(deps: Deps, tx: Transaction, drafts: Sequence[_Draft], now: Instant, changes: Changes) -> list[Sale]:
    added = await orders.add_many(tx, [(draft.order, draft.lines) for draft in drafts], changes)
    for draft, (order, _) in zip(drafts, added, strict=True):
        await _tender(tx, draft, order, now, changes)
    seen = [Seen(draft.wanted.customer.id, draft.wanted.traces, draft.order.created_at) for draft in drafts]
    await stored_identity.remember(tx, seen)
    judged = [(order, draft.judgement) for draft, (order, _) in zip(drafts, added, strict=True) if draft.judgement]
    checks = {
        order.id: check for (order, _), check in zip(judged, await fraud_checks.add(tx, judged, changes), strict=True)
    }
    carts = [draft.wanted.cart for draft in drafts]
    sales = [
        Sale(order, items, draft.wanted.customer, checks.get(order.id))
        for draft, (order, items) in zip(drafts, added, strict=True)
    ]
    past = [sale for cart, sale in zip(carts, sales, strict=True) if cart.created_at is not None]
    await payments.count(tx, [sale for sale in past if sale.order.paid_at is not None], changes, deps.currency)
    return [
        await _begin(deps, tx, cart, sale, now, changes) if cart.created_at is None else sale
        for cart, sale in zip(carts, sales, strict=True)
    ]


async def _tender(tx: Transaction, draft: _Draft, order: Order, now: Instant, changes: Changes) -> None:
    """Takes what the order is given by a card and a coupon."""
    if draft.card:
        await stored_gift_cards.redeem(
            tx, draft.card, order.gift_card_total, now, changes, order_id=order.id, is_tender=True
        )
    if (
        draft.coupon
        and order.status != "cancelled"
        and not await stored_coupons.reserve(tx, draft.coupon.id, order.id, order.discount_total, now)
    ):
        raise invalid("coupon_code", "The coupon code field names a coupon that has already been used.")


async def _begin(deps: Deps, tx: Transaction, cart: Cart, sale: Sale, now: Instant, changes: Changes) -> Sale:
    """Announces an order of this moment; one with nothing due is paid at once."""
    if sale.order.status == "cancelled":
        return sale
    await outbox.append(tx, "order.created", order_events.created(sale), now)
    if sale.order.amount_due > 0 or sale.order.status != "pending":
        return sale
    method = rules.BY_GIFT_CARD if sale.order.gift_card_total else cart.payment_method
    paid = rules.paid(sale.order, now, method, None, now)
    codes = CardCodes(deps.vault, deps.ids)
    return await payments.record(tx, sale, paid, changes, store_currency=deps.currency, codes=codes)
