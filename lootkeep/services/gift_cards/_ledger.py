"""Changes of a gift card's balance: each writes the locked card and an entry of its ledger, in one transaction."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.domain import gift_cards as gift_cards_rules
from lootkeep.domain.gift_card_codes import SealedCode
from lootkeep.domain.gift_cards import EntryType, GiftCard, GiftCardTerms, LedgerEntry, RevokedValue
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.gift_cards import rows as gift_cards_db


async def issue(
    tx: Transaction, terms: GiftCardTerms, code: SealedCode, now: Instant, *, created_at: Instant | None = None
) -> GiftCard | None:
    """A new card with the first entry of its ledger; None if the code is taken. An imported card has its own time."""
    created = now if created_at is None else created_at
    new = gift_cards_rules.issued(terms, code, created, now)
    card = await gift_cards_db.ROWS.add_if_free(tx, new, code_hash=code.code_hash)
    if card is not None:
        await _enter(tx, card, "issue", card.balance, created, order_id=card.order_id)
    return card


async def save(tx: Transaction, before: GiftCard, after: GiftCard, now: Instant) -> GiftCard:
    """Writes a locked card with its current status."""
    return await gift_cards_db.ROWS.save(tx, before, replace(after, stored_status=gift_cards_rules.status(after, now)))


async def redeem(
    tx: Transaction,
    card: GiftCard,
    amount: Hundredths,
    now: Instant,
    *,
    order_id: int | None,
    reference: str | None = None,
    is_tender: bool = False,
) -> LedgerEntry:
    saved = await save(tx, card, gift_cards_rules.redeemed(card, amount, now), now)
    return await _enter(tx, saved, "redeem", -amount, now, order_id=order_id, reference=reference, is_tender=is_tender)


async def set_left(tx: Transaction, card: GiftCard, left: Hundredths, now: Instant) -> GiftCard:
    """The remaining balance of an imported card, and its status."""
    saved = await save(tx, card, replace(card, balance=left), now)
    if left < card.balance:
        await _enter(tx, saved, "redeem", left - card.balance, now)
    return saved


async def give_back(tx: Transaction, card: GiftCard, amount: Hundredths, now: Instant, *, order_id: int) -> None:
    saved = await save(tx, card, gift_cards_rules.with_balance(card, card.balance + amount, now), now)
    await _enter(tx, saved, "refund", amount, now, order_id=order_id, is_tender=True)


async def take_back(tx: Transaction, card: GiftCard, amount: Hundredths, now: Instant, *, order_id: int) -> None:
    """Subtracts the refunded part of the card's price."""
    saved = await save(tx, card, gift_cards_rules.with_balance(card, card.balance - amount, now), now)
    await _revoke(tx, saved, amount, now, order_id)


async def revoke(
    tx: Transaction, card: GiftCard, reason: str | None, now: Instant, *, order_id: int | None = None
) -> GiftCard:
    """Removes the remaining balance."""
    saved = await save(tx, card, gift_cards_rules.revoked(card, reason, now), now)
    if card.balance:
        await _revoke(tx, saved, card.balance, now, order_id)
    return saved


async def _revoke(tx: Transaction, card: GiftCard, amount: Hundredths, now: Instant, order_id: int | None) -> None:
    await _enter(tx, card, "revoke", -amount, now, order_id=order_id)
    tx.totals.count("revoked values", None, RevokedValue(card.currency, amount))


async def _enter(
    tx: Transaction,
    card: GiftCard,
    kind: EntryType,
    amount: int,
    now: Instant,
    *,
    order_id: int | None = None,
    reference: str | None = None,
    is_tender: bool = False,
) -> LedgerEntry:
    entry = LedgerEntry(0, card.id, kind, Hundredths(amount), card.balance, order_id, reference, now)
    return await gift_cards_db.ENTRIES.add(tx, entry, is_tender=is_tender)
