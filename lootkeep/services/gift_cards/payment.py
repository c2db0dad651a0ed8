"""Gift cards that pay for orders: found at the checkout, and credited when an order is cancelled or refunded."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.domain import gift_cards as gift_cards_rules
from lootkeep.domain.gift_cards import GiftCard, LedgerEntry
from lootkeep.domain.orders import Order
from lootkeep.engines.card_codes import CardCodes
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.services.gift_cards import _ledger, purchases, status
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.gift_cards import rows as gift_cards_db


async def find_for_payment(deps: Deps, tx: Transaction, code: str, order: Order, now: Instant) -> GiftCard | None:
    """The card, locked until the transaction ends; None for a free order. Rejects a card that cannot pay."""
    card = await gift_cards_db.ROWS.lock_one(tx, code_hash=CardCodes(deps.vault, deps.ids).hashed(code))
    is_disputed = card is not None and await purchases.is_disputed(tx, card)
    rejection = gift_cards_rules.check_tender(card, order.currency, now, is_disputed=is_disputed)
    if rejection:
        raise rejection
    return await status.update(deps, tx, card, now) if card and order.total else None


async def pay_for(tx: Transaction, card: GiftCard, order: Order, now: Instant) -> LedgerEntry:
    """Takes what the card pays of a new order."""
    return await _ledger.redeem(tx, card, order.gift_card_total, now, order_id=order.id, is_tender=True)


async def give_back(tx: Transaction, order: Order, amount: Hundredths, now: Instant) -> GiftCard | None:
    """Returns an amount to the card that paid for the order, unless it was revoked. The card as it was before."""
    card_id = await gift_cards_db.paying_for(tx, order.id) if amount else None
    if card_id is None:
        return None
    card = await gift_cards_db.ROWS.lock(tx, card_id)
    assert card is not None
    if card.revoked_at is None:
        await _ledger.give_back(tx, card, amount, now, order_id=order.id)
    return card
