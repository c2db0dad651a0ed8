"""From a cart to an order: lines at the current prices, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from lootkeep.domain import coupons, orders
from lootkeep.domain.coupons import Coupon
from lootkeep.domain.fraud.facts import Payment
from lootkeep.domain.gift_cards import MAX_BOUGHT_AT_ONCE
from lootkeep.domain.orders import AUTOMATIC_DELIVERY, Order
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields, invalid
from lootkeep.kernel.money import MAX_AMOUNT, Hundredths

OUT_OF_STOCK = "is more than what is in stock"


class CartLine(msgspec.Struct, frozen=True):
    product_id: int
    quantity: int


class PricedLine(msgspec.Struct, frozen=True):
    """A line with the product's name and price as they are at this moment."""

    product_id: int
    product_name: str
    sku: str | None
    delivery_type: str
    quantity: int
    price: Hundredths
    total: Hundredths
    # Whether it drew on a stock, which is given back when the order is cancelled.
    holds_stock: bool = False
    # History may have been delivered long ago.
    fulfilled_quantity: int = 0


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
    # Only for history that a shop brings with it.
    created_at: Instant | None = None
    paid_at: Instant | None = None
    completed_at: Instant | None = None
    payment_method: str | None = None
    # When its payments were declined.
    declined_at: tuple[Instant, ...] = ()
    # When it was disputed as fraud.
    disputed_at: Instant | None = None


def priced(
    lines: Sequence[CartLine], products: Mapping[int, Product], *, is_history: bool = False
) -> tuple[list[PricedLine], str]:
    """The lines with their prices and their currency, or every reason why they cannot be ordered."""
    errors: dict[str, list[str]] = {}
    for index, line in enumerate(lines):
        for field, sentence in _check_amounts(line, lines, products.get(line.product_id), is_history):
            errors[f"items.{index}.{field}"] = [f"The items.{index}.{field.replace('_', ' ')} field {sentence}."]
    if errors:
        raise InvalidFields(errors)
    found = [_line(line, products[line.product_id]) for line in lines]
    currencies = {products[line.product_id].currency for line in lines}
    if len(currencies) > 1:
        raise InvalidFields({"items": ["The items field mixes products of different currencies."]})
    if sum(line.total for line in found) > MAX_AMOUNT:
        raise InvalidFields({"items": ["The items field comes to more than an order can hold."]})
    return found, currencies.pop()


def order(
    cart: Cart,
    lines: Sequence[PricedLine],
    currency: str,
    coupon: Coupon | None,
    referral_code: str | None,
    now: Instant,
) -> Order:
    """The order as it is placed: pending, with what it comes to. Its number is not known yet."""
    subtotal = Hundredths(sum(line.total for line in lines))
    # History has the discount that it had: it issues no cards.
    undiscounted = Hundredths(0) if cart.paid_at is not None else _gift_cards(lines)
    discount = _discount(coupon, subtotal, undiscounted) if coupon else Hundredths(0)
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
        coupon_id=coupon.id if coupon else None,
        coupon_code=coupon.code if coupon else None,
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
    )


def payable_by_card(order: Order, lines: Sequence[PricedLine]) -> Hundredths:
    """What a gift card may pay of the order: not the gift cards in it, which would outlive the one that pays."""
    payable = Hundredths(order.total - _gift_cards(lines))
    if order.total and not payable:
        raise invalid(
            "gift_card_code", "The gift card code field cannot be used here: a gift card does not pay for gift cards."
        )
    return payable


def concluded(
    cart: Cart, order: Order, lines: Sequence[PricedLine], now: Instant
) -> tuple[Order, Sequence[PricedLine]]:
    """History as it came out: paid and delivered as far as it was; what cost nothing is paid."""
    if cart.paid_at is None and (order.amount_due > 0 or order.status != "pending"):
        return order, lines
    paid = orders.paid(order, now if cart.paid_at is None else cart.paid_at, cart.payment_method, None, now)
    automatic = [line.delivery_type in AUTOMATIC_DELIVERY for line in lines]
    completed_at = paid.paid_at if cart.completed_at is None and all(automatic) else cart.completed_at
    is_complete = completed_at is not None
    lines = [
        replace(line, fulfilled_quantity=line.quantity) if is_complete or is_automatic else line
        for line, is_automatic in zip(lines, automatic, strict=True)
    ]
    return (replace(paid, status="completed", completed_at=completed_at) if is_complete else paid), lines


def check_times(cart: Cart, now: Instant) -> None:
    """History is in the past, and in order."""
    if cart.completed_at is not None and cart.paid_at is None:
        raise invalid("paid_at", "The paid at field is required when completed at is given.")
    if cart.paid_at is not None and cart.created_at is None:
        raise invalid("created_at", "The created at field is required when paid at is given.")
    earliest = Instant(0)
    for name, time in (("created_at", cart.created_at), ("paid_at", cart.paid_at), ("completed_at", cart.completed_at)):
        if time is None:
            continue
        words = name.replace("_", " ")
        if time > now:
            raise invalid(name, f"The {words} field must not be in the future.")
        if time < earliest:
            raise invalid(name, f"The {words} field must not be before the step that precedes it.")
        earliest = time
    reported = {"declined_at": cart.declined_at, "disputed_at": () if cart.disputed_at is None else (cart.disputed_at,)}
    for name, times in reported.items():
        if any(not (cart.created_at or now) <= time <= now for time in times):
            words = name.replace("_", " ")
            raise invalid(name, f"The {words} field must not be before the order or in the future.")
    if cart.disputed_at is not None and cart.paid_at is None:
        raise invalid("paid_at", "The paid at field is required when disputed at is given.")


def _discount(coupon: Coupon, subtotal: Hundredths, undiscounted: Hundredths) -> Hundredths:
    if subtotal and subtotal == undiscounted:
        raise invalid("coupon_code", "The coupon code field cannot be used here: gift cards are not discounted.")
    return coupons.discount(coupon, Hundredths(subtotal - undiscounted))


def _gift_cards(lines: Sequence[PricedLine]) -> Hundredths:
    """What the gift cards among the lines cost: money paid in advance, to which no discount applies."""
    return Hundredths(sum(line.total for line in lines if line.delivery_type == "gift_card"))


def _check_amounts(
    line: CartLine, lines: Sequence[CartLine], product: Product | None, is_history: bool
) -> list[tuple[str, str]]:
    if product is None:
        return [("product_id", "is not a product of this store")]
    if is_history:
        return []
    if product.status != "active":
        return [("product_id", "is not for sale at present")]
    ordered = sum(other.quantity for other in lines if other.product_id == line.product_id)
    if product.max_per_order is not None and ordered > product.max_per_order:
        return [("quantity", f"must not be greater than {product.max_per_order} per order")]
    if product.delivery_type == "gift_card" and ordered > MAX_BOUGHT_AT_ONCE:
        return [("quantity", f"must not be greater than {MAX_BOUGHT_AT_ONCE} gift cards per order")]
    if product.stock is not None and ordered > product.stock:
        return [("quantity", OUT_OF_STOCK)]
    return []


def _line(line: CartLine, product: Product) -> PricedLine:
    return PricedLine(
        product_id=product.id,
        product_name=product.name,
        sku=product.sku,
        delivery_type=product.delivery_type,
        quantity=line.quantity,
        price=product.price,
        total=Hundredths(product.price * line.quantity),
    )
