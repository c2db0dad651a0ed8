"""From a cart to an order: prices, errors of lines, and totals."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from lootkeep.domain.checkout import CartLine, PricedLine, basket, order, payable_by_card, priced
from lootkeep.domain.coupons import SINGLE_USE, AppliedCoupon, discount, issued
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields
from lootkeep.kernel.money import MAX_AMOUNT, Hundredths
from tests.domain.carts import NOW, cart, product

TERMS = msgspec.structs.replace(SINGLE_USE, value=Hundredths(10_00))
COUPON = msgspec.structs.replace(issued(TERMS, "welcome", "HI-AAAAAAAA", NOW, customer_id=7), id=5)


def applied(lines: list[PricedLine], catalogue: list[Product], **fields: Any) -> AppliedCoupon:
    """The coupon with what it takes off."""
    coupon = msgspec.structs.replace(COUPON, **fields)
    seen = basket(cart(), coupon, lines, {item.id: item for item in catalogue}, "USD")
    return AppliedCoupon(coupon, discount(coupon, seen.discounted, seen.currency))


def price(*lines: tuple[int, int], catalogue: list[Product], is_history: bool = False) -> tuple[list[PricedLine], str]:
    cart_lines = tuple(CartLine(number, quantity) for number, quantity in lines)
    paid_at = NOW if is_history else None
    return priced(cart(lines=cart_lines, paid_at=paid_at), {item.id: item for item in catalogue})


def faults(*lines: tuple[int, int], catalogue: list[Product]) -> dict[str, list[str]]:
    with pytest.raises(InvalidFields) as rejection:
        price(*lines, catalogue=catalogue)
    assert rejection.value.fields is not None
    return {field: list(sentences) for field, sentences in rejection.value.fields.items()}


def test_a_line_copies_the_current_name_price_and_delivery() -> None:
    (line,), currency = price((1, 3), catalogue=[product()])
    assert currency == "USD"
    assert line == PricedLine(1, "Dragon Sword", "S-1", "keys", 3, Hundredths(19_99), Hundredths(59_97))


def test_lines_keep_their_order_even_for_the_same_product() -> None:
    lines, _ = price((2, 1), (1, 2), (2, 5), catalogue=[product(1), product(2)])
    assert [(line.product_id, line.quantity) for line in lines] == [(2, 1), (1, 2), (2, 5)]


def test_an_unknown_product_is_named_with_its_line() -> None:
    assert faults((1, 1), (8, 1), catalogue=[product()]) == {
        "items.1.product_id": ["The items.1.product id field is not a product of this store."]
    }


@pytest.mark.parametrize("status", ["draft", "archived"])
def test_an_inactive_product_is_not_for_sale(status: str) -> None:
    assert faults((1, 1), catalogue=[product(status=status)]) == {
        "items.0.product_id": ["The items.0.product id field is currently not for sale."]
    }


def test_every_line_with_an_error_is_named_at_once() -> None:
    catalogue = [product(1, status="draft"), product(2, stock=1), product(3, max_per_order=2), product(4)]
    assert sorted(faults((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), catalogue=catalogue)) == [
        "items.0.product_id",
        "items.1.quantity",
        "items.2.quantity",
        "items.4.product_id",
    ]


def test_the_maximum_per_order_counts_over_all_lines_of_the_product() -> None:
    limited = product(max_per_order=3)
    assert len(price((1, 1), (1, 2), catalogue=[limited])[0]) == 2
    assert faults((1, 2), (1, 2), catalogue=[limited]) == {
        f"items.{line}.quantity": [f"The items.{line}.quantity field must not be greater than 3 per order."]
        for line in (0, 1)
    }


def test_the_stock_counts_over_all_lines_of_the_product() -> None:
    scarce = product(stock=3)
    assert len(price((1, 1), (1, 2), catalogue=[scarce])[0]) == 2
    assert list(faults((1, 2), (1, 2), catalogue=[scarce])) == ["items.0.quantity", "items.1.quantity"]


def test_a_product_without_stock_cannot_be_ordered() -> None:
    assert faults((1, 1), catalogue=[product(stock=0)]) == {
        "items.0.quantity": ["The items.0.quantity field is more than what is in stock."]
    }


def test_a_past_order_may_hold_products_no_longer_for_sale() -> None:
    archived = product(status="archived", stock=0, max_per_order=1)
    lines, _ = price((1, 5), catalogue=[archived], is_history=True)
    assert lines[0].quantity == 5


def test_even_a_past_order_holds_only_known_products() -> None:
    with pytest.raises(InvalidFields):
        price((8, 1), catalogue=[product()], is_history=True)


def test_currencies_are_not_mixed() -> None:
    catalogue = [product(1), product(2, currency="EUR")]
    assert faults((1, 1), (2, 1), catalogue=catalogue) == {
        "items": ["The items field mixes products with different currencies."]
    }


def test_an_order_holds_up_to_the_largest_amount() -> None:
    expensive = product(price=Hundredths(999_999_99))
    lines, _ = price((1, 1000), catalogue=[expensive])
    assert lines[0].total < MAX_AMOUNT
    assert faults((1, 1001), catalogue=[expensive]) == {
        "items": ["The items field exceeds the maximum total of an order."]
    }


def test_an_order_of_exactly_the_largest_amount_is_allowed() -> None:
    lines, _ = price((1, 21_649), catalogue=[product(price=Hundredths(46_191_51))])
    assert lines[0].total == MAX_AMOUNT


def test_a_new_order_is_pending_with_its_total() -> None:
    lines, currency = price((1, 1), (2, 2), catalogue=[product(1), product(2, price=Hundredths(5_00))])
    placed = order(cart(billing_country="KR", external_id="x-1"), lines, currency, None, "FRIEND23", NOW)
    assert (placed.status, placed.subtotal, placed.discount_total, placed.total) == ("pending", 29_99, 0, 29_99)
    assert (placed.coupon_id, placed.coupon_code, placed.referral_code) == (None, None, "FRIEND23")
    assert (placed.billing_country, placed.external_id, placed.created_at) == ("KR", "x-1", NOW)
    assert (placed.paid_at, placed.completed_at, placed.cancelled_at, placed.refunded_at) == (None,) * 4


def test_a_coupon_discounts_the_whole_order() -> None:
    lines, currency = price((1, 1), (1, 1), catalogue=[product()])
    placed = order(cart(), lines, currency, applied(lines, [product()]), None, NOW)
    assert (placed.subtotal, placed.discount_total, placed.total) == (39_98, 4_00, 35_98)
    assert (placed.coupon_id, placed.coupon_code, placed.coupon_origin) == (5, "HI-AAAAAAAA", "welcome")


MIXED = [product(1, price=Hundredths(20_00)), product(2, price=Hundredths(50_00), delivery_type="gift_card")]


def test_gift_cards_are_outside_any_discount() -> None:
    lines, currency = price((2, 2), (1, 1), catalogue=MIXED)
    placed = order(cart(), lines, currency, applied(lines, MIXED), None, NOW)
    assert (placed.subtotal, placed.discount_total, placed.total) == (120_00, 2_00, 118_00)
    assert payable_by_card(placed, lines) == 18_00


def test_an_order_of_gift_cards_takes_neither_a_coupon_nor_a_card() -> None:
    lines, currency = price((2, 1), catalogue=MIXED)
    assert not basket(cart(), COUPON, lines, {2: MIXED[1]}, currency).has_match
    with pytest.raises(InvalidFields) as rejection:
        payable_by_card(order(cart(), lines, currency, None, None, NOW), lines)
    assert list(rejection.value.fields or ()) == ["gift_card_code"]


def test_a_free_order_may_name_a_coupon_and_a_card() -> None:
    lines, currency = price((1, 1), catalogue=[product(price=Hundredths(0))])
    free = product(price=Hundredths(0))
    assert basket(cart(), COUPON, lines, {1: free}, currency).has_match
    placed = order(cart(), lines, currency, applied(lines, [free]), None, NOW)
    assert (placed.total, payable_by_card(placed, lines)) == (0, 0)


def test_a_paid_past_order_keeps_its_discount() -> None:
    lines, currency = price((2, 1), catalogue=MIXED)
    past = cart(created_at=Instant(5), paid_at=Instant(6))
    assert basket(past, COUPON, lines, {2: MIXED[1]}, currency).discounted == 50_00
    assert not basket(cart(created_at=Instant(5)), COUPON, lines, {2: MIXED[1]}, currency).has_match


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=5), st.integers(0, 999_999), st.integers(1, 100_00))
def test_the_amounts_of_any_order_add_up(quantities: list[int], each: int, percent: int) -> None:
    lines, currency = price(*((1, many) for many in quantities), catalogue=[product(price=Hundredths(each))])
    catalogue = [product(price=Hundredths(each))]
    placed = order(cart(), lines, currency, applied(lines, catalogue, value=Hundredths(percent)), None, NOW)
    assert placed.subtotal == each * sum(quantities)
    assert placed.total == placed.subtotal - placed.discount_total
    assert 0 <= placed.total <= placed.subtotal


def test_a_past_order_keeps_its_own_time() -> None:
    lines, currency = price((1, 1), catalogue=[product()])
    placed = order(cart(created_at=Instant(5)), lines, currency, None, None, NOW)
    assert (placed.created_at, placed.updated_at) == (5, NOW)
