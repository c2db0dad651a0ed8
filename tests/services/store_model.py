"""A store, and a small model of the result of each operation."""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import Any

import msgspec
from hypothesis.stateful import Bundle, multiple

from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.coupons import Coupon
from lootkeep.domain.customers import Customer
from lootkeep.domain.orders import AUTOMATIC_DELIVERY, OrderDetails
from lootkeep.domain.products import Product
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.clock import HOUR, MINUTE
from lootkeep.kernel.errors import InvalidFields
from lootkeep.services import customers as customers_service, orders as orders_service
from lootkeep.storage.schema import gift_cards
from tests.builders import honest_buyer
from tests.recount import rows
from tests.services.machines import Machine

people: Bundle[Customer] = Bundle("people")
placed: Bundle[int] = Bundle("placed")


class StoreModel(Machine):
    """The expected state of the store, and operations that several rules share."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = count(1)
        self.products: dict[str, Product] = {}
        # The model: orders as they should be now, those that came as history, and the events that should be there.
        self.sales: dict[int, OrderDetails] = {}
        self.history: set[int] = set()
        self.announced: Counter[tuple[str, int]] = Counter()
        self.coupons: list[Coupon] = []
        # Cards that can pay, by id: their codes and what should be on them; and which order was paid with which.
        self.codes: dict[int, str] = {}
        self.balances: dict[int, int] = {}
        self.revoked: set[int] = set()
        self.paid_with: dict[int, int] = {}
        # By order: what is gone from the cards bought in it, and what was refunded though it had been spent.
        self.spent: Counter[int] = Counter()
        self.taken_back: Counter[int] = Counter()
        self.unrecovered: Counter[int] = Counter()
        self.referrers: list[int] = []

    def sign_up_as(self, form: SignUp) -> Customer:
        signed_up = self.run(customers_service.sign_up(self.deps, form))
        if signed_up.welcome_coupon:
            self.coupons.append(signed_up.welcome_coupon)
        if signed_up.customer.referred_by_id:
            self.referrers.append(signed_up.customer.referred_by_id)
        return signed_up.customer

    def cart_for(self, customer_id: int, cart: list[tuple[str, int]], coupon: Coupon | None) -> Cart:
        lines = tuple(CartLine(self.products[name].id, quantity) for name, quantity in cart)
        return Cart(customer_id, lines, **honest_buyer(customer_id), coupon_code=coupon.code if coupon else None)

    def place(
        self, buyer: int, cart: list[tuple[str, int]], coupon: Coupon | None, is_paid: bool, card_id: int | None = None
    ) -> Any:
        # Anyone who orders more often is blocked sooner or later, and the model knows honest buyers only.
        self.world.clock.advance(HOUR + MINUTE)
        form = msgspec.structs.replace(
            self.cart_for(buyer, cart, coupon), gift_card_code=None if card_id is None else self.codes[card_id]
        )
        operation = orders_service.place(self.deps, form)
        if not self._can_be_placed(buyer, cart, coupon) or not self._can_pay(card_id, cart):
            assert isinstance(self.rejection(operation), InvalidFields)
            return multiple()
        details, is_new = self.run(operation)
        assert is_new
        self.sales[details.order.id] = details
        self.announced["order.created", details.order.id] += 1
        self._take(card_id, details)
        assert details.order.status == ("pending" if details.order.amount_due else self._after_payment(details))
        if details.order.amount_due == 0:
            self._tell_payment(details)
        elif is_paid:
            self.pay_with(details.order.id, "a")
        return details.order.id

    def _can_pay(self, card_id: int | None, cart: list[tuple[str, int]]) -> bool:
        if card_id is None:
            return True
        currency = "EUR" if self.run(self._stored_card(card_id))["currency"] == "EUR" else "USD"
        is_good = self.balances[card_id] > 0 and all(self.products[name].currency == currency for name, _ in cart)
        return is_good and self._holds_more_than_cards(cart)

    def _holds_more_than_cards(self, cart: list[tuple[str, int]]) -> bool:
        """Gift cards are neither discounted nor paid for with a card, so the order needs another line."""
        return all(name != "card" for name, _ in cart) or any(
            name != "card" and self.products[name].price for name, _ in cart
        )

    async def _stored_card(self, card_id: int) -> dict[str, Any]:
        return next(row for row in await rows(self.world.db, gift_cards) if row["id"] == card_id)

    def _take(self, card_id: int | None, details: OrderDetails) -> None:
        """A card pays up to its balance, but not for gift cards."""
        cards = sum(line.total for line in details.items if line.delivery_type == "gift_card")
        taken = 0 if card_id is None else min(self.balances[card_id], details.order.total - cards)
        assert details.order.discount_total <= details.order.subtotal - cards
        assert details.order.gift_card_total == taken
        if card_id is not None and taken:
            self.balances[card_id] -= taken
            self.paid_with[details.order.id] = card_id

    def on_bought_cards(self, order_id: int) -> int:
        """The expected balance of the cards that were bought in an order."""
        details = self.sales[order_id]
        if order_id in self.history or details.order.paid_at is None:
            return 0
        price = sum(line.total for line in details.items if line.delivery_type == "gift_card")
        return price - self.spent[order_id] - self.taken_back[order_id]

    def put_back(self, order_id: int, amount: int) -> int:
        """The amount returned to the card: nothing when it was revoked."""
        card_id = self.paid_with.get(order_id)
        if card_id is None or card_id in self.revoked:
            return 0
        self.balances[card_id] += amount
        return amount

    def _can_be_placed(self, buyer: int, cart: list[tuple[str, int]], coupon: Coupon | None) -> bool:
        counter: Counter[str] = Counter()
        for name, quantity in cart:
            counter[name] += quantity
        currencies = {self.products[name].currency for name in counter}
        in_stock = self.stock_left()
        is_there = all(in_stock[name] is None or counter[name] <= in_stock[name] for name in counter)
        is_good = coupon is None or self._holds_more_than_cards(cart)
        return len(currencies) == 1 and is_there and is_good and self._is_good(coupon, buyer, currencies.pop())

    def _is_good(self, coupon: Coupon | None, buyer: int, currency: str) -> bool:
        if coupon is None:
            return True
        holders = [details.order for details in self.sales.values() if details.order.coupon_id == coupon.id]
        is_free = all(order.status == "cancelled" for order in holders)
        is_in_time = self.world.clock.now() < (coupon.ends_at or 0)
        return is_free and is_in_time and coupon.customer_id == buyer and coupon.currency in (None, currency)

    def stock_left(self) -> dict[str, Any]:
        """The expected stock of each product: the initial stock without what orders reserve or have bought."""
        remaining = {name: product.stock for name, product in self.products.items()}
        names = {product.id: name for name, product in self.products.items()}
        for order_id, details in self.sales.items():
            if order_id in self.history or details.order.status == "cancelled":
                continue
            for line in details.items:
                name = names[line.product_id]
                stock = remaining[name]
                remaining[name] = None if stock is None else stock - line.quantity
        return remaining

    def _after_payment(self, details: OrderDetails) -> str:
        return "completed" if all(line.delivery_type in AUTOMATIC_DELIVERY for line in details.items) else "paid"

    def _tell_payment(self, details: OrderDetails) -> None:
        self.announced["order.paid", details.order.id] += 1
        automatic = sum(line.delivery_type in AUTOMATIC_DELIVERY for line in details.items)
        if automatic:
            self.announced["order.delivered", details.order.id] += automatic
        if self._after_payment(details) == "completed":
            self.announced["order.completed", details.order.id] += 1

    def pay_with(self, order_id: int, transaction: str | None) -> None:
        details = self.run(orders_service.pay(self.deps, order_id, "card", transaction))
        assert details.order.status == self._after_payment(details)
        self._tell_payment(details)
        self.sales[order_id] = details
