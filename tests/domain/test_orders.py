"""The states of an order and its amounts, without a database or a clock."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, strategies as st

from lootkeep.domain.customers import Customer
from lootkeep.domain.orders import (
    ALLOWED,
    STANDING,
    OrderDetails,
    OrderStatus,
    OrderStep,
    as_text,
    check_reported,
    paid,
    require,
)
from lootkeep.domain.refunds import refund_amount, refunded
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, InvalidFields, Unprocessable
from lootkeep.kernel.money import Hundredths
from tests.domain.orders import CREATED, NOW, order

STATUSES: tuple[OrderStatus, ...] = get_args(OrderStatus)

ANNA = Customer(
    id=1,
    email="anna@a.example",
    name="Anna",
    username=None,
    external_id=None,
    country=None,
    status="active",
    accepts_marketing=False,
    email_status="ok",
    referral_code="AAAAAAAA",
    referred_by_id=None,
    orders_count=0,
    total_spent=Hundredths(0),
    first_order_at=None,
    last_order_at=None,
    tags="[]",
    note=None,
    created_at=CREATED,
    updated_at=CREATED,
)


@pytest.mark.parametrize("step", ALLOWED)
@pytest.mark.parametrize("status", STATUSES)
def test_a_step_is_allowed_in_its_states_and_a_conflict_in_any_other(step: OrderStep, status: OrderStatus) -> None:
    if status in ALLOWED[step]:
        require(order(status=status), step)
        return
    with pytest.raises(Conflict) as rejection:
        require(order(status=status), step)
    assert rejection.value.code == f"order_{status}"


@pytest.mark.parametrize(
    ("step", "status", "sentence"),
    [
        ("pay", "on_hold", "Order ORD-000123 is on hold and cannot be paid."),
        ("cancel", "paid", "Order ORD-000123 is paid and cannot be cancelled."),
        ("refund", "pending", "Order ORD-000123 is pending and cannot be refunded."),
        ("fulfill", "cancelled", "Order ORD-000123 is cancelled and cannot be fulfilled."),
        ("release", "partially_refunded", "Order ORD-000123 is partially refunded and cannot be released."),
    ],
)
def test_a_conflict_names_the_status_of_the_order_and_the_rejected_step(
    step: OrderStep, status: OrderStatus, sentence: str
) -> None:
    with pytest.raises(Conflict) as rejection:
        require(order(status=status), step)
    assert rejection.value.message == sentence


def test_an_order_counts_when_it_is_paid_and_not_fully_refunded() -> None:
    assert set(STATUSES) - set(STANDING) == {"pending", "on_hold", "refunded", "cancelled"}


def test_every_refundable_order_counts() -> None:
    assert set(ALLOWED["refund"]) == set(STANDING)


@pytest.mark.parametrize(("number", "text"), [(1, "ORD-000001"), (999_999, "ORD-999999"), (1_000_000, "ORD-1000000")])
def test_the_number_has_six_digits_or_more(number: int, text: str) -> None:
    assert order(id=number).number == text


@pytest.mark.parametrize("status", STATUSES)
def test_the_amount_due_is_what_is_left_to_pay(status: OrderStatus) -> None:
    due = 12_50 if status in ("pending", "on_hold") else 0
    assert order(status=status, gift_card_total=Hundredths(7_50)).amount_due == due


def test_a_payment_is_recorded_with_only_its_time_method_and_transaction() -> None:
    after = paid(order(), NOW, "card", "pi_1", Instant(3_000))
    assert after == order(
        status="paid", paid_at=NOW, payment_method="card", transaction_id="pi_1", updated_at=Instant(3_000)
    )


@pytest.mark.parametrize("at", [CREATED, NOW])
def test_something_may_be_reported_for_the_very_time_of_the_order_and_for_now(at: Instant) -> None:
    assert check_reported(order(), at, NOW) == at
    for wrong in (Instant(CREATED - 1), Instant(NOW + 1)):
        with pytest.raises(InvalidFields):
            check_reported(order(), wrong, NOW)


def test_the_whole_remainder_is_refunded_unless_less_is_requested() -> None:
    started = order(status="partially_refunded", refunded_total=Hundredths(5_00))
    assert refund_amount(started, None) == 15_00
    assert refund_amount(started, Hundredths(15_00)) == 15_00
    assert refund_amount(started, Hundredths(1)) == 1


def test_a_refund_above_the_remainder_is_rejected_with_its_field() -> None:
    started = order(status="partially_refunded", refunded_total=Hundredths(5_00))
    with pytest.raises(InvalidFields) as rejection:
        refund_amount(started, Hundredths(15_01))
    assert rejection.value.fields == {
        "amount": ["The amount field must not be greater than 15.00, what is left."],
    }


@pytest.mark.parametrize("asked", [None, Hundredths(1)])
def test_a_free_order_has_nothing_to_refund(asked: Hundredths | None) -> None:
    free = order(status="paid", discount_total=Hundredths(25_00), total=Hundredths(0))
    with pytest.raises(Unprocessable) as rejection:
        refund_amount(free, asked)
    assert rejection.value.code == "nothing_to_refund"


def test_a_partial_refund_leaves_the_order_partially_refunded() -> None:
    after = refunded(order(status="completed", paid_at=CREATED), Hundredths(19_99), NOW)
    assert (after.status, after.refunded_total, after.refundable) == ("partially_refunded", 19_99, 1)
    assert (after.refunded_at, after.updated_at) == (NOW, NOW)


@given(st.lists(st.integers(1, 20_00), max_size=8))
def test_refunding_the_last_cent_makes_the_order_refunded(parts: list[int]) -> None:
    after = order(status="paid", paid_at=CREATED)
    for part in parts:
        if part < after.refundable:
            after = refunded(after, Hundredths(part), NOW)
            assert after.status == "partially_refunded"
    after = refunded(after, refund_amount(after, None), NOW)
    assert (after.status, after.refunded_total, after.refundable) == ("refunded", 20_00, 0)


@pytest.mark.parametrize(("currency", "counted"), [("USD", 20_00), ("EUR", 0)])
def test_only_amounts_in_the_stores_currency_count_for_the_customer(currency: str, counted: int) -> None:
    assert OrderDetails(order(), (), ANNA, None).counted_in(currency, Hundredths(20_00)) == counted


def test_a_status_is_shown_as_readable_text() -> None:
    assert as_text("partially_refunded") == "partially refunded"
