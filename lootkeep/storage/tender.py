"""Gift cards at the checkout: what an order pays with one, what comes back to it, and the cards that orders buy."""

from __future__ import annotations

from collections.abc import Sequence

from lootkeep.domain.gift_cards import ORDER_REFUNDED, GiftCard, GiftCardTerms
from lootkeep.domain.orders import Order, Sale
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage import gift_card_mails, gift_cards
from lootkeep.storage.counters import Changes
from lootkeep.storage.database import Transaction
from lootkeep.storage.gift_card_mails import Codes


async def give_back(
    tx: Transaction, order: Order, amount: Hundredths, now: Instant, changes: Changes
) -> GiftCard | None:
    """Puts an amount back on the card that paid for the order, unless it was revoked. The card as it was before."""
    card_id = await gift_cards.paying_for(tx, order.id) if amount else None
    if card_id is None:
        return None
    card = await gift_cards.for_change(tx, card_id)
    assert card is not None
    if card.revoked_at is None:
        await gift_cards.give_back(tx, card, amount, now, changes, order_id=order.id)
    return card


async def bought_in(tx: Transaction, order: Order) -> list[GiftCard]:
    """The cards that were bought in an order, held until the transaction ends."""
    held = [await gift_cards.for_change(tx, card_id) for card_id in await gift_cards.bought_in(tx, order.id)]
    return [card for card in held if card]


async def take_back(
    tx: Transaction,
    order: Order,
    bought: Sequence[tuple[GiftCard, Hundredths]],
    now: Instant,
    changes: Changes,
) -> None:
    """Takes an amount off each card; cards of an order that was refunded in full are revoked, also those spent."""
    for card, amount in bought:
        if order.status == "refunded" and card.revoked_at is None:
            await gift_cards.revoke(tx, card, ORDER_REFUNDED, now, changes, order_id=order.id)
        elif amount:
            await gift_cards.take_back(tx, card, amount, now, changes, order_id=order.id)


async def issue_bought(tx: Transaction, sale: Sale, codes: Codes, now: Instant, changes: Changes) -> None:
    """A card of the line's price for each unit, mailed to the buyer."""
    for line in sale.items:
        if line.delivery_type == "gift_card":
            terms = _bought(sale, line.price)
            for _ in range(line.quantity):
                card = await _issue(tx, terms, codes, now, changes)
                await gift_card_mails.send_first(tx, card, codes, now, changes)


async def _issue(tx: Transaction, terms: GiftCardTerms, codes: Codes, now: Instant, changes: Changes) -> GiftCard:
    # A code that is taken is one in a septillion, and the next one will do.
    while True:
        card = await gift_cards.add(tx, terms, codes.mint(), now, changes)
        if card is not None:
            return card


def _bought(sale: Sale, price: Hundredths) -> GiftCardTerms:
    return GiftCardTerms(
        initial_balance=price,
        currency=sale.order.currency,
        recipient_email=sale.customer.email,
        recipient_name=sale.customer.name,
        sender_name=None,
        message=None,
        customer_id=sale.customer.id,
        order_id=sale.order.id,
        starts_at=None,
        expires_at=None,
        note=None,
    )
