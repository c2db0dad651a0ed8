"""The rest of a grown store: claimed rewards, refused referrals, subscriptions and the entries of a fraud list."""

from collections.abc import Iterator

from bench.lists import BEGIN
from lootkeep.domain.fraud.policy import MAX_ENTRIES
from lootkeep.kernel.clock import DAY

TIERS = 7
# Of the one list that rules could use.
FRAUD_LIST = 7
_MONTH = 30 * DAY


def statements(numbers: str, at: str, true: str, false: str) -> Iterator[str]:
    """One of each for every customer; `at` is when. People fill a fraud list: it is as long as a blocklist may be."""
    tiers = ", ".join(
        f"({tier}, 'Tier {tier}', {tier}, 'fixed_discount', 500, 'USD', 30, {true}, {tier}, 0, {BEGIN}, {BEGIN})"
        for tier in range(1, TIERS + 1)
    )
    yield (
        "INSERT INTO referral_tiers (id, name, referrals_required, reward_type, reward_value, reward_currency,"
        f" coupon_validity_days, is_active, sort_order, claims_count, created_at, updated_at) VALUES {tiers}"
    )
    yield (
        "INSERT INTO reward_claims (id, customer_id, tier_id, coupon_id, claimed_at)"
        f" SELECT i, i, i % {TIERS} + 1, i, {at} FROM {numbers}"
    )
    yield (
        "INSERT INTO refused_referrals (id, customer_id, referrer_id, reason, created_at)"
        f" SELECT i, i, i / 10 + 1, 'same_device', {at} FROM {numbers}"
    )
    yield (
        "INSERT INTO subscriptions (id, customer_id, product_id, product_name, status, price, currency, interval,"
        " interval_count, current_period_start, current_period_end, cancel_at_period_end, renewals_count, created_at,"
        f" updated_at) SELECT i, i, i, 'Product ' || i, 'active', 990, 'USD', 'month', 1, {at}, {at} + {_MONTH},"
        f" {false}, 0, {at}, {at} FROM {numbers}"
    )
    yield (f"INSERT INTO fraud_lists (id, name, kind, created_at) VALUES ({FRAUD_LIST}, 'resellers', 'email', {BEGIN})")
    yield (
        "INSERT INTO fraud_list_entries (id, list_id, value, added_by, created_at)"
        f" SELECT i, {FRAUD_LIST}, 'c' || i || '@reseller.example', 1, {at} FROM {numbers} WHERE i <= {MAX_ENTRIES}"
    )
