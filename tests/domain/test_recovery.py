"""What a refund deducts from the gift cards bought in the order: exactly, and never more than their balance."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from lootkeep.domain.gift_cards import GiftCard
from lootkeep.domain.orders import Order
from lootkeep.domain.recovery import Recovery, recovery
from lootkeep.kernel.errors import Conflict
from lootkeep.kernel.money import Hundredths
from tests.domain.gift_cards import CARD
from tests.domain.orders import order

PRICE = 25_00


def bought(*balances: int) -> list[GiftCard]:
    return [replace(CARD, id=number, balance=Hundredths(balance)) for number, balance in enumerate(balances, 1)]


def paid(total: int, refunded: int = 0) -> Order:
    return order(status="paid", total=Hundredths(total), refunded_total=Hundredths(refunded))


def recovered(paid: Order, amount: int, cards: list[GiftCard], revoked: int = 0, *, allowed: bool = False) -> Recovery:
    return recovery(paid, Hundredths(amount), cards, Hundredths(revoked), allow_unrecovered=allowed)


def outcome(*taken: int, lost: int) -> Recovery:
    return Recovery([Hundredths(amount) for amount in taken], Hundredths(lost))


def test_the_oldest_card_is_charged_first() -> None:
    assert recovered(paid(75_00), 30_00, bought(25_00, 25_00, 25_00)) == outcome(25_00, 5_00, 0, lost=0)


def test_the_other_lines_cover_what_the_cards_do_not_hold() -> None:
    assert recovered(paid(45_00), 25_00, bought(5_00)) == outcome(5_00, lost=0)


def test_an_uncovered_refund_is_rejected_with_the_refundable_amount() -> None:
    with pytest.raises(Conflict) as rejection:
        recovered(paid(45_00), 25_01, bought(5_00))
    assert rejection.value.code == "gift_cards_spent"
    assert "25.00 can be refunded" in rejection.value.message


def test_an_uncovered_refund_is_made_when_allowed() -> None:
    assert recovered(paid(45_00), 45_00, bought(5_00), allowed=True) == outcome(5_00, lost=20_00)


def test_a_full_refund_charges_all_cards_even_when_an_earlier_one_charged_none() -> None:
    assert recovered(paid(25_00, refunded=10_00), 15_00, bought(25_00)) == outcome(25_00, lost=0)


def test_cards_sold_at_a_discount_return_their_balance() -> None:
    assert recovered(paid(20_00), 20_00, bought(25_00)) == outcome(25_00, lost=0)
    assert recovered(paid(20_00), 20_00, bought(15_00), allowed=True) == outcome(15_00, lost=5_00)


@given(
    st.lists(st.integers(0, PRICE), min_size=1, max_size=4),
    st.integers(0, 50_00),
    st.lists(st.tuples(st.integers(1, 60_00), st.booleans()), max_size=8),
)
def test_no_refund_exceeds_the_cards_and_the_other_lines(
    balances: list[int], other_lines: int, refunds: list[tuple[int, bool]]
) -> None:
    cards = bought(*balances)
    total = PRICE * len(cards) + other_lines
    refunded = revoked = unrecovered = 0
    for amount, allowed in refunds:
        if amount > total - refunded:
            continue
        try:
            result = recovered(paid(total, refunded), amount, cards, revoked, allowed=allowed)
        except Conflict:
            continue
        assert allowed or not result.unrecovered
        cards = bought(*(card.balance - taken for card, taken in zip(cards, result.taken, strict=True)))
        refunded, revoked, unrecovered = (
            refunded + amount,
            revoked + sum(result.taken),
            unrecovered + result.unrecovered,
        )
        assert min(card.balance for card in cards) >= 0
        assert refunded <= revoked + other_lines + unrecovered
        # The cards are charged first.
        assert revoked == refunded or not any(card.balance for card in cards)
