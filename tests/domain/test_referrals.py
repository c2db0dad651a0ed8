"""The referral program's rules, without a database or a clock."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from lootkeep.domain.referrals import ReferralSettings, TierTerms, change, settled
from lootkeep.kernel.errors import InvalidFields
from lootkeep.kernel.money import Hundredths

BRONZE = TierTerms(
    name="Bronze",
    description=None,
    referrals_required=5,
    reward_type="percentage_discount",
    reward_value=Hundredths(10_00),
    reward_currency=None,
    coupon_validity_days=30,
    is_active=True,
    sort_order=0,
)


def tier(**changes: Any) -> TierTerms:
    return msgspec.structs.replace(BRONZE, **changes)


def test_a_percentage_has_no_currency_even_when_one_was_sent() -> None:
    assert settled(tier(reward_currency="EUR"), "USD") == BRONZE


def test_a_fixed_discount_without_a_currency_uses_the_stores() -> None:
    assert settled(tier(reward_type="fixed_discount"), "EUR").reward_currency == "EUR"


def test_a_fixed_discount_keeps_its_own_currency() -> None:
    assert settled(tier(reward_type="fixed_discount", reward_currency="JPY"), "USD").reward_currency == "JPY"


def test_a_percentage_can_be_a_hundred() -> None:
    assert settled(tier(reward_value=Hundredths(100_00)), "USD").reward_value == 100_00


def test_a_percentage_over_a_hundred_is_rejected_with_its_field() -> None:
    with pytest.raises(InvalidFields) as rejection:
        settled(tier(reward_value=Hundredths(100_01)), "USD")
    assert rejection.value.fields == {
        "reward_value": ["The reward value field must not be greater than 100 for a percentage discount."]
    }


def test_a_fixed_discount_may_be_more_than_a_hundred() -> None:
    assert settled(tier(reward_type="fixed_discount", reward_value=Hundredths(500_00)), "USD").reward_value == 500_00


def test_a_new_store_has_the_documented_settings() -> None:
    assert msgspec.structs.asdict(ReferralSettings()) == {
        "referral_enabled": True,
        "referral_reward_event": "first_purchase",
        "referral_welcome_discount_enabled": False,
        "referral_welcome_discount_type": "percentage",
        "referral_welcome_discount_value": 10_00,
    }


def test_a_welcome_discount_over_a_hundred_percent_is_rejected_with_its_field() -> None:
    with pytest.raises(InvalidFields) as rejection:
        change(ReferralSettings(), {"referral_welcome_discount_value": Hundredths(100_01)}, "USD")
    assert rejection.value.fields == {
        "referral_welcome_discount_value": [
            "The referral welcome discount value field must not be greater than 100 for a percentage."
        ]
    }


@pytest.mark.parametrize(("kind", "value"), [("percentage", 100_00), ("percentage", 1), ("fixed", 500_00)])
def test_a_consistent_welcome_discount_is_accepted_as_it_is(kind: Any, value: int) -> None:
    changes = {"referral_welcome_discount_type": kind, "referral_welcome_discount_value": Hundredths(value)}
    assert change(ReferralSettings(), changes, "USD") == ReferralSettings(**changes)


def test_a_discount_with_a_fraction_stays_when_another_setting_changes_in_a_currency_without_decimals() -> None:
    before = ReferralSettings(referral_welcome_discount_type="fixed", referral_welcome_discount_value=Hundredths(5_50))
    assert not change(before, {"referral_enabled": False}, "JPY").referral_enabled
    with pytest.raises(InvalidFields):
        change(before, {"referral_welcome_discount_type": "fixed"}, "JPY")
