"""Gift cards: the list with its figures, one card with its ledger, issuing, changing, redeeming and revoking."""

from __future__ import annotations

from typing import Any

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, CODE, LAST_DAY, NAME, Cell, Column, amount
from lootkeep.console.formats import badge, label, options
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Done, Page, Visit, change
from lootkeep.console.records import Record
from lootkeep.domain import gift_cards as gift_cards_rules, inputs as inputs_rules
from lootkeep.domain.customers import Customer
from lootkeep.domain.gift_cards import status as card_status
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import existing
from lootkeep.services import gift_cards as gift_cards_service
from lootkeep.storage import audit as audit_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.gift_cards import lists as gift_card_lists_db, rows as gift_cards_db

_STATUS = Cell(lambda card, _, visit: badge(card_status(card, visit.now)), lambda card: label(card.stored_status))
_CODE = Cell(lambda card, *more: CODE.html(f"…{card.last_four}", *more), gift_cards_rules.masked)
GIFT_CARDS = lists.ListPage(
    listing=gift_card_lists_db.LISTING,
    columns=(
        Column("Card", "itself", _CODE),
        Column("Recipient", "recipient", NAME),
        Column("Status", "itself", _STATUS),
        Column("Balance", "balance", amount("currency"), "balance"),
        Column("Issued with", "initial_balance", amount("currency", "number muted")),
        Column("Expires", "expires_at", LAST_DAY, "expires_at"),
        Column("Issued", "created_at", AGO, "created_at"),
    ),
    exported=(
        Column("Id", "id"),
        Column("E-mail", "recipient_email"),
        Column("Currency", "currency"),
        Column("Customer id", "customer_id"),
        Column("Order id", "order_id"),
    ),
    link=lambda card: f"/gift-cards/{card.id}",
    links=(lists.Link("/gift-cards/new", "Issue a gift card", key="n"),),
    empty="Cards appear here as customers buy them. Issue one yourself to try it.",
    choices=(lists.Choice("status", "Status", options(gift_cards_rules.GiftCardStatus), is_open=True),),
    linked={
        "currency": ("Currency", str.upper),
        "customer_id": ("Customer", inputs_rules.record_id),
        "order_id": ("Order", inputs_rules.record_id),
        "recipient_email": ("Recipient", str.lower),
    },
    search="Recipient, or the end of a code",
    bulk="gift_cards",
    bulk_path="/gift-cards/bulk",
)
_LOGGED = ("recipient_name", "recipient_email", "message", "expires_at", "note", "revoke_reason", "send_count")
GIFT_CARD = Record[gift_cards_rules.GiftCard](
    "Gift card", "/gift-cards/{id}", gift_cards_db.ROWS, _LOGGED, ("balance",)
)
_AMOUNT = forms.amount(1, gift_cards_rules.MAX_BALANCE)
_REFERENCE = forms.text(gift_cards_rules.MAX_REFERENCE_LENGTH)
_LAST_DAY = forms.day(is_included=True)
_MESSAGE = forms.text(gift_cards_rules.MAX_MESSAGE_LENGTH, "textarea")
_NOTE = Field("note", "Note for staff", forms.text(gift_cards_rules.MAX_NOTE_LENGTH, "textarea"))
NEW = (
    Field("initial_balance", "Amount", _AMOUNT, is_required=True, placeholder="25.00"),
    Field("recipient_name", "Recipient", forms.text()),
    Field(
        "recipient_email",
        "E-mail",
        forms.EMAIL,
        "The card is e-mailed there once it is valid. Leave empty to hand over the code yourself.",
    ),
    Field("sender_name", "From", forms.text()),
    Field("message", "Message", _MESSAGE),
    Field("starts_at", "First day", forms.day(), "Leave empty if it is valid immediately."),
    Field("expires_at", "Last day", _LAST_DAY, "Leave empty if it never expires."),
    _NOTE,
)
EDIT = (
    Field("recipient_name", "Name", forms.text()),
    Field("recipient_email", "E-mail", forms.EMAIL),
    Field("message", "Message from the sender", _MESSAGE),
    Field(
        "expires_at",
        "Last day",
        _LAST_DAY,
        "Leave empty if it never expires. A later day makes an expired card valid again.",
    ),
    _NOTE,
)
SEND = (Field("email", "To", forms.EMAIL),)
REDEEM = (
    Field("amount", "Amount", _AMOUNT, is_required=True, placeholder="5.00"),
    Field(
        "reference",
        "Reference",
        _REFERENCE,
        "Your own reference. An amount with the same reference is taken only once.",
    ),
)
REVOKE = (Field("reason", "Reason", forms.text(gift_cards_rules.MAX_MESSAGE_LENGTH), "Stored with the card."),)


async def list_gift_cards(visit: Visit) -> Answer:
    # Time alone makes cards valid and lets them expire: what is listed and counted is exact after this.
    await gift_cards_service.settle(visit.deps)
    answer = await lists.show(visit, GIFT_CARDS)
    async with visit.deps.db.read() as tx:
        counts, values = await gift_cards_db.figures(tx)
    currency = visit.deps.currency
    named = {name: values.get(f"{currency}.{name}", 0) for name in ("active", "issued", "redeemed", "revoked")}
    return answer | {"value": named, "active": counts.get(f"{currency}.active", 0)}


async def show_gift_card(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        card = existing(await gift_cards_db.ROWS.get(tx, visit.id), "Gift card")
        customer = await customers_db.ROWS.get(tx, card.customer_id) if card.customer_id else None
        entries = await gift_cards_db.ENTRIES.find(tx, gift_card_id=card.id)
        changes = await audit_db.changes_since(tx, GIFT_CARD.key(card.id), Instant(0))
    status = card_status(card, visit.now)
    # The form of a revoked card has nothing but the note.
    edited = (_NOTE,) if status == "revoked" else EDIT
    return {
        "card": card,
        "customer": customer,
        "entries": entries,
        "changes": changes,
        "status": status,
        "edited": edited,
        "values": forms.written(visit, edited, card),
        "forms": {"send": SEND, "redeem": REDEEM, "revoke": REVOKE},
        "title": f"Gift card …{card.last_four}",
    }


async def show_new(visit: Visit) -> Answer:
    customer = await _customer(visit, visit.form.get("customer_id") or visit.query.get("customer_id", ""))
    recipient = {"recipient_name": customer.name, "recipient_email": customer.email} if customer else {}
    text = f"In {visit.deps.currency}" + (f", for {customer.name}." if customer else ".")
    if not visit.deps.sends_emails:
        text += " No mail server is set: the card is not e-mailed, and you hand over its code."
    page = {"title": "Issue a gift card", "text": text, "submit": "Issue the card", "back": "/gift-cards"}
    hidden = {"customer_id": str(customer.id)} if customer else {}
    return forms.show(visit, NEW, None, **page, values=recipient, hidden=hidden)


async def issue(visit: Visit) -> Answer:
    values = forms.read(visit, NEW)
    customer = await _customer(visit, visit.form.get("customer_id", ""))
    owner: dict[str, Any] = {"customer_id": customer.id if customer else None, "order_id": None}
    terms = gift_cards_rules.GiftCardTerms(**values, **owner, currency=visit.deps.currency)
    card, code = await gift_cards_service.create(visit.deps, terms, None)
    return GIFT_CARD.done(f"The card is issued. Its code is {code}; it is shown only now.", None, card)


async def edit(visit: Visit) -> Answer:
    before = await GIFT_CARD.lock(visit)
    sent = [field for field in EDIT if field.name in visit.form]
    values = forms.written(visit, sent, before)
    # A card may expire at any time of its last day: what is as it was shown changes nothing.
    changed = [field for field in sent if visit.form[field.name].strip() != values[field.name]]
    changes = forms.read(visit, changed)
    after = await gift_cards_service.change(visit.deps, visit.id, changes) if changes else before
    return GIFT_CARD.saved(visit, EDIT, "The card is saved.", before, after)


async def redeem(visit: Visit) -> Answer:
    before = await GIFT_CARD.lock(visit)
    values = forms.read(visit, REDEEM)
    await gift_cards_service.redeem(visit.deps, visit.id, values["amount"], None, values["reference"])
    after = await GIFT_CARD.get(visit)
    if after.balance == before.balance:
        message = "This reference was booked before. Nothing more is taken off the card."
        return Done(GIFT_CARD.done("", before, after).to, message, tone="warn")
    message = f"{visit.formats.money(values['amount'], before.currency)} are taken off the card."
    return GIFT_CARD.done(message, before, after)


async def send(visit: Visit) -> Answer:
    before = await GIFT_CARD.lock(visit)
    card, recipient = await gift_cards_service.send(visit.deps, visit.id, **forms.read(visit, SEND))
    return GIFT_CARD.done(f"The card is on its way to {recipient}.", before, card)


async def _customer(visit: Visit, text: str) -> Customer | None:
    async with visit.deps.db.read() as tx:
        return await customers_db.ROWS.get(tx, inputs_rules.integer(text) or 0)


_TAKEN = "The amount is taken off the card. It cannot be put back here."
_REVOKED = ("The card is revoked.", "The card loses its value. This cannot be undone.", REVOKE)

PAGES = (
    Page("GET", "/gift-cards", "gift-cards:read", "Gift cards", list_gift_cards, "gift_cards.html", group="Sell"),
    *forms.rows("/gift-cards/new", "gift-cards:write", "Issue a gift card", show_new, issue),
    Page("GET", "/gift-cards/{id}", "gift-cards:read", "Gift card", show_gift_card, "gift_card.html"),
    change("/gift-cards/{id}/edit", "gift-cards:write", "Change a gift card", edit),
    change("/gift-cards/{id}/send", "gift-cards:write", "Send a gift card", send),
    change("/gift-cards/{id}/redeem", "gift-cards:write", "Redeem a gift card", redeem, _TAKEN),
    GIFT_CARD.change(
        "/gift-cards/{id}/revoke", "gift-cards:write", "Revoke a gift card", gift_cards_service.revoke, *_REVOKED
    ),
)
