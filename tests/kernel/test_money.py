"""Money in hundredths: what is parsed, what is refused, and that nothing is lost on the way."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from lootkeep.kernel import money
from lootkeep.kernel.money import MAX_AMOUNT, Hundredths, NotMoney, TooMuch

amounts = st.integers(-MAX_AMOUNT, MAX_AMOUNT).map(Hundredths)


@pytest.mark.parametrize(
    ("value", "hundredths"),
    [
        (0, 0),
        (12, 1200),
        (-3, -300),
        ("12.5", 1250),
        ("12.50", 1250),
        ("-0.01", -1),
        ("007", 700),
        (Decimal("0.1"), 10),
        (Decimal("1E+2"), 10000),
        (Decimal("10.0000"), 1000),
        (Decimal("0.000"), 0),
        ("0000000000000007.50", 750),
        ("999999999.99", MAX_AMOUNT),
    ],
)
def test_a_number_or_a_decimal_string_becomes_hundredths(value: int | Decimal | str, hundredths: int) -> None:
    assert money.parse(value) == hundredths


@pytest.mark.parametrize(
    "value",
    [
        "",
        "-",
        ".",
        "--5",
        "+5",
        " 5",
        "5 ",
        "1e3",
        "1_000",
        "1,50",
        "0x10",
        "NaN",
        "Infinity",
        "٥",
        "²",
        "5.5.5",
        "ten",
    ],
)
def test_a_text_that_is_not_a_plain_decimal_is_rejected(value: str) -> None:
    with pytest.raises(NotMoney):
        money.parse(value)


@pytest.mark.parametrize("value", ["0.001", "12.345", Decimal("0.005"), Decimal("1E-3")])
def test_a_third_decimal_is_rejected_and_never_rounded(value: Decimal | str) -> None:
    with pytest.raises(NotMoney):
        money.parse(value)


@pytest.mark.parametrize("value", ["0.0100000000000000000000000000000001", "1.0999999999999999999999999999999999"])
def test_a_decimal_with_more_digits_than_the_arithmetic_keeps_is_rejected_and_never_rounded(value: str) -> None:
    with pytest.raises(NotMoney):
        money.parse(Decimal(value))


@pytest.mark.parametrize("value", ["1000000000", "999999999.999", "-1000000000.00", "9" * 25, 10**30, Decimal("1E+20")])
def test_an_amount_beyond_the_range_is_rejected(value: int | Decimal | str) -> None:
    with pytest.raises(NotMoney) as rejected:
        money.parse(value)
    is_amount = not re.search(r"-|\.\d{3}", str(value))
    assert isinstance(rejected.value, TooMuch) == is_amount


@pytest.mark.parametrize("value", ["NaN", "sNaN", "Infinity", "-Infinity", "1E+999999999", "1E-999999999"])
def test_a_decimal_without_a_sensible_size_is_rejected(value: str) -> None:
    with pytest.raises(NotMoney):
        money.parse(Decimal(value))


@pytest.mark.parametrize(("hundredths", "text"), [(0, "0.00"), (5, "0.05"), (1250, "12.50"), (-1, "-0.01")])
def test_an_amount_is_written_with_two_decimals(hundredths: int, text: str) -> None:
    assert money.text(Hundredths(hundredths)) == text


@given(amounts)
def test_every_amount_round_trips_through_text(amount: Hundredths) -> None:
    assert money.parse(money.text(amount)) == amount


@given(amounts)
def test_every_amount_round_trips_through_decimal(amount: Hundredths) -> None:
    assert money.parse(money.decimal(amount)) == amount


@given(st.integers(-(MAX_AMOUNT // 100), MAX_AMOUNT // 100))
def test_every_whole_amount_is_a_hundred_times_its_number(number: int) -> None:
    assert money.parse(number) == number * 100


@given(st.decimals(allow_nan=True, allow_infinity=True))
def test_a_decimal_is_parsed_exactly_or_refused(value: Decimal) -> None:
    try:
        amount = money.parse(value)
    except NotMoney:
        return
    assert money.decimal(amount) == value


@given(st.text(max_size=30))
def test_any_text_is_either_parsed_or_rejected(value: str) -> None:
    try:
        amount = money.parse(value)
    except NotMoney:
        return
    assert money.decimal(amount) == Decimal(value)
