"""Creators: the list, one creator with balances and ledger, the form, and booking what was paid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import asdict
from starlette.responses import Response

from lootkeep.console import forms, lists
from lootkeep.console.charts import Tile
from lootkeep.console.columns import AGO, CODE, COUNT, DAY, NAME, Cell, Column, amount
from lootkeep.console.exports import csv_file
from lootkeep.console.formats import badge, label, options, rate
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Page, Visit, change, url
from lootkeep.console.records import Record
from lootkeep.domain import creators as creators_rules
from lootkeep.domain.creators import Creator, CreatorAccount, CreatorEntry
from lootkeep.domain.orders import order_number
from lootkeep.domain.referrals import WHOLE_PERCENTAGE, DiscountType
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import existing
from lootkeep.kernel.money import Hundredths
from lootkeep.services import creators as creators_service
from lootkeep.storage import audit as audit_db, creators as creators_db
from lootkeep.storage.engine.database import Transaction


class CreatorRow(msgspec.Struct, frozen=True):
    """A creator as lists and forms show it; amounts are in the store's currency."""

    id: int
    name: str
    code: str
    commission: Hundredths
    discount_type: DiscountType | None
    discount_value: Hundredths | None
    hold_days: int
    customer_id: int | None
    is_active: bool
    orders_count: int
    held: Hundredths
    due: Hundredths
    paid: Hundredths
    created_at: Instant
    updated_at: Instant


def _row(account: CreatorAccount, currency: str) -> CreatorRow:
    fields = {name: value for name, value in asdict(account.creator).items() if name != "coupon_id"}
    balance, coupon = account.balance(currency), account.coupon
    sums: dict[str, Any] = {"held": balance.held, "due": balance.due, "paid": balance.paid}
    discount = (coupon.discount_type, coupon.value) if coupon.value else (None, None)
    return CreatorRow(
        **fields,
        **sums,
        orders_count=account.orders_count,
        code=coupon.code,
        is_active=coupon.is_active,
        discount_type=discount[0],
        discount_value=discount[1],
    )


async def _load(visit: Visit, tx: Transaction, creators: Sequence[Creator]) -> Sequence[CreatorRow]:
    return [_row(account, visit.deps.currency) for account in await creators_db.accounts(tx, creators, visit.now)]


CREATORS = lists.ListPage(
    listing=creators_db.LISTING,
    columns=(
        Column("Creator", "name", NAME),
        Column("Code", "code", CODE),
        Column("Share", "commission", Cell(lambda value, *_: rate(value), rate, "number")),
        Column("Orders", "orders_count", COUNT),
        Column("Held", "held", amount()),
        Column("Due", "due", amount()),
        Column("Paid", "paid", amount()),
        Column("Since", "created_at", AGO, "created_at"),
    ),
    exported=(Column("Id", "id"), Column("Customer id", "customer_id")),
    link=lambda row: f"/creators/{row.id}",
    links=(lists.Link("/creators/new", "New creator", key="n"),),
    empty="Creators get a code, and a share of the orders that have it. Create the first one here.",
    has_dates=False,
    load=_load,
)
_TYPES = {"commission": "ok", "release": "ok", "clawback": "warn", "payout": "quiet"}


def _order(order_id: int | None, _row: CreatorEntry, _visit: Visit) -> str:
    return (
        "–" if order_id is None else f'<a href="{url(f"/orders/{order_id}")}"><code>{order_number(order_id)}</code></a>'
    )


_ORDER = Cell(_order, lambda order_id: "" if order_id is None else order_number(order_id))
LEDGER = lists.ListPage(
    listing=creators_db.LEDGER,
    columns=(
        Column("What", "type", Cell(lambda value, *_: badge(value, None, _TYPES[value]), label)),
        Column("Order", "order_id", _ORDER),
        Column("Reference", "reference", NAME),
        Column("Amount", "amount", amount("currency")),
        Column("Available", "available_at", DAY),
        Column("When", "created_at", AGO),
    ),
    exported=(Column("Id", "id"), Column("Currency", "currency")),
    empty="Paid orders with the code, what is taken back and payouts are here.",
)
# Of rows: the log holds the code and its discount, too.
CREATOR = Record[Any](
    "Creator",
    "/creators/{id}",
    creators_db.ROWS,
    ("name", "code", "discount_type", "hold_days", "customer_id", "is_active"),
    ("commission", "discount_value"),
)
_DISCOUNTS = {"": "Nothing"} | options(DiscountType)
FORM = (
    Field("name", "Name", forms.text(), is_required=True),
    Field("code", "Code", forms.text(), "4 to 40 letters, digits, - and _.", is_required=True, placeholder="LUNA"),
    Field(
        "commission",
        "Share in per cent",
        forms.amount(0, WHOLE_PERCENTAGE),
        "Of the total of an order.",
        is_required=True,
        placeholder="10",
    ),
    Field("discount_type", "The code takes off", forms.choice(_DISCOUNTS)),
    Field("discount_value", "Percent or amount", forms.amount(1), "Only if it takes something off."),
    Field(
        "hold_days",
        "Held for days",
        forms.whole(0, creators_rules.MAX_HOLD_DAYS),
        "Then it is due. Refunds usually come before.",
        is_required=True,
        default=str(creators_rules.HOLD_DAYS),
    ),
    Field("customer_id", "Customer", forms.ID, "The number of the creator's own account: its purchases earn nothing."),
    Field("is_active", "The code can be used", forms.switch(), default="yes"),
)
PAYOUT = (
    Field("amount", "Amount", forms.amount(1), is_required=True, placeholder="48.50"),
    Field(
        "reference",
        "Reference",
        forms.text(creators_rules.MAX_REFERENCE_LENGTH),
        "Of the transfer. It is booked once.",
        is_required=True,
    ),
)


async def show_creator(visit: Visit) -> Answer:
    async with visit.deps.db.read(slow=True) as tx:
        creator = existing(await creators_db.ROWS.get(tx, visit.id), "Creator")
        if visit.query.get("format") == "csv":
            return _statement(visit, creator, await creators_db.ENTRIES.find(tx, creator_id=creator.id))
        (account,) = await creators_db.accounts(tx, [creator], visit.now)
        entries, total = await lists.newest(visit, tx, LEDGER, lists.PAGE_SIZE, creator_id=creator.id)
        changes = await audit_db.changes_since(tx, CREATOR.key(creator.id), Instant(0))
    formats, row = visit.formats, _row(account, visit.deps.currency)
    return {
        "creator": row,
        "coupon_id": creator.coupon_id,
        "title": creator.name,
        "share": rate(creator.commission),
        "discount": _discount(row, visit),
        "tiles": [
            Tile("Due", formats.money(row.due), "to be paid out", "bad" if row.due < 0 else ""),
            Tile("Held", formats.money(row.held), f"for {row.hold_days} days after each payment"),
            Tile("Paid", formats.money(row.paid), "booked as payouts"),
            Tile("Orders", f"{row.orders_count:,}", "that earned something"),
        ],
        "others": [balance for balance in account.balances if balance.currency != visit.deps.currency],
        "ledger": LEDGER,
        "entries": entries,
        "total": total,
        "payout": PAYOUT,
        "changes": changes,
    }


def _discount(row: CreatorRow, visit: Visit) -> str:
    if row.discount_value is None:
        return "nothing"
    return rate(row.discount_value) if row.discount_type == "percentage" else visit.formats.money(row.discount_value)


def _statement(visit: Visit, creator: Creator, entries: Sequence[CreatorEntry]) -> Response:
    return csv_file(f"statement-{creator.id}", LEDGER.as_file().csv(entries, visit))


async def create(visit: Visit) -> Answer:
    values = forms.read(visit, FORM)
    never = Instant(0)
    new = Creator(0, values["name"], 0, values["commission"], values["hold_days"], values["customer_id"], never, never)
    discount = values["discount_type"], values["discount_value"]
    creator, coupon = await creators_service.create(
        visit.deps, new, values["code"], *discount, is_active=values["is_active"]
    )
    return CREATOR.done(f"{creator.name} has the code {coupon.code}.", None, await _read(visit, creator))


async def show_edit(visit: Visit) -> Answer:
    row = await _read(visit, await CREATOR.get(visit))
    text = "A new share counts for later payments. A code that orders have keeps its discount."
    return forms.show(visit, FORM, row, title=f"Edit {row.name}", back=f"/creators/{row.id}", text=text)


async def edit(visit: Visit) -> Answer:
    before = await _read(visit, await CREATOR.lock(visit))
    creator = await creators_service.change(visit.deps, visit.id, forms.read(visit, FORM))
    after = await _read(visit, creator)
    return CREATOR.saved(visit, FORM, "The creator is saved.", before, after)


async def _read(visit: Visit, creator: Creator) -> CreatorRow:
    async with visit.deps.db.read() as tx:
        (row,) = await _load(visit, tx, [creator])
    return row


async def pay_out(visit: Visit) -> Answer:
    values = forms.read(visit, PAYOUT)
    entry, is_new = await creators_service.pay_out(visit.deps, visit.id, values["amount"], None, values["reference"])
    paid = visit.formats.money(-entry.amount, entry.currency)
    message = f"A payout of {paid} is booked." if is_new else f"This payout of {paid} was booked before."
    return CREATOR.noted(visit, message, amount=money.text(values["amount"]), reference=entry.reference)


PAGES = (
    lists.page("/creators", "creators:read", "Creators", CREATORS, "Grow"),
    *forms.rows("/creators/new", "creators:write", "New creator", forms.new(FORM), create, "Create a creator"),
    Page("GET", "/creators/{id}", "creators:read", "Creator", show_creator, "creator.html"),
    *forms.rows("/creators/{id}/edit", "creators:write", "Edit a creator", show_edit, edit),
    change("/creators/{id}/pay-out", "creators:write", "Book a payout", pay_out),
)
