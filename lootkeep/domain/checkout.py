"""From a cart to an order: lines with their prices, and the total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from lootkeep.domain import coupons
from lootkeep.domain.coupons import AppliedCoupon, Basket, CouponTerms
from lootkeep.domain.fraud.facts import Payment
from lootkeep.domain.gift_cards import MAX_BOUGHT_AT_ONCE
from lootkeep.domain.orders import Order, PastStatus
from lootkeep.domain.players import Player
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields, invalid
from lootkeep.kernel.money import MAX_AMOUNT, Hundredths, text

OUT_OF_STOCK = "is more than what is in stock"


class CartLine(msgspec.Struct, frozen=True):
    product_id: int
    quantity: int
    # Only for history: the price of one unit at the time.
    price: Hundredths | None = None


class PastRefund(msgspec.Struct, frozen=True):
    """A refund of an imported order; without a time it gets that of the order's last step."""

    amount: Hundredths
    reason: str | None = None
    created_at: Instant | None = None


class PricedLine(msgspec.Struct, frozen=True):
    """A line with the product's current name, and its price."""

    product_id: int
    product_name: str
    sku: str | None
    delivery_type: str
    quantity: int
    price: Hundredths
    total: Hundredths
    # Whether it took stock, which is returned when the order is cancelled.
    holds_stock: bool = False
    # An imported order may have been delivered long ago.
    fulfilled_quantity: int = 0
    valid_days: int | None = None
    delivered_at: Instant | None = None


class Cart(msgspec.Struct, frozen=True):
    """What a storefront sends when a customer orders."""

    customer_id: int
    lines: tuple[CartLine, ...]
    ip_address: str | None
    billing_country: str | None = None
    user_agent: str | None = None
    device_id: str | None = None
    coupon_code: str | None = None
    gift_card_code: str | None = None
    external_id: str | None = None
    metadata: str = "{}"
    subscription_id: int | None = None
    payment: Payment = Payment()
    # Who gets it, if not the buyer.
    player: Player | None = None
    # As the checkout reports it: part of the total, and never computed.
    tax_total: Hundredths | None = None
    tax_rate: str | None = None
    tax_country: str | None = None
    # Only for imported history.
    created_at: Instant | None = None
    paid_at: Instant | None = None
    completed_at: Instant | None = None
    cancelled_at: Instant | None = None
    status: PastStatus | None = None
    discount: Hundredths | None = None
    currency: str | None = None
    refunds: tuple[PastRefund, ...] = ()
    payment_method: str | None = None
    # When its payments were declined.
    declined_at: tuple[Instant, ...] = ()
    # When it was disputed as fraud.
    disputed_at: Instant | None = None

    @property
    def is_concluded(self) -> bool:
        """It was paid or cancelled long ago: nothing is reserved for it, and nothing stops it any more."""
        return self.paid_at is not None or self.status is not None


def priced(cart: Cart, products: Mapping[int, Product]) -> tuple[list[PricedLine], str]:
    """The lines with their prices and their currency, or every reason why they cannot be ordered."""
    lines = cart.lines
    errors: dict[str, list[str]] = {}
    for index, line in enumerate(lines):
        for field, sentence in _check_line(line, cart, products.get(line.product_id)):
            errors[f"items.{index}.{field}"] = [f"The items.{index}.{field.replace('_', ' ')} field {sentence}."]
    if errors:
        raise InvalidFields(errors)
    priced_lines = [_line(line, products[line.product_id]) for line in lines]
    currencies = {cart.currency or products[line.product_id].currency for line in lines}
    if len(currencies) > 1:
        raise InvalidFields({"items": ["The items field mixes products with different currencies."]})
    if sum(line.total for line in priced_lines) > MAX_AMOUNT:
        raise InvalidFields({"items": ["The items field exceeds the maximum total of an order."]})
    return priced_lines, currencies.pop()


def order(
    cart: Cart,
    lines: Sequence[PricedLine],
    currency: str,
    applied: AppliedCoupon | None,
    referral_code: str | None,
    now: Instant,
) -> Order:
    """The order as it is placed: pending, with its total. Its number is not known yet."""
    subtotal = Hundredths(sum(line.total for line in lines))
    discount = _discount(cart, applied, subtotal)
    return Order(
        id=0,
        customer_id=cart.customer_id,
        status="pending",
        subtotal=subtotal,
        discount_total=discount,
        total=Hundredths(subtotal - discount),
        gift_card_total=Hundredths(0),
        refunded_total=Hundredths(0),
        currency=currency,
        coupon_id=applied.coupon.id if applied else None,
        coupon_code=applied.coupon.code if applied else None,
        coupon_origin=applied.coupon.origin if applied else None,
        referral_code=referral_code,
        subscription_id=cart.subscription_id,
        payment_method=None,
        transaction_id=None,
        ip_address=cart.ip_address,
        billing_country=cart.billing_country,
        user_agent=cart.user_agent,
        device_id=cart.device_id,
        cancel_reason=None,
        external_id=cart.external_id,
        metadata=cart.metadata,
        created_at=now if cart.created_at is None else cart.created_at,
        updated_at=now,
        **_reported(cart, subtotal - discount),
    )


def _reported(cart: Cart, total: int) -> dict[str, Any]:
    """What the checkout says of the tax, the player and the payment method."""
    if cart.tax_total is not None and cart.tax_total > total:
        raise invalid("tax_total", "The tax total field must not be greater than the total of the order.")
    tax = {"tax_total": cart.tax_total, "tax_rate": cart.tax_rate, "tax_country": cart.tax_country}
    return tax | (cart.player.columns if cart.player else {}) | cart.payment.columns


def payable_by_card(order: Order, lines: Sequence[PricedLine]) -> Hundredths:
    """What a gift card may pay: everything except gift cards in the order, which would outlive it."""
    payable = Hundredths(order.total - _gift_cards(lines))
    if order.total and not payable:
        raise invalid(
            "gift_card_code", "The gift card code field cannot be used here: a gift card cannot pay for gift cards."
        )
    return payable


def basket(
    cart: Cart, terms: CouponTerms, lines: Sequence[PricedLine], products: Mapping[int, Product], currency: str
) -> Basket:
    """What a coupon would discount: the lines that it names, but no gift cards, which are prepaid money."""
    # An imported order keeps its discount and issues no cards.
    matching = [
        line.total
        for line in lines
        if coupons.matches(terms, products[line.product_id])
        and (cart.is_concluded or line.delivery_type != "gift_card")
    ]
    subtotal, discounted = sum(line.total for line in lines), sum(matching)
    has_match = bool(matching) and bool(discounted or not subtotal)
    return Basket(currency, Hundredths(subtotal), Hundredths(discounted), has_match)


def _discount(cart: Cart, applied: AppliedCoupon | None, subtotal: Hundredths) -> Hundredths:
    if cart.discount is not None:
        if cart.discount > subtotal:
            raise invalid(
                "discount", f"The discount field must not be greater than {text(subtotal)}, the total of the items."
            )
        return cart.discount
    return applied.discount if applied else Hundredths(0)


def _gift_cards(lines: Sequence[PricedLine]) -> Hundredths:
    """What the gift cards in the order cost: prepaid money, which is never discounted."""
    return Hundredths(sum(line.total for line in lines if line.delivery_type == "gift_card"))


def _check_line(line: CartLine, cart: Cart, product: Product | None) -> list[tuple[str, str]]:
    if product is None:
        return [("product_id", "is not a product of this store")]
    if line.price is None and cart.currency not in (None, product.currency):
        return [("price", f"is required: the product is sold in {product.currency} now")]
    if cart.is_concluded:
        return []
    if product.status != "active":
        return [("product_id", "is currently not for sale")]
    ordered = sum(other.quantity for other in cart.lines if other.product_id == line.product_id)
    if product.max_per_order is not None and ordered > product.max_per_order:
        return [("quantity", f"must not be greater than {product.max_per_order} per order")]
    if product.delivery_type == "gift_card" and ordered > MAX_BOUGHT_AT_ONCE:
        return [("quantity", f"must not be greater than {MAX_BOUGHT_AT_ONCE} gift cards per order")]
    if product.stock is not None and ordered > product.stock:
        return [("quantity", OUT_OF_STOCK)]
    return []


def _line(line: CartLine, product: Product) -> PricedLine:
    price = product.price if line.price is None else line.price
    return PricedLine(
        product_id=product.id,
        product_name=product.name,
        sku=product.sku,
        delivery_type=product.delivery_type,
        quantity=line.quantity,
        price=price,
        total=Hundredths(price * line.quantity),
        valid_days=product.valid_days,
    )
