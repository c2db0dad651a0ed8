"""Orders of the past: which times, statuses and refunds go together, and what comes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from lootkeep.domain.checkout import Cart, PastRefund, order, priced
from lootkeep.domain.orders import Order
from lootkeep.domain.past_orders import concluded, dated
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields
from lootkeep.kernel.money import Hundredths
from tests.domain.carts import NOW, cart, product

FIVE = PastRefund(Hundredths(5_00))
ALL = PastRefund(Hundredths(19_99))


def came_out(past: Cart, **terms: Any) -> tuple[Order, list[int]]:
    """An order of swords at 19.99, and how many of each line were delivered."""
    past = dated(past, NOW)
    lines, currency = priced(past, {1: product(**{"delivery_type": "manual"} | terms)})
    placed, delivered, _ = concluded(past, order(past, lines, currency, None, None, NOW), lines, NOW)
    return placed, [line.fulfilled_quantity for line in delivered]


def sentences(past: Cart) -> Mapping[str, Sequence[str]]:
    with pytest.raises(InvalidFields) as rejection:
        came_out(past)
    assert rejection.value.fields is not None
    return rejection.value.fields


@pytest.mark.parametrize(
    "times",
    [
        {},
        {"created_at": NOW},
        {"created_at": 5, "paid_at": 5, "completed_at": 5},
        {"created_at": 1, "paid_at": 2, "completed_at": NOW},
        {"created_at": 1, "paid_at": 2},
        {"created_at": 5, "paid_at": 5, "refunds": (replace(FIVE, created_at=Instant(5)),)},
        {"created_at": 5, "paid_at": 5, "declined_at": (5,), "disputed_at": 5},
    ],
)
def test_times_in_their_order_and_not_in_the_future_are_fine(times: dict[str, Any]) -> None:
    dated(cart(**times), NOW)


@pytest.mark.parametrize(
    ("times", "field", "sentence"),
    [
        ({"paid_at": 5}, "created_at", "The created at field is required when paid at is given."),
        ({"completed_at": 5}, "paid_at", "The paid at field is required when completed at is given."),
        (
            {"created_at": 5, "completed_at": 5},
            "paid_at",
            "The paid at field is required when completed at is given.",
        ),
        ({"created_at": NOW + 1}, "created_at", "The created at field must not be in the future."),
        ({"created_at": 5, "paid_at": NOW + 1}, "paid_at", "The paid at field must not be in the future."),
        (
            {"created_at": 5, "paid_at": 4},
            "paid_at",
            "The paid at field must not be before the step that precedes it.",
        ),
        (
            {"created_at": 5, "paid_at": 9, "completed_at": 8},
            "completed_at",
            "The completed at field must not be before the step that precedes it.",
        ),
    ],
)
def test_times_out_of_order_are_rejected_with_their_field(times: dict[str, Any], field: str, sentence: str) -> None:
    with pytest.raises(InvalidFields) as rejection:
        dated(cart(**times), NOW)
    assert rejection.value.fields == {field: [sentence]}


@pytest.mark.parametrize(
    ("fields", "status", "times", "refunded"),
    [
        ({"status": "paid"}, "paid", (5, None, None, None), 0),
        ({"status": "paid", "paid_at": 6}, "paid", (6, None, None, None), 0),
        ({"status": "completed"}, "completed", (5, 5, None, None), 0),
        ({"status": "completed", "paid_at": 6, "completed_at": 7}, "completed", (6, 7, None, None), 0),
        ({"status": "refunded"}, "refunded", (5, None, 5, None), 19_99),
        ({"status": "refunded", "completed_at": 7, "refunds": (ALL,)}, "refunded", (5, 7, 7, None), 19_99),
        ({"refunds": (ALL,)}, "refunded", (5, None, 5, None), 19_99),
        ({"status": "partially_refunded", "refunds": (FIVE,)}, "partially_refunded", (5, None, 5, None), 5_00),
        ({"status": "completed", "refunds": (FIVE,)}, "partially_refunded", (5, 5, 5, None), 5_00),
        (
            {"paid_at": 6, "refunds": (replace(FIVE, created_at=Instant(9)), replace(FIVE, created_at=Instant(8)))},
            "partially_refunded",
            (6, None, 9, None),
            10_00,
        ),
        ({"status": "cancelled"}, "cancelled", (None, None, None, 5), 0),
        ({"status": "cancelled", "cancelled_at": 9}, "cancelled", (None, None, None, 9), 0),
        ({"status": "refunded", "discount": Hundredths(19_99)}, "refunded", (5, None, 5, None), 0),
    ],
)
def test_the_outcome_follows_from_status_times_and_refunds(
    fields: dict[str, Any], status: str, times: tuple[int | None, ...], refunded: int
) -> None:
    past, _ = came_out(cart(**{"created_at": 5} | fields))
    assert past.status == status
    assert (past.paid_at, past.completed_at, past.refunded_at, past.cancelled_at) == times
    assert past.refunded_total == refunded


def test_an_explicit_status_overrides_automatic_delivery() -> None:
    placed, delivered = came_out(cart(created_at=Instant(5), status="paid"), delivery_type="keys")
    assert (placed.status, delivered) == ("paid", [1])


ABSENT = "must be absent: what was paid and given back is refunded."


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"created_at": None, "status": "paid"}, "created_at", "is required when status is given."),
        ({"created_at": None, "discount": Hundredths(1)}, "created_at", "is required when discount is given."),
        ({"created_at": None, "currency": "EUR"}, "created_at", "is required when currency is given."),
        ({"created_at": None, "refunds": (FIVE,)}, "created_at", "is required when refunds is given."),
        ({"status": "cancelled", "paid_at": 6}, "paid_at", ABSENT),
        ({"status": "cancelled", "completed_at": 6}, "completed_at", ABSENT),
        ({"status": "cancelled", "refunds": (FIVE,)}, "refunds", ABSENT),
        ({"status": "paid", "cancelled_at": 6}, "cancelled_at", "must be absent unless the status is cancelled."),
        ({"status": "refunded", "refunds": (FIVE,)}, "refunds", "must come to 19.99, the order's total."),
        ({"status": "partially_refunded"}, "refunds", "must come to less than 19.99, the order's total."),
        (
            {"status": "partially_refunded", "refunds": (ALL,)},
            "refunds",
            "must come to less than 19.99, the order's total.",
        ),
        ({"refunds": (FIVE, ALL)}, "refunds", "must not come to more than 19.99, the order's total."),
        (
            {"paid_at": 6, "refunds": (replace(FIVE, created_at=Instant(5)),)},
            "refunds.0.created_at",
            "must not be before the step that precedes it.",
        ),
        (
            {"refunds": (replace(FIVE, created_at=Instant(NOW + 1)),)},
            "refunds.0.created_at",
            "must not be in the future.",
        ),
        ({"discount": Hundredths(20_00)}, "discount", "must not be greater than 19.99, the total of the items."),
        ({"currency": "EUR"}, "items.0.price", "is required: the product is sold in USD now."),
    ],
)
def test_an_impossible_history_is_rejected_with_its_field(fields: dict[str, Any], field: str, sentence: str) -> None:
    words = field.replace("_", " ")
    assert sentences(cart(**{"created_at": 5} | fields)) == {field: [f"The {words} field {sentence}"]}


def test_an_order_of_which_a_cent_is_due_is_not_paid() -> None:
    cent, _ = came_out(cart(created_at=5, discount=Hundredths(19_98)))
    free, _ = came_out(cart(created_at=5, discount=Hundredths(19_99)))
    assert ((cent.status, cent.amount_due), (free.status, free.amount_due)) == (("pending", 1), ("paid", 0))
