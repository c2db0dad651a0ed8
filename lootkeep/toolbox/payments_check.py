"""Compares a provider's export of payments with the orders, and lists what differs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Literal

import msgspec

from lootkeep.deps import Deps
from lootkeep.domain.orders import Order, order_number
from lootkeep.domain.payments.reports import Report
from lootkeep.kernel import money
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.money import Hundredths, NotMoney
from lootkeep.services import payments as payments_service
from lootkeep.toolbox.files.reading import BadRow, FileOptions, FileRow, opened

# The headings of the exports of Stripe and PayPal; the first that the file has counts.
_PRESET = {
    "id": "payment",
    "transaction id": "payment",
    "payment intent id": "intent",
    "paymentintent id": "intent",
    "reference txn id": "intent",
    "amount": "amount",
    "gross": "amount",
    "amount refunded": "refunded",
    "currency": "currency",
    "status": "status",
    "order_id (metadata)": "order",
    "order_number (metadata)": "number",
    "external_id (metadata)": "external",
    "custom number": "order",
    "invoice number": "number",
}
# A row with another status is passed over.
_TAKEN = {"paid", "succeeded", "completed", "refunded", "partially refunded", "partial refund", "disputed"}
_NEEDED = ("payment", "amount", "currency", "status")

Finding = Literal["no_order", "not_paid", "amount_differs", "currency_differs", "refund_differs", "unreadable"]


class Difference(msgspec.Struct, frozen=True):
    line: int
    finding: Finding
    payment: str | None = None
    order: str | None = None
    # What the export and the order say.
    exported: str | None = None
    stored: str | None = None


class CheckResult(msgspec.Struct, frozen=True):
    compared: int
    passed_over: int
    differences: list[Difference]


async def check(deps: Deps, file: BinaryIO) -> CheckResult:
    compared = passed_over = 0
    differences: list[Difference] = []
    with opened(file, FileOptions(preset=_PRESET)) as rows:
        missing = [name for name in _NEEDED if name not in rows.columns]
        if missing:
            raise StartupError(f"The file has no column for {', '.join(missing)}: export payments as CSV, all columns.")
        for row in rows.rows():
            if isinstance(row, BadRow):
                differences.append(Difference(row.line, "unreadable", exported=row.reason))
            elif _is_payment(row):
                compared += 1
                differences += await _compared(deps, row)
            else:
                passed_over += 1
    return CheckResult(compared, passed_over, differences)


def _is_payment(row: FileRow) -> bool:
    """Money was taken: amounts of refunds and withdrawals, which PayPal lists too, are negative."""
    amount = _amount(row, "amount")
    return str(row.values.get("status", "")).lower() in _TAKEN and (amount is None or amount > 0)


async def _compared(deps: Deps, row: FileRow) -> list[Difference]:
    values: dict[str, Any] = row.values
    payment, amount, refunded = values.get("payment"), _amount(row, "amount"), _amount(row, "refunded")
    names = tuple(values[name] for name in ("order", "number", "external") if name in values)
    report = Report(
        names=names,
        external_id=values.get("external"),
        payment_id=values.get("intent"),
        charge_id=values.get("payment"),
    )
    if amount is None:
        return [Difference(row.line, "unreadable", payment, exported=str(values.get("amount")))]
    orders = await payments_service.find_orders(deps, report)
    if not orders:
        return [Difference(row.line, "no_order", payment, exported=_money(amount, values.get("currency")))]
    # Of two that may be meant, the one that fits better.
    return min((_compared_with(order, row, payment, amount, refunded) for order in orders), key=len)


def _compared_with(
    order: Order, row: FileRow, payment: Any, amount: Hundredths, refunded: Hundredths | None
) -> list[Difference]:
    def difference(finding: Finding, exported: str, stored: str) -> Difference:
        return Difference(row.line, finding, payment, order_number(order.id), exported, stored)

    if order.received_at is None:
        return [difference("not_paid", _money(amount, row.values.get("currency")), order.status)]
    return [*_money_differences(difference, order, amount, refunded, str(row.values.get("currency", "")).upper())]


def _money_differences(
    difference: Any, order: Order, amount: Hundredths, refunded: Hundredths | None, currency: str
) -> Iterator[Difference]:
    if currency != order.currency:
        yield difference("currency_differs", currency, order.currency)
    elif amount != order.money_total:
        yield difference("amount_differs", money.text(amount), money.text(order.money_total))
    stored = Hundredths(min(order.refunded_total, order.money_total))
    if refunded is not None and refunded != stored:
        yield difference("refund_differs", money.text(refunded), money.text(stored))


def _amount(row: FileRow, name: str) -> Hundredths | None:
    """Exports write 1,234.50 or 1.234,50, by the language of the account."""
    text = row.values.get(name)
    if text is None:
        return None
    whole, decimals = str(text), ""
    if match := re.fullmatch(r"(.*)[.,]([0-9]{1,2})", whole):
        whole, decimals = match[1], f".{match[2]}"
    try:
        return money.parse(re.sub(r"[.,](?=[0-9]{3})", "", whole) + decimals)
    except NotMoney:
        return None


def _money(amount: Hundredths, currency: str | None) -> str:
    return f"{money.text(amount)} {(currency or '').upper()}".strip()
