"""Gift cards on their way to their recipients: the mail is queued and counted in the deed's own transaction."""

from __future__ import annotations

from typing import Protocol

from lootkeep.domain import gift_cards as rules
from lootkeep.domain.gift_cards import GiftCard, SealedCode
from lootkeep.kernel.clock import Instant
from lootkeep.storage import emails, gift_cards
from lootkeep.storage.counters import Changes
from lootkeep.storage.database import Transaction
from lootkeep.views import gift_cards as views


class Codes(Protocol):
    """The engine of codes, as far as storage needs it."""

    def mint(self) -> SealedCode: ...

    def opened(self, sealed_code: str) -> str: ...

    def seal(self, text: str, purpose: str) -> str: ...


async def send(tx: Transaction, card: GiftCard, address: str, codes: Codes, now: Instant, changes: Changes) -> GiftCard:
    """Queues the mail with the whole code; refuses when there were too many of them."""
    after = rules.sent(card, now)
    await emails.add(tx, views.mail(card, address, codes.opened(card.sealed_code)), codes.seal, now)
    return await gift_cards.save(tx, card, after, now, changes)


async def send_first(tx: Transaction, card: GiftCard, codes: Codes, now: Instant, changes: Changes) -> GiftCard:
    """Mails a card that has become valid to its recipient, if it has one and was never sent."""
    if card.recipient_email is None or card.send_count or card.kept_status != "active":
        return card
    return await send(tx, card, card.recipient_email, codes, now, changes)
