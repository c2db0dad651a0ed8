"""Creators and their ledgers in public."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from typing import Annotated

import msgspec

from lootkeep.domain.creators import Balance, CreatorAccount, CreatorEntry, CreatorEntryType
from lootkeep.domain.referrals import DiscountType
from lootkeep.kernel.clock import iso, utc
from lootkeep.kernel.money import text
from lootkeep.kernel.spreadsheet import plain_cell
from lootkeep.views.fields import Time, field
from lootkeep.views.mapping import view_of


class CreatorBalanceView(msgspec.Struct, frozen=True):
    currency: Annotated[str, field("The currency.", "USD")]
    held: Annotated[str, field("Earned, and held for some days.", "12.00")]
    due: Annotated[str, field("To be paid out; negative if too much was.", "48.50")]
    paid: Annotated[str, field("Paid out so far.", "100.00")]


class CreatorView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the creator.", 1)]
    name: Annotated[str, field("The name, for staff.", "Luna Plays")]
    code: Annotated[str, field("What buyers type at checkout.", "LUNA")]
    coupon_id: Annotated[int, field("The coupon of the code.", 4)]
    commission_percent: Annotated[str, field("The share of an order's total.", "10.00")]
    discount_type: Annotated[DiscountType | None, field("What the code takes off; null: nothing.", "percentage")]
    discount_value: Annotated[str | None, field("Percent, or an amount.", "5.00")]
    hold_days: Annotated[int, field("How long a commission is held.", 30)]
    customer_id: Annotated[int | None, field("The creator as a customer: own purchases earn nothing.", None)]
    is_active: Annotated[bool, field("Whether the code can be used.", True)]
    balance: CreatorBalanceView
    balances: list[CreatorBalanceView]
    orders_count: Annotated[int, field("Orders that earned something.", 17)]
    created_at: Time
    updated_at: Time


class CreatorEntryView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the entry.", 21)]
    type: Annotated[
        CreatorEntryType, field("A `clawback` takes back, a `release` gives back what was taken.", "commission")
    ]
    amount: Annotated[str, field("Clawbacks and payouts are negative.", "2.00")]
    currency: Annotated[str, field("The currency of the order.", "USD")]
    order_id: Annotated[int | None, field("The order; null for a payout.", 42)]
    reference: Annotated[str | None, field("Of a payout.", None)]
    available_at: Time
    created_at: Time


entry: Callable[[CreatorEntry], CreatorEntryView] = view_of(CreatorEntryView, CreatorEntry)
_balance: Callable[[Balance], CreatorBalanceView] = view_of(CreatorBalanceView, Balance)


def creator(account: CreatorAccount, store_currency: str) -> CreatorView:
    """`balance` is in the store's currency, `balances` has all."""
    record, coupon = account.creator, account.coupon
    return CreatorView(
        id=record.id,
        name=record.name,
        code=coupon.code,
        coupon_id=coupon.id,
        commission_percent=text(record.commission),
        discount_type=coupon.discount_type if coupon.value else None,
        discount_value=text(coupon.value) if coupon.value else None,
        hold_days=record.hold_days,
        customer_id=record.customer_id,
        is_active=coupon.is_active,
        balance=_balance(account.balance(store_currency)),
        balances=[_balance(balance) for balance in account.balances],
        orders_count=account.orders_count,
        created_at=utc(record.created_at),
        updated_at=utc(record.updated_at),
    )


def statement(entries: Iterable[CreatorEntry]) -> bytes:
    """The ledger as CSV."""
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(("id", "type", "amount", "currency", "order_id", "reference", "available_at", "created_at"))
    for row in entries:
        times = iso(row.available_at), iso(row.created_at)
        cells = (row.type, text(row.amount), row.currency, row.order_id or "", plain_cell(row.reference or ""))
        rows.writerow([row.id, *cells, *times])
    return file.getvalue().encode()
