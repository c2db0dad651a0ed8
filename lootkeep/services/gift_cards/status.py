"""Cards with a status that time has changed: updated before anything is counted or decided."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.domain import gift_cards as gift_cards_rules
from lootkeep.domain.gift_cards import GiftCard
from lootkeep.kernel.clock import Instant
from lootkeep.services.gift_cards import _emails, _ledger
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.gift_cards import status_changes as gift_card_status_changes_db


async def settle(deps: Deps) -> None:
    """Updates the status of every due card, so counts and lists by status are exact; the worker leaves little of it.

    A card that becomes valid is e-mailed to its recipient.
    """
    while True:
        now = deps.clock.now()
        async with deps.db.read() as tx:
            if not await gift_card_status_changes_db.are_due(tx, now):
                return
        async with deps.db.write() as tx:
            for card in await gift_card_status_changes_db.lock_due(tx, now):
                await update(deps, tx, card, now)


async def update(deps: Deps, tx: Transaction, card: GiftCard, now: Instant) -> GiftCard:
    """Updates the status of a locked card; if it has become valid, it is e-mailed to its recipient."""
    if gift_cards_rules.status(card, now) == card.stored_status:
        return card
    card = await _ledger.save(tx, card, card, now)
    return await _emails.send_first(deps, tx, card, now)
