"""Gift cards bought in orders: issued with the payment, reduced by a refund."""

from __future__ import annotations

from collections.abc import Sequence

from lootkeep.deps import Deps
from lootkeep.domain import disputes as disputes_rules
from lootkeep.domain.gift_cards import ORDER_REFUNDED, PAYMENT_LOST, GiftCard, GiftCardTerms
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.engines.card_codes import CardCodes
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.services.gift_cards import _emails, _ledger
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.gift_cards import rows as gift_cards_db
from lootkeep.storage.orders import disputes as disputes_db


async def lock_bought(tx: Transaction, order: Order) -> list[GiftCard]:
    """The cards that were bought in an order, locked until the transaction ends."""
    cards = [await gift_cards_db.ROWS.lock(tx, card_id) for card_id in await gift_cards_db.bought_in(tx, order.id)]
    return [card for card in cards if card]


async def take_back_bought(
    tx: Transaction, order: Order, bought: Sequence[tuple[GiftCard, Hundredths]], now: Instant
) -> None:
    """Takes an amount from each card; cards of an order that was refunded in full are revoked, even if spent."""
    for card, amount in bought:
        if order.status == "refunded" and card.revoked_at is None:
            await _ledger.revoke(tx, card, ORDER_REFUNDED, now, order_id=order.id)
        elif amount:
            await _ledger.take_back(tx, card, amount, now, order_id=order.id)


async def revoke_bought(tx: Transaction, order: Order, now: Instant) -> None:
    """What is left on the cards of an order whose payment is lost."""
    for card in await lock_bought(tx, order):
        if card.revoked_at is None:
            await _ledger.revoke(tx, card, PAYMENT_LOST, now, order_id=order.id)


async def is_disputed(tx: Transaction, card: GiftCard) -> bool:
    """Whether the payment that bought it is disputed."""
    return card.order_id is not None and disputes_rules.is_disputed(await disputes_db.of_order(tx, card.order_id))


async def issue_bought(deps: Deps, tx: Transaction, details: OrderDetails, now: Instant) -> list[GiftCard]:
    """A card of the line's price for each unit, e-mailed to the buyer."""
    cards = []
    for line in details.items:
        if line.delivery_type == "gift_card":
            terms = _bought_cards(details, line)
            for _ in range(line.quantity):
                cards.append(await _issue(deps, tx, terms, now))
                await _emails.send_first(deps, tx, cards[-1], now)
    return cards


async def _issue(deps: Deps, tx: Transaction, terms: GiftCardTerms, now: Instant) -> GiftCard:
    codes = CardCodes(deps.vault, deps.ids)
    # A code that is taken is one in a septillion, so the next one will do.
    while True:
        card = await _ledger.issue(tx, terms, codes.mint(), now)
        if card is not None:
            return card


def _bought_cards(details: OrderDetails, line: OrderItem) -> GiftCardTerms:
    # Nobody is written to under a pseudonym.
    is_erased = details.customer.erased_at is not None
    return GiftCardTerms(
        initial_balance=line.price,
        currency=details.order.currency,
        recipient_email=None if is_erased else details.customer.email,
        recipient_name=None if is_erased else details.customer.name,
        sender_name=None,
        message=None,
        customer_id=details.customer.id,
        order_id=details.order.id,
        starts_at=None,
        expires_at=line.expires_at,
        note=None,
    )
