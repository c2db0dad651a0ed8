"""Operations on one gift card: create, redeem, revoke, change, send."""

from __future__ import annotations

from typing import Any

from lootkeep.deps import Deps
from lootkeep.domain import emails as emails_rules, gift_cards as gift_cards_rules
from lootkeep.domain.customers import accepted_customer
from lootkeep.domain.gift_card_codes import check_code
from lootkeep.domain.gift_cards import GiftCard, GiftCardTerms, LedgerEntry
from lootkeep.engines.card_codes import CardCodes
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, existing, invalid
from lootkeep.kernel.money import Hundredths
from lootkeep.services.gift_cards import _emails, _ledger, purchases, status
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.gift_cards import rows as gift_cards_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.views import gift_card_events as gift_card_events_views

_NO_CARD = "Gift card"


async def create(deps: Deps, terms: GiftCardTerms, own_code: str | None) -> tuple[GiftCard, str]:
    """The card and its code, which is returned only here."""
    now = deps.clock.now()
    terms = gift_cards_rules.checked(terms, now)
    codes = CardCodes(deps.vault, deps.ids)
    code = codes.new() if own_code is None else check_code(own_code)
    sealed = codes.sealed(code)
    async with deps.db.write() as tx:
        if terms.customer_id is not None:
            accepted_customer(await customers_db.ROWS.get(tx, terms.customer_id))
        card = await _ledger.issue(tx, terms, sealed, now)
        if card is None:
            raise invalid("code", "The code field has already been taken.")
        await outbox_db.append(tx, "gift_card.created", gift_card_events_views.created(card), now)
        card = await _emails.send_first(deps, tx, card, now)
    return card, code


async def redeem(
    deps: Deps, card_id: int, amount: Hundredths, order_id: int | None, reference: str | None
) -> tuple[GiftCard, LedgerEntry]:
    """Redeems an amount. The same reference again redeems nothing more and returns the same entry."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        # The order is locked first: a refund also locks it before the card.
        if order_id is not None and await orders_db.ROWS.lock(tx, order_id) is None:
            raise invalid("order_id", "The order id field is not an order of this store.")
        card = await _get_for_update(deps, tx, card_id, now)
        entry = None if reference is None else await gift_cards_db.by_reference(tx, card_id, reference)
        if entry is None:
            is_disputed = await purchases.is_disputed(tx, card)
            gift_cards_rules.require_redeemable(card, amount, now, is_disputed=is_disputed)
            entry = await _ledger.redeem(tx, card, amount, now, order_id=order_id, reference=reference)
            await outbox_db.append(tx, "gift_card.redeemed", gift_card_events_views.redeemed(card, entry), now)
        elif entry.amount != -amount:
            raise Conflict("reference_reused", "This reference was already used to redeem another amount.")
    return card, entry


async def revoke(deps: Deps, card_id: int, reason: str | None) -> GiftCard:
    """Final; revoking again changes nothing."""
    async with deps.db.write() as tx:
        card = existing(await gift_cards_db.ROWS.lock(tx, card_id), _NO_CARD)
        if card.revoked_at is not None:
            return card
        return await _ledger.revoke(tx, card, reason, deps.clock.now())


async def change(deps: Deps, card_id: int, changes_wanted: dict[str, Any]) -> GiftCard:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        card = await _get_for_update(deps, tx, card_id, now)
        changed = await _ledger.save(tx, card, gift_cards_rules.changed(card, changes_wanted, now), now)
        if card.stored_status != "active":
            # Extended after it had expired: its recipient may never have been notified while it was valid.
            changed = await _emails.send_first(deps, tx, changed, now)
    return changed


async def send(deps: Deps, card_id: int, email: str | None) -> tuple[GiftCard, str]:
    """E-mails the card again, to its recipient or to another address; returns that address."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        card = await _get_for_update(deps, tx, card_id, now)
        gift_cards_rules.require_sendable(card, now)
        recipient = email or card.recipient_email
        if recipient is None:
            raise invalid("email", "The email field is required: the gift card has no recipient e-mail.")
        emails_rules.require_server(deps.sends_emails)
        card = await _emails.send(deps, tx, card, recipient, now)
    return card, recipient


async def _get_for_update(deps: Deps, tx: Transaction, card_id: int, now: Instant) -> GiftCard:
    """The card with its current status, locked until the transaction ends."""
    card = existing(await gift_cards_db.ROWS.lock(tx, card_id), _NO_CARD)
    return await status.update(deps, tx, card, now)
