"""Coupons: what they give, to whom and until when, without a database or a clock."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from lootkeep.domain.coupons import (
    SINGLE_USE,
    Basket,
    Coupon,
    CouponRejection,
    CouponTerms,
    discount,
    issued,
    matches,
    of_tier,
    of_welcome,
    rejected,
    rejection,
)
from lootkeep.domain.customers import Customer
from lootkeep.domain.referrals import DiscountType, ReferralSettings, Tier
from lootkeep.domain.sign_up import SignUp, new_customer
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.money import MAX_AMOUNT, Hundredths
from tests.domain.carts import product

NOW = Instant(100 * DAY)
OWNER = 7
TERMS = msgspec.structs.replace(
    SINGLE_USE, discount_type="fixed", value=Hundredths(5_00), currency="USD", ends_at=Instant(NOW + DAY)
)
COUPON = msgspec.structs.replace(issued(TERMS, "tier", "REF-AAAAAAAA", NOW, customer_id=OWNER), id=1)
BASKET = Basket("USD", Hundredths(20_00), Hundredths(20_00), has_match=True)
TIER = Tier(
    name="Bronze",
    description=None,
    referrals_required=5,
    reward_type="percentage_discount",
    reward_value=Hundredths(12_50),
    reward_currency=None,
    coupon_validity_days=45,
    is_active=True,
    sort_order=0,
    id=3,
    claims_count=0,
    created_at=NOW,
    updated_at=NOW,
)


def coupon(**changes: Any) -> Coupon:
    return msgspec.structs.replace(COUPON, **changes)


def terms(kind: DiscountType, value: int) -> CouponTerms:
    currency = "USD" if kind == "fixed" else None
    return msgspec.structs.replace(SINGLE_USE, discount_type=kind, value=Hundredths(value), currency=currency)


def refused(
    *, customer_id: int | None = OWNER, own_uses: int = 0, paid_before: bool = False, basket: Any = (), **changes: Any
) -> CouponRejection | None:
    """Why a coupon cannot be used."""
    who = None if customer_id is None else customer(customer_id, paid_before=paid_before)
    return rejection(coupon(**changes), who, own_uses, msgspec.structs.replace(BASKET, **dict(basket)), NOW)


def customer(number: int, *, paid_before: bool = False) -> Customer:
    new = new_customer(SignUp(email="jun@j.example", name="Jun"), "K7WQ2M9X", NOW)
    return msgspec.structs.replace(new, id=number, first_order_at=NOW if paid_before else None)


def test_the_owner_may_use_an_available_coupon_in_time() -> None:
    assert refused() is None


@pytest.mark.parametrize(
    ("reason", "facts"),
    [
        ("not_yours", {"customer_id": 8}),
        ("not_yours", {"customer_id": None}),
        ("scheduled", {"starts_at": Instant(NOW + 1)}),
        ("expired", {"ends_at": NOW}),
        ("inactive", {"is_active": False}),
        ("used_up", {"reserved_count": 1}),
        ("used_up", {"uses_count": 1}),
        ("used_up", {"uses_count": 3, "reserved_count": 2, "max_uses": 5}),
        ("used_by_customer", {"own_uses": 2, "max_uses_per_customer": 2}),
        ("not_first_order", {"paid_before": True, "first_order_only": True}),
        ("below_minimum", {"min_total": Hundredths(20_01)}),
        ("no_product", {"basket": {"has_match": False}}),
        ("currency", {"basket": {"currency": "EUR"}}),
    ],
)
def test_a_coupon_is_refused_with_its_reason(reason: str, facts: dict[str, Any]) -> None:
    assert refused(**facts) == reason


def test_the_first_reason_of_several_is_named() -> None:
    everything: dict[str, Any] = {"is_active": False, "uses_count": 1, "min_total": Hundredths(99_00)}
    assert refused(**everything, starts_at=Instant(NOW + 1), ends_at=NOW) == "scheduled"
    assert refused(**everything, ends_at=NOW, customer_id=8) == "not_yours"
    assert refused(**everything, basket={"has_match": False}) == "inactive"


@pytest.mark.parametrize(
    "facts",
    [
        {"starts_at": NOW, "ends_at": Instant(NOW + 1)},
        {"uses_count": 3, "reserved_count": 1, "max_uses": 5},
        {"uses_count": 900, "max_uses": None},
        {"own_uses": 1, "max_uses_per_customer": 2},
        {"first_order_only": True},
        {"paid_before": True},
        {"min_total": Hundredths(20_00)},
        {"customer_id": None, "first_order_only": True, "max_uses_per_customer": 1},
        {"discount_type": "percentage", "currency": None, "basket": {"currency": "JPY"}},
    ],
)
def test_a_coupon_at_its_limits_can_be_used(facts: dict[str, Any]) -> None:
    bound = {} if "customer_id" not in facts else {"customer_id": None}
    assert (
        rejection(
            coupon(**{k: v for k, v in facts.items() if k not in ("own_uses", "paid_before", "basket")} | bound),
            None if bound else customer(OWNER, paid_before=facts.get("paid_before", False)),
            facts.get("own_uses", 0),
            msgspec.structs.replace(BASKET, **facts.get("basket", {})),
            NOW,
        )
        is None
    )


def test_another_customers_coupon_reads_as_an_unknown_one() -> None:
    unknown, strangers = rejected("unknown", None, "USD"), rejected("not_yours", COUPON, "USD")
    assert unknown.fields == strangers.fields
    assert (unknown.code, strangers.code) == ("coupon_unknown", "coupon_not_yours")


def test_the_sentences_name_what_is_wrong() -> None:
    def sentence(reason: CouponRejection, **changes: Any) -> str:
        return (rejected(reason, coupon(**changes), "EUR").fields or {})["coupon_code"][0]

    assert sentence("used_up") == "The coupon code field is a coupon that has already been used."
    assert "as often as it can be" in sentence("used_up", max_uses=5)
    assert sentence("currency") == "The coupon code field is a coupon in USD, not EUR."
    assert "gift cards are not discounted" in sentence("no_product")
    assert "for other products" in sentence("no_product", product_ids="[1]")


@pytest.mark.parametrize(
    ("fields", "is_match"),
    [
        ({}, True),
        ({"product_ids": "[1,2]"}, True),
        ({"product_ids": "[2]"}, False),
        ({"categories": '["Ranks"]'}, True),
        ({"categories": '["ranks"]'}, False),
        ({"product_ids": "[2]", "categories": '["Ranks"]'}, True),
    ],
)
def test_a_coupon_matches_products_by_id_or_category(fields: dict[str, str], is_match: bool) -> None:
    assert matches(coupon(**fields), product(1, category="Ranks")) is is_match


@pytest.mark.parametrize(
    ("kind", "value", "subtotal", "given_away"),
    [
        ("fixed", 5_00, 20_00, 5_00),
        ("fixed", 20_00, 20_00, 20_00),
        ("fixed", 20_01, 20_00, 20_00),
        ("fixed", 5_00, 0, 0),
        ("percentage", 10_00, 20_00, 2_00),
        ("percentage", 100_00, 19_99, 19_99),
        ("percentage", 1, 20_00, 0),
        ("percentage", 1, 50_00, 1),
        ("percentage", 50_00, 1, 1),
        ("percentage", 10_00, 4, 0),
        ("percentage", 10_00, 5, 1),
        ("percentage", 33_33, 9_99, 3_33),
        ("percentage", 12_50, 19_99, 2_50),
        ("percentage", 100_00, MAX_AMOUNT, MAX_AMOUNT),
    ],
)
def test_a_discount_is_rounded_half_up_and_never_more_than_there_is_to_pay(
    kind: DiscountType, value: int, subtotal: int, given_away: int
) -> None:
    assert discount(terms(kind, value), Hundredths(subtotal), "USD") == given_away


@pytest.mark.parametrize(
    ("kind", "value", "subtotal", "given_away"),
    [
        ("percentage", 15_00, 333_00, 50_00),
        ("percentage", 50_00, 1_00, 1_00),
        ("percentage", 10_00, 4_00, 0),
        ("percentage", 100_00, 10_50, 10_50),
        ("fixed", 5_00, 20_00, 5_00),
    ],
)
def test_a_discount_in_a_currency_without_decimals_is_a_whole_amount(
    kind: DiscountType, value: int, subtotal: int, given_away: int
) -> None:
    assert discount(terms(kind, value), Hundredths(subtotal), "JPY") == given_away


@given(st.integers(1, 100_00), st.integers(0, MAX_AMOUNT))
def test_a_percentage_discount_matches_exact_arithmetic(value: int, subtotal: int) -> None:
    exact = (Decimal(subtotal) * value / 100_00).quantize(Decimal(1), ROUND_HALF_UP)
    assert discount(terms("percentage", value), Hundredths(subtotal), "USD") == exact


@given(st.sampled_from(["percentage", "fixed"]), st.integers(1, 100_00), st.integers(0, MAX_AMOUNT))
def test_no_coupon_takes_an_order_below_zero(kind: DiscountType, value: int, subtotal: int) -> None:
    assert 0 <= discount(terms(kind, value), Hundredths(subtotal), "USD") <= subtotal


def test_a_tiers_coupon_has_its_percentage_and_validity() -> None:
    expected = msgspec.structs.replace(terms("percentage", 12_50), ends_at=Instant(NOW + 45 * DAY))
    assert of_tier(TIER, NOW) == expected


def test_a_fixed_tiers_coupon_has_its_amount_and_currency() -> None:
    fixed = msgspec.structs.replace(TIER, reward_type="fixed_discount", reward_currency="EUR")
    given_away = of_tier(fixed, NOW)
    assert (given_away.discount_type, given_away.value, given_away.currency) == ("fixed", 12_50, "EUR")


@pytest.mark.parametrize("kind", ["percentage", "fixed"])
def test_a_welcome_coupon_follows_the_settings_for_thirty_days(kind: DiscountType) -> None:
    settings = ReferralSettings(referral_welcome_discount_type=kind, referral_welcome_discount_value=Hundredths(7_50))
    expected = msgspec.structs.replace(terms(kind, 7_50), ends_at=Instant(NOW + 30 * DAY))
    assert of_welcome(settings, "USD", NOW) == expected
