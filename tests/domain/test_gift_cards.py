"""Gift cards: every state, where time and operations lead, and what codes look like."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from lootkeep.domain import gift_card_codes as gift_card_codes_rules, gift_cards as gift_cards_rules
from lootkeep.domain.orders import Order, RefundSplit
from lootkeep.domain.refunds import returned
from lootkeep.kernel.clock import HOUR, SECOND, Instant
from lootkeep.kernel.errors import Conflict, InvalidFields, RateLimited
from lootkeep.kernel.money import Hundredths
from tests.domain.gift_cards import CARD, NOW, PAST
from tests.domain.orders import order

SOON = Instant(NOW + HOUR)


@pytest.mark.parametrize(
    ("fields", "status", "next_change"),
    [
        ({}, "active", None),
        ({"expires_at": SOON}, "active", SOON),
        ({"expires_at": NOW}, "expired", None),
        ({"expires_at": PAST}, "expired", None),
        ({"starts_at": PAST}, "active", None),
        ({"starts_at": NOW}, "active", None),
        ({"starts_at": SOON}, "scheduled", SOON),
        ({"starts_at": SOON, "expires_at": Instant(SOON + 1)}, "scheduled", SOON),
        ({"balance": 0}, "redeemed", None),
        ({"balance": 0, "expires_at": PAST}, "redeemed", None),
        ({"balance": 0, "expires_at": SOON}, "redeemed", None),
        ({"balance": 0, "revoked_at": PAST}, "revoked", None),
        ({"balance": 0, "revoked_at": PAST, "expires_at": PAST}, "revoked", None),
    ],
)
def test_status_follows_from_the_balance_and_the_time(fields: dict[str, Any], status: str, next_change: Any) -> None:
    card = replace(CARD, **fields)
    assert gift_cards_rules.status(card, NOW) == status
    assert replace(card, stored_status=gift_cards_rules.status(card, NOW)).next_status_change_at == next_change


def test_the_first_email_after_an_hour_opens_a_new_hour() -> None:
    card = CARD
    for minute in range(5):
        card = gift_cards_rules.sent(card, Instant(NOW + minute * 60 * SECOND))
    with pytest.raises(RateLimited) as refused:
        gift_cards_rules.sent(card, Instant(NOW + HOUR - 1))
    assert refused.value.retry_after == 1
    card = gift_cards_rules.sent(card, Instant(NOW + HOUR))
    assert (card.send_count, card.recent_sends, card.sends_since) == (6, 1, NOW + HOUR)


@pytest.mark.parametrize("code", ["ABCDEFGH", "abcd-efgh", "A-B-C-D-E-F-G-H", "1" * 64])
def test_a_good_code_is_used_as_it_is(code: str) -> None:
    assert gift_card_codes_rules.check_code(code) == code


@pytest.mark.parametrize(
    "code", ["ABCDEFG", "A-B-C-D", "ABCD EFGH", "ABCD--EFGH", "ABCDEFGH-", "ABCDEFGÄ", "1" * 65, "\n"]
)
def test_a_bad_code_is_rejected(code: str) -> None:
    with pytest.raises(InvalidFields):
        gift_card_codes_rules.check_code(code)


def test_codes_are_compared_without_case_blanks_and_hyphens() -> None:
    assert gift_card_codes_rules.plain(" 7kq2-m9xw 4TRB\t7k2p\n") == "7KQ2M9XW4TRB7K2P"
    assert gift_card_codes_rules.grouped("7KQ2M9XW4TRB7K2P") == "7KQ2-M9XW-4TRB-7K2P"
    assert gift_cards_rules.masked(CARD) == "****-****-****-7K2P"


def test_only_the_note_of_a_revoked_card_can_change() -> None:
    revoked = gift_cards_rules.revoked(CARD, "lost", NOW)
    assert (revoked.balance, revoked.revoke_reason) == (0, "lost")
    assert gift_cards_rules.changed(revoked, {"note": "x"}, NOW).note == "x"
    with pytest.raises(Conflict):
        gift_cards_rules.changed(revoked, {"message": "x"}, NOW)


amounts = st.integers(0, 1000)


@given(total=amounts, by_card=amounts, refunds=st.lists(st.integers(1, 400), max_size=6))
def test_refunds_give_back_each_kind_of_money_at_most_once(total: int, by_card: int, refunds: list[int]) -> None:
    placed: Order = replace(order(), total=Hundredths(total), gift_card_total=Hundredths(min(total, by_card)))
    splits: list[RefundSplit] = []
    for amount in refunds:
        given_back = Hundredths(min(amount, placed.refundable))
        splits.append(returned(placed, given_back))
        placed = replace(placed, refunded_total=Hundredths(placed.refunded_total + given_back))
    money, cards = sum(split.payment for split in splits), sum(split.gift_card for split in splits)
    assert money + cards == placed.refunded_total
    assert money == min(placed.refunded_total, placed.money_total)
    assert cards <= placed.gift_card_total


def test_an_imported_card_in_a_currency_without_decimals_has_whole_amounts() -> None:
    terms = replace(CARD, currency="JPY", initial_balance=Hundredths(1000_50))
    with pytest.raises(InvalidFields) as refused:
        gift_cards_rules.checked_past(terms, Hundredths(10_50))
    assert set(refused.value.fields or {}) == {"initial_balance", "balance"}
