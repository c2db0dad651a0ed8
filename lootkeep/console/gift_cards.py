"""Gift cards: the list with its figures, one card with its ledger, issuing, changing, redeeming and revoking."""

from __future__ import annotations

from typing import Any, get_args

from lootkeep.console import lists
from lootkeep.console.formats import Formats
from lootkeep.console.forms import Form
from lootkeep.console.labels import label
from lootkeep.console.lists import Choice, Column, ListPage
from lootkeep.console.page import Answer, Done, Page, Visit, change, lock, url
from lootkeep.domain import gift_cards as gift_cards_rules
from lootkeep.domain.customers import Customer
from lootkeep.domain.gift_cards import (
    MAX_BALANCE,
    MAX_MESSAGE_LENGTH,
    MAX_NOTE_LENGTH,
    MAX_REFERENCE_LENGTH,
    GiftCard,
    GiftCardStatus,
    GiftCardTerms,
)
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant, iso
from lootkeep.kernel.errors import existing
from lootkeep.services import gift_cards as gift_cards_service
from lootkeep.storage import audit, gift_card_lists
from lootkeep.storage import customers as customers_db
from lootkeep.storage import gift_cards as gift_cards_db

_CHANGING = ("recipient_name", "recipient_email", "message", "expires_at", "note")

GIFT_CARDS = ListPage(
    gift_card_lists.LISTING,
    columns=(
        Column("Card", lambda card: gift_cards_rules.masked(card)),
        Column("Recipient", lambda card: card.recipient_name or card.recipient_email),
        Column("Status", lambda card: label(card.kept_status)),
        Column("Balance", lambda card: money.decimal(card.balance), "balance", is_number=True),
        Column("Issued with", lambda card: money.decimal(card.initial_balance), is_number=True),
        Column("Expires", lambda card: iso(card.expires_at) if card.expires_at else None, "expires_at", is_number=True),
        Column("Issued", lambda card: iso(card.created_at), "created_at", is_number=True),
    ),
    empty="Cards appear here as customers buy them. Issue one yourself to try it.",
    file="gift-cards",
    choices=(Choice("status", "Status", {name: label(name) for name in get_args(GiftCardStatus)}, is_open=True),),
    linked={
        "currency": ("Currency", str.upper),
        "customer_id": ("Customer", int),
        "order_id": ("Order", int),
        "recipient_email": ("Recipient", str.lower),
    },
    search="Recipient, or the end of a code",
)


async def list_gift_cards(visit: Visit) -> Answer:
    # Time alone makes cards valid and lets them expire: what is listed and counted is exact after this.
    await gift_cards_service.settle(visit.deps, visit.now)
    answer = await lists.show(visit, GIFT_CARDS)
    if not isinstance(answer, dict):
        return answer
    async with visit.deps.db.read(slow=True) as tx:
        counts, values = await gift_cards_db.figures(tx)
    currency = visit.deps.currency
    named = {name: values.get(f"{currency}.{name}", 0) for name in ("active", "issued", "redeemed", "revoked")}
    return answer | {"value": named, "active": counts.get(f"{currency}.active", 0), "currency": currency}


async def show_gift_card(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        card = existing(await gift_cards_db.get(tx, visit.id), "Gift card")
        customer = await customers_db.get(tx, card.customer_id) if card.customer_id else None
        entries = await gift_cards_db.ledger(tx, card.id)
        changes = await audit.changes_since(tx, f"gift_card:{card.id}", Instant(0))
    return {
        "card": card,
        "customer": customer,
        "entries": entries,
        "changes": changes,
        "status": gift_cards_rules.status(card, visit.now),
        "last_day": _last_day(visit, card),
        "title": f"Gift card …{card.last_four}",
    }


async def show_new(visit: Visit) -> Answer:
    return {"customer": await _customer(visit, visit.form.get("customer_id") or visit.query.get("customer_id", ""))}


async def issue(visit: Visit) -> Answer:
    form = Form(visit)
    customer = await _customer(visit, visit.form.get("customer_id", ""))
    terms = GiftCardTerms(
        initial_balance=form.required_amount("initial_balance", 1, MAX_BALANCE),
        currency=visit.deps.currency,
        recipient_email=form.email("recipient_email"),
        recipient_name=form.text("recipient_name"),
        sender_name=form.text("sender_name"),
        message=form.text("message", MAX_MESSAGE_LENGTH),
        customer_id=customer.id if customer else None,
        order_id=None,
        starts_at=form.day("starts_at"),
        expires_at=form.day("expires_at", is_included=True),
        note=form.text("note", MAX_NOTE_LENGTH),
    )
    form.check()
    card, code = await gift_cards_service.create(visit.deps, terms, None)
    return _done(card, f"The card is issued. Its code is {code}; it is shown only now.", {}, _audited(card))


async def edit(visit: Visit) -> Answer:
    before = await lock(visit, gift_cards_db.get_for_update, "Gift card")
    form = Form(visit)
    wanted: dict[str, Any] = {
        "recipient_name": form.text("recipient_name"),
        "recipient_email": form.email("recipient_email"),
        "message": form.text("message", MAX_MESSAGE_LENGTH),
        "note": form.text("note", MAX_NOTE_LENGTH),
    }
    # A card may expire at any time of its last day: the day that was shown changes nothing.
    if "expires_at" in visit.form and (visit.text("expires_at") or "") != _last_day(visit, before):
        wanted["expires_at"] = form.day("expires_at", is_included=True)
    form.check()
    # The form of a revoked card has nothing but the note.
    changes = {
        name: wanted[name] for name in wanted.keys() & visit.form.keys() if wanted[name] != getattr(before, name)
    }
    after = await gift_cards_service.change(visit.deps, visit.id, changes) if changes else before
    return _saved(before, after, "The card is saved." if changes else "Nothing was different.")


async def redeem(visit: Visit) -> Answer:
    before = await lock(visit, gift_cards_db.get_for_update, "Gift card")
    form = Form(visit)
    amount = form.required_amount("amount", 1, MAX_BALANCE)
    reference = form.text("reference", MAX_REFERENCE_LENGTH)
    form.check()
    _, entry = await gift_cards_service.redeem(visit.deps, visit.id, amount, None, reference)
    left = {"balance": money.text(entry.balance_after)}
    return _done(before, f"{money.text(amount)} {before.currency} are taken off the card.", _audited(before), left)


async def revoke(visit: Visit) -> Answer:
    before = await lock(visit, gift_cards_db.get_for_update, "Gift card")
    form = Form(visit)
    reason = form.text("reason", MAX_MESSAGE_LENGTH)
    form.check()
    return _saved(before, await gift_cards_service.revoke(visit.deps, visit.id, reason), "The card is revoked.")


async def send(visit: Visit) -> Answer:
    before = await lock(visit, gift_cards_db.get_for_update, "Gift card")
    form = Form(visit)
    email = form.email("email")
    form.check()
    card, recipient = await gift_cards_service.send(visit.deps, visit.id, email)
    return _done(
        card, f"The card is on its way to {recipient}.", {"sent": before.send_count}, {"sent": card.send_count}
    )


async def _customer(visit: Visit, text: str) -> Customer | None:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 18 else None
    async with visit.deps.db.read() as tx:
        return await customers_db.get(tx, number) if number is not None else None


def _last_day(visit: Visit, card: GiftCard) -> str:
    """The last day on which the card is valid, as the form has it."""
    if card.expires_at is None:
        return ""
    local = Formats(visit.options.timezone, card.currency).local(Instant(card.expires_at - 1))
    return local.date().isoformat()


def _saved(before: GiftCard, after: GiftCard, message: str) -> Done:
    return _done(after, message, _audited(before), _audited(after))


def _done(card: GiftCard, message: str, before: dict[str, Any], after: dict[str, Any]) -> Done:
    return Done(url(f"/gift-cards/{card.id}"), message, f"gift_card:{card.id}", before, after)


def _audited(card: GiftCard) -> dict[str, Any]:
    values = {name: getattr(card, name) for name in _CHANGING}
    return values | {"balance": money.text(card.balance), "revoke_reason": card.revoke_reason}


_FORM = ("gift_card_new.html", show_new)
_CARD = ("gift_card.html", show_gift_card)
_TAKEN = "The amount is taken off the card. It cannot be put back here."
_REVOKED = "The card is worth nothing from now on, for good."

PAGES = (
    Page("GET", "/gift-cards", "read_only", "Gift cards", list_gift_cards, "gift_cards.html", group="Sell"),
    Page("GET", "/gift-cards/new", "staff", "Issue a gift card", show_new, "gift_card_new.html"),
    change("/gift-cards/new", "Issue a gift card", issue, _FORM),
    Page("GET", "/gift-cards/{id}", "read_only", "Gift card", show_gift_card, "gift_card.html"),
    change("/gift-cards/{id}/edit", "Change a gift card", edit, _CARD),
    change("/gift-cards/{id}/send", "Send a gift card", send, _CARD),
    change("/gift-cards/{id}/redeem", "Redeem a gift card", redeem, _CARD, _TAKEN),
    change("/gift-cards/{id}/revoke", "Revoke a gift card", revoke, _CARD, _REVOKED),
)
