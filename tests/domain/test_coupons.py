"""Coupons: what they give, to whom and until when, without a database or a clock."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from lootkeep.domain.coupons import Coupon, CouponTerms, check_coupon, discount, of_tier, of_welcome
from lootkeep.domain.referrals import DiscountType, ReferralSettings, Tier
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import InvalidFields
from lootkeep.kernel.money import MAX_AMOUNT, Hundredths

NOW = Instant(100 * DAY)
OWNER = 7
COUPON = Coupon(
    origin="tier",
    discount_type="fixed",
    value=Hundredths(5_00),
    currency="USD",
    expires_at=Instant(NOW + DAY),
    id=1,
    code="REF-AAAAAAAA",
    customer_id=OWNER,
    status="available",
    order_id=None,
    discount_given=Hundredths(0),
    created_at=NOW,
)
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
    return CouponTerms("tier", kind, Hundredths(value), "USD" if kind == "fixed" else None, NOW)


def sentence(refused: Coupon | None, *, customer_id: int = OWNER, currency: str = "USD") -> str | None:
    """The error message for an unusable coupon."""
    reason = check_coupon(refused, customer_id, currency, NOW)
    if reason is None:
        return None
    assert isinstance(reason, InvalidFields)
    assert reason.fields is not None
    assert list(reason.fields) == ["coupon_code"]
    return reason.fields["coupon_code"][0]


def test_the_owner_may_use_an_available_coupon_in_time() -> None:
    assert sentence(coupon()) is None


def test_another_customers_coupon_looks_nonexistent() -> None:
    unknown = sentence(None)
    assert unknown == "The coupon code field is not a coupon of this customer."
    assert sentence(coupon(), customer_id=8) == unknown
    assert sentence(coupon(status="used", order_id=1, expires_at=NOW), customer_id=8) == unknown


@pytest.mark.parametrize("status", ["reserved", "used"])
def test_a_coupon_is_used_once(status: str) -> None:
    refused = coupon(status=status, order_id=4)
    assert sentence(refused) == "The coupon code field is a coupon that has already been used."


def test_a_coupon_has_expired_at_the_exact_moment_of_its_expiry() -> None:
    assert sentence(coupon(expires_at=Instant(NOW + 1))) is None
    assert sentence(coupon(expires_at=NOW)) == "The coupon code field is a coupon that has expired."


def test_a_fixed_coupon_is_good_in_its_own_currency_only() -> None:
    assert sentence(coupon(), currency="EUR") == "The coupon code field is a coupon in USD, not EUR."


def test_a_percentage_is_good_in_any_currency() -> None:
    assert sentence(coupon(discount_type="percentage", currency=None), currency="JPY") is None


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
    assert discount(terms(kind, value), Hundredths(subtotal)) == given_away


@given(st.integers(1, 100_00), st.integers(0, MAX_AMOUNT))
def test_a_percentage_discount_matches_exact_arithmetic(value: int, subtotal: int) -> None:
    exact = (Decimal(subtotal) * value / 100_00).quantize(Decimal(1), ROUND_HALF_UP)
    assert discount(terms("percentage", value), Hundredths(subtotal)) == exact


@given(st.sampled_from(["percentage", "fixed"]), st.integers(1, 100_00), st.integers(0, MAX_AMOUNT))
def test_no_coupon_takes_an_order_below_zero(kind: DiscountType, value: int, subtotal: int) -> None:
    assert 0 <= discount(terms(kind, value), Hundredths(subtotal)) <= subtotal


def test_a_tiers_coupon_has_its_percentage_and_validity() -> None:
    assert of_tier(TIER, NOW) == CouponTerms("tier", "percentage", Hundredths(12_50), None, Instant(NOW + 45 * DAY))


def test_a_fixed_tiers_coupon_has_its_amount_and_currency() -> None:
    fixed = msgspec.structs.replace(TIER, reward_type="fixed_discount", reward_currency="EUR")
    assert of_tier(fixed, NOW) == CouponTerms("tier", "fixed", Hundredths(12_50), "EUR", Instant(NOW + 45 * DAY))


@pytest.mark.parametrize(("kind", "currency"), [("percentage", None), ("fixed", "USD")])
def test_a_welcome_coupon_follows_the_settings_for_thirty_days(kind: DiscountType, currency: str | None) -> None:
    settings = ReferralSettings(referral_welcome_discount_type=kind, referral_welcome_discount_value=Hundredths(7_50))
    fields = of_welcome(settings, "USD", NOW)
    assert fields == CouponTerms("welcome", kind, Hundredths(7_50), currency, Instant(NOW + 30 * DAY))


@pytest.mark.parametrize(("status", "times"), [("available", 0), ("reserved", 0), ("used", 1)])
def test_only_a_used_coupon_has_been_used(status: str, times: int) -> None:
    assert coupon(status=status).times_used == times
