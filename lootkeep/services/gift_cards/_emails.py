"""E-mails with gift cards: queued and counted in the operation's own transaction."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.domain import gift_cards as gift_cards_rules
from lootkeep.domain.gift_cards import GiftCard
from lootkeep.engines.card_codes import CardCodes
from lootkeep.kernel.clock import Instant
from lootkeep.services.gift_cards import _ledger
from lootkeep.storage import emails as emails_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.views import gift_cards as gift_cards_views


async def send(deps: Deps, tx: Transaction, card: GiftCard, email: str, now: Instant) -> GiftCard:
    """Queues the e-mail with the whole code; raises if there were too many. In the outbox it counts as not sent."""
    codes = CardCodes(deps.vault, deps.ids)
    after = gift_cards_rules.sent(card, now) if deps.sends_emails else card
    timezone = deps.settings.value.timezone
    message = gift_cards_views.email(deps.store, timezone, card, email, codes.opened(card.sealed_code))
    await emails_db.add(tx, message, codes.seal, now)
    return await _ledger.save(tx, card, after, now)


async def send_first(deps: Deps, tx: Transaction, card: GiftCard, now: Instant) -> GiftCard:
    """E-mails a card that has become valid to its recipient, if it has one and was never sent."""
    if card.recipient_email is None or card.send_count or card.stored_status != "active":
        return card
    return await send(deps, tx, card, card.recipient_email, now)
