"""Any sequence of deeds: whatever customers and staff do, every kept total equals what the raw rows add up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.coupons import Coupon
from lootkeep.domain.customers import Customer
from lootkeep.domain.gift_cards import GiftCardTerms
from lootkeep.domain.orders import ALLOWED, AUTOMATIC_DELIVERY, STANDING, Sale
from lootkeep.domain.products import Product, ProductTerms
from lootkeep.domain.referrals import SETTINGS, ReferralSettings, TierTerms
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.clock import DAY, HOUR, Instant
from lootkeep.kernel.errors import Conflict, InvalidFields, NotFound, Reason, Unprocessable
from lootkeep.kernel.money import Hundredths
from lootkeep.services import checkout
from lootkeep.services import customers as customer_services
from lootkeep.services import gift_cards as card_services
from lootkeep.services import orders as services
from lootkeep.services import products as product_services
from lootkeep.services import referrals as referral_services
from lootkeep.services import tiers as tier_services
from lootkeep.storage import settings as stored_settings
from lootkeep.storage.tables import (
    coupons,
    gift_cards,
    orders,
    products,
    referral_tiers,
    refunds,
    reward_claims,
)
from tests.recount import kept, outbox, recounted, rows, taken
from tests.services.machines import TIME_TO_SHRINK, Home, on_postgresql, on_sqlite, play

R = TypeVar("R")

# Scarce and slow, cheap and automatic, free, and in another currency: every way an order can go.
CATALOGUE: dict[str, dict[str, Any]] = {
    "rank": {"price": 20_00, "stock": 6},
    "key": {"price": 5, "delivery_type": "keys", "stock": 50},
    "gift": {"price": 0, "stock": 4},
    "import": {"price": 10_00, "currency": "EUR", "delivery_type": "file"},
    "card": {"price": 15_00, "delivery_type": "gift_card"},
}
PLAIN = ProductTerms(
    name="",
    sku=None,
    description=None,
    delivery_type="manual",
    billing_type="one_time",
    billing_interval=None,
    billing_interval_count=None,
    status="active",
    price=Hundredths(0),
    compare_at_price=None,
    currency="USD",
    stock=None,
    max_per_order=None,
    category=None,
    tags="[]",
    image_url=None,
    metadata="{}",
)
TIER = TierTerms(
    name="Tier",
    description=None,
    referrals_required=1,
    reward_type="percentage_discount",
    reward_value=Hundredths(12_50),
    reward_currency=None,
    coupon_validity_days=30,
    is_active=True,
    sort_order=0,
)
REWARDS: tuple[dict[str, Any], ...] = (
    {},
    {"reward_value": Hundredths(100_00)},
    {"reward_type": "fixed_discount", "reward_value": Hundredths(5_00)},
    {"reward_type": "fixed_discount", "reward_value": Hundredths(5_00), "reward_currency": "EUR"},
)

# Numbers of tiers, of which some are not there yet or not any more.
tiers = st.integers(1, 3)
carts = st.lists(st.tuples(st.sampled_from(sorted(CATALOGUE)), st.integers(1, 3)), min_size=1, max_size=2)


class Store(RuleBasedStateMachine):
    """Customers, orders and rewards; beside it a small model of what each deed must come to."""

    people: Bundle[Customer] = Bundle("people")
    placed: Bundle[int] = Bundle("placed")

    home: Home

    def __init__(self) -> None:
        super().__init__()
        self.world = self.home.move_in()
        self.deps = self.world.deps
        self.numbers = count(1)
        self.products: dict[str, Product] = {}
        # The model: orders as they should be now, those that came as history, and the events that should be there.
        self.sales: dict[int, Sale] = {}
        self.history: set[int] = set()
        self.told: Counter[tuple[str, int]] = Counter()
        self.coupons: list[Coupon] = []
        # Cards that can pay, by id: their codes and what should be on them; and which order was paid with which.
        self.codes: dict[int, str] = {}
        self.balances: dict[int, int] = {}
        self.revoked: set[int] = set()
        self.paid_with: dict[int, int] = {}
        self.referrers: list[int] = []

    def teardown(self) -> None:
        self.home.move_out(self.world)

    def run(self, deed: Coroutine[Any, Any, R]) -> R:
        return self.home.run(deed)

    def refusal(self, deed: Coroutine[Any, Any, Any]) -> Reason:
        """The reason with which the deed is refused, as it must be."""
        try:
            self.run(deed)
        except Reason as reason:
            return reason
        raise AssertionError("This must be refused.")

    # --- the store

    @initialize(target=people, event=st.sampled_from(["signup", "first_purchase"]))
    def open_the_store(self, event: str) -> Any:
        """A catalogue, a tier within reach, welcome coupons, and a customer who brought another, who has bought."""
        for name, fields in CATALOGUE.items():
            terms = msgspec.structs.replace(PLAIN, name=name, **fields)
            self.products[name] = self.run(product_services.create(self.deps, terms))
        self.run(tier_services.create_tier(self.deps, TIER))
        changes = {"referral_reward_event": event, "referral_welcome_discount_enabled": True}
        self.run(referral_services.change_settings(self.deps, changes))
        first = self._sign_up(SignUp("first@first.example", "First"))
        second = self._sign_up(SignUp("second@second.example", "Second", referral_code=first.referral_code))
        self._place(second.id, [("rank", 1)], None, is_paid=True)
        return multiple(first, second)

    @rule(time=st.sampled_from([HOUR, DAY, 30 * DAY]))
    def wait(self, time: int) -> None:
        self.world.clock.advance(time)

    @rule(
        changes=st.fixed_dictionaries(
            {},
            optional={
                "referral_reward_event": st.sampled_from(["signup", "first_purchase"]),
                "referral_enabled": st.sampled_from([True, True, False]),
                "referral_welcome_discount_enabled": st.sampled_from([True, True, False]),
                "referral_welcome_discount_type": st.sampled_from(["percentage", "fixed"]),
                "referral_welcome_discount_value": st.sampled_from([1, 33_33, 100_00]),
            },
        )
    )
    def change_the_program(self, changes: dict[str, Any]) -> None:
        self.run(referral_services.change_settings(self.deps, changes))

    @rule(required=st.integers(1, 2), reward=st.sampled_from(REWARDS))
    def add_a_tier(self, required: int, reward: dict[str, Any]) -> None:
        terms = msgspec.structs.replace(TIER, referrals_required=required, **reward)
        self.run(tier_services.create_tier(self.deps, terms))

    @rule(tier=tiers, is_toggled=st.booleans())
    def withdraw_a_tier(self, tier: int, is_toggled: bool) -> None:
        deed = tier_services.toggle_tier if is_toggled else tier_services.delete_tier
        with suppress(NotFound):
            self.run(deed(self.deps, tier))

    # --- customers

    @rule(target=people, ago=st.sampled_from([None, DAY]))
    def sign_up(self, ago: int | None) -> Customer:
        number = next(self.numbers)
        created_at = None if ago is None else Instant(self.world.clock.now() - ago)
        return self._sign_up(SignUp(f"p{number}@m{number}.example", "P", created_at=created_at))

    @rule(
        target=people,
        friend=people,
        device=st.sampled_from([None, None, "phone"]),
        is_themselves=st.sampled_from([False, False, True]),
    )
    def sign_up_with_a_code(self, friend: Customer, device: str | None, is_themselves: bool) -> Customer:
        number = next(self.numbers)
        name, _, domain = friend.email.partition("@")
        email = f"{name}+{number}@{domain}" if is_themselves else f"p{number}@m{number}.example"
        customer = self._sign_up(SignUp(email, "P", device_id=device, referral_code=friend.referral_code))
        assert customer.referred_by_id in (None, friend.id)
        assert not (is_themselves and customer.referred_by_id)
        return customer

    def _sign_up(self, form: SignUp) -> Customer:
        signed_up = self.run(customer_services.sign_up(self.deps, form))
        if signed_up.welcome_coupon:
            self.coupons.append(signed_up.welcome_coupon)
        if signed_up.customer.referred_by_id:
            self.referrers.append(signed_up.customer.referred_by_id)
        return signed_up.customer

    @rule(friend=people)
    def sign_up_again(self, friend: Customer) -> None:
        form = SignUp(friend.email.upper(), "P", referral_code=friend.referral_code)
        assert isinstance(self.refusal(customer_services.sign_up(self.deps, form)), InvalidFields)

    @rule(who=st.none() | people, tier=tiers)
    def claim(self, who: Customer | None, tier: int) -> None:
        """By anyone, or by the one who last brought somebody."""
        customer_id = who.id if who else self.referrers[-1]
        deed = tier_services.claim(self.deps, customer_id, tier)
        is_claimed, can_be_claimed = self.run(self._prospect(customer_id, tier))
        if not (is_claimed or can_be_claimed):
            assert isinstance(self.refusal(deed), NotFound | Unprocessable)
            return
        _, coupon, is_new = self.run(deed)
        assert is_new == (not is_claimed)
        assert coupon.customer_id == customer_id
        if is_new:
            self.coupons.append(coupon)

    async def _prospect(self, customer_id: int, tier_id: int) -> tuple[bool, bool]:
        """Whether the customer has claimed the tier before, and whether the rows say that they may."""
        db = self.world.db
        claims = [(row["customer_id"], row["tier_id"]) for row in await rows(db, reward_claims)]
        found = [row for row in await rows(db, referral_tiers) if row["id"] == tier_id and row["is_active"]]
        total, successful, *_ = (await recounted(db))["referrers"].get(customer_id, (0, 0))
        async with db.read() as tx:
            program = await stored_settings.get(tx, SETTINGS, ReferralSettings)
        counted = total if program.referral_reward_event == "signup" else successful
        return (customer_id, tier_id) in claims, any(counted >= row["referrals_required"] for row in found)

    # --- orders

    @rule(target=placed, who=people, cart=carts, is_paid=st.booleans())
    def order(self, who: Customer, cart: list[tuple[str, int]], is_paid: bool) -> Any:
        return self._place(who.id, cart, None, is_paid)

    @precondition(lambda self: self.coupons)
    @rule(
        target=placed,
        stranger=st.none() | st.none() | people,
        cart=carts,
        age=st.integers(0, 5),
        is_paid=st.booleans(),
    )
    def order_with_a_coupon(
        self, stranger: Customer | None, cart: list[tuple[str, int]], age: int, is_paid: bool
    ) -> Any:
        """One of the newest coupons, mostly in its owner's hands."""
        coupon = self.coupons[-1 - age % len(self.coupons)]
        return self._place(stranger.id if stranger else coupon.customer_id, cart, coupon, is_paid)

    @rule(balance=st.sampled_from([1, 7_00, 100_00]), currency=st.sampled_from(["USD", "USD", "EUR"]))
    def make_a_gift_card(self, balance: int, currency: str) -> None:
        terms = GiftCardTerms(Hundredths(balance), currency, None, None, None, None, None, None, None, None, None)
        card, code = self.run(card_services.create(self.deps, terms, None))
        self.codes[card.id] = code
        self.balances[card.id] = balance

    @precondition(lambda self: self.codes)
    @rule(target=placed, who=people, cart=carts, age=st.integers(0, 3), is_paid=st.booleans())
    def order_with_a_gift_card(self, who: Customer, cart: list[tuple[str, int]], age: int, is_paid: bool) -> Any:
        """One of the newest cards, whatever is left on it."""
        card_id = sorted(self.codes)[-1 - age % len(self.codes)]
        return self._place(who.id, cart, None, is_paid, card_id)

    @precondition(lambda self: self.codes)
    @rule(age=st.integers(0, 3))
    def revoke_a_gift_card(self, age: int) -> None:
        card_id = sorted(self.codes)[-1 - age % len(self.codes)]
        self.run(card_services.revoke(self.deps, card_id, None))
        self.balances[card_id] = 0
        self.revoked.add(card_id)

    @rule(target=placed, who=people, cart=carts, age=st.integers(1, 5), is_delivered=st.booleans())
    def bring_an_order_of_the_past(
        self, who: Customer, cart: list[tuple[str, int]], age: int, is_delivered: bool
    ) -> Any:
        created_at = Instant(self.world.clock.now() - age * DAY)
        paid_at = Instant(created_at + HOUR)
        if len({self.products[name].currency for name, _ in cart}) > 1:
            return multiple()
        form = msgspec.structs.replace(
            self._cart(who.id, cart, None),
            created_at=created_at,
            paid_at=paid_at,
            completed_at=Instant(paid_at + HOUR) if is_delivered else None,
        )
        sale, is_new = self.run(checkout.place(self.deps, form))
        assert is_new
        assert sale.order.status in ("paid", "completed")
        self.sales[sale.order.id] = sale
        self.history.add(sale.order.id)
        return sale.order.id

    def _cart(self, customer_id: int, cart: list[tuple[str, int]], coupon: Coupon | None) -> Cart:
        lines = tuple(CartLine(self.products[name].id, quantity) for name, quantity in cart)
        return Cart(customer_id, lines, "203.0.113.9", coupon_code=coupon.code if coupon else None)

    def _place(
        self, buyer: int, cart: list[tuple[str, int]], coupon: Coupon | None, is_paid: bool, card_id: int | None = None
    ) -> Any:
        form = msgspec.structs.replace(
            self._cart(buyer, cart, coupon), gift_card_code=None if card_id is None else self.codes[card_id]
        )
        deed = checkout.place(self.deps, form)
        if not self._can_be_placed(buyer, cart, coupon) or not self._can_pay(card_id, cart):
            assert isinstance(self.refusal(deed), InvalidFields)
            return multiple()
        sale, is_new = self.run(deed)
        assert is_new
        self.sales[sale.order.id] = sale
        self.told["order.created", sale.order.id] += 1
        self._take(card_id, sale)
        assert sale.order.status == ("pending" if sale.order.amount_due else self._after_payment(sale))
        if sale.order.amount_due == 0:
            self._tell_payment(sale)
        elif is_paid:
            self._pay(sale.order.id, "a")
        return sale.order.id

    def _can_pay(self, card_id: int | None, cart: list[tuple[str, int]]) -> bool:
        if card_id is None:
            return True
        currency = "EUR" if self.run(self._stored_card(card_id))["currency"] == "EUR" else "USD"
        return self.balances[card_id] > 0 and all(self.products[name].currency == currency for name, _ in cart)

    async def _stored_card(self, card_id: int) -> dict[str, Any]:
        return next(row for row in await rows(self.world.db, gift_cards) if row["id"] == card_id)

    def _take(self, card_id: int | None, sale: Sale) -> None:
        """A card pays as much as it holds."""
        taken = 0 if card_id is None else min(self.balances[card_id], sale.order.total)
        assert sale.order.gift_card_total == taken
        if card_id is not None and taken:
            self.balances[card_id] -= taken
            self.paid_with[sale.order.id] = card_id

    def _put_back(self, order_id: int, amount: int) -> int:
        """What goes back on the card: nothing when it was revoked."""
        card_id = self.paid_with.get(order_id)
        if card_id is None or card_id in self.revoked:
            return 0
        self.balances[card_id] += amount
        return amount

    def _can_be_placed(self, buyer: int, cart: list[tuple[str, int]], coupon: Coupon | None) -> bool:
        wanted: Counter[str] = Counter()
        for name, quantity in cart:
            wanted[name] += quantity
        currencies = {self.products[name].currency for name in wanted}
        in_stock = self._stock()
        is_there = all(in_stock[name] is None or wanted[name] <= in_stock[name] for name in wanted)
        return len(currencies) == 1 and is_there and self._is_good(coupon, buyer, currencies.pop())

    def _is_good(self, coupon: Coupon | None, buyer: int, currency: str) -> bool:
        if coupon is None:
            return True
        holders = [sale.order for sale in self.sales.values() if sale.order.coupon_id == coupon.id]
        is_free = all(order.status == "cancelled" for order in holders)
        is_in_time = self.world.clock.now() < coupon.expires_at
        return is_free and is_in_time and coupon.customer_id == buyer and coupon.currency in (None, currency)

    def _stock(self) -> dict[str, Any]:
        """What should be left of each product: all that there was, but for what orders hold or have bought."""
        left = {name: product.stock for name, product in self.products.items()}
        names = {product.id: name for name, product in self.products.items()}
        for order_id, sale in self.sales.items():
            if order_id in self.history or sale.order.status == "cancelled":
                continue
            for line in sale.items:
                name = names[line.product_id]
                stock = left[name]
                left[name] = None if stock is None else stock - line.quantity
        return left

    def _after_payment(self, sale: Sale) -> str:
        return "completed" if all(line.delivery_type in AUTOMATIC_DELIVERY for line in sale.items) else "paid"

    def _tell_payment(self, sale: Sale) -> None:
        self.told["order.paid", sale.order.id] += 1
        if self._after_payment(sale) == "completed":
            self.told["order.completed", sale.order.id] += 1

    # --- the steps of an order

    @rule(order_id=placed, transaction=st.sampled_from([None, "a", "b"]))
    def pay(self, order_id: int, transaction: str | None) -> None:
        before = self.sales[order_id].order
        if before.status in ALLOWED["pay"]:
            self._pay(order_id, transaction)
            return
        deed = services.pay(self.deps, order_id, "card", transaction)
        if transaction and before.transaction_id == transaction:
            assert self.run(deed).order == before
        else:
            assert isinstance(self.refusal(deed), Conflict)

    def _pay(self, order_id: int, transaction: str | None) -> None:
        sale = self.run(services.pay(self.deps, order_id, "card", transaction))
        assert sale.order.status == self._after_payment(sale)
        self._tell_payment(sale)
        self.sales[order_id] = sale

    @rule(order_id=st.none() | placed, asked=st.sampled_from([None, None, 1, 5_00, 1000_00]))
    def refund(self, order_id: int | None, asked: int | None) -> None:
        """Any order, or the newest."""
        order_id = order_id or max(self.sales)
        before = self.sales[order_id].order
        amount = None if asked is None else Hundredths(asked)
        deed = services.refund(self.deps, order_id, amount, None)
        if before.status not in ALLOWED["refund"]:
            assert isinstance(self.refusal(deed), Conflict)
        elif before.refundable == 0:
            assert isinstance(self.refusal(deed), Unprocessable)
        elif asked is not None and asked > before.refundable:
            assert isinstance(self.refusal(deed), InvalidFields)
        else:
            sale, given, way = self.run(deed)
            money_left = max(0, before.amount_due - before.refunded_total)
            assert way.payment == min(given.amount, money_left)
            assert way.gift_card == self._put_back(order_id, given.amount - way.payment)
            assert way.payment + way.gift_card + way.unreturned == given.amount
            assert given.amount == (before.refundable if asked is None else asked)
            is_full = given.amount == before.refundable
            assert sale.order.status == ("refunded" if is_full else "partially_refunded")
            self.told["order.refunded", order_id] += 1
            self.sales[order_id] = sale

    @rule(order_id=placed)
    def cancel(self, order_id: int) -> None:
        deed = services.cancel(self.deps, order_id, "changed their mind")
        if self.sales[order_id].order.status in ALLOWED["cancel"]:
            self.sales[order_id], unreturned = self.run(deed)
            held = self.sales[order_id].order.gift_card_total
            put_back = self._put_back(order_id, held)
            assert order_id not in self.paid_with or put_back + unreturned == held
        else:
            assert isinstance(self.refusal(deed), Conflict)

    # --- what must be true after each of them

    @invariant()
    def the_kept_totals_are_what_the_rows_add_up_to(self) -> None:
        assert self.run(kept(self.world.db)) == self.run(recounted(self.world.db))

    @invariant()
    def the_stored_orders_are_as_they_were_answered(self) -> None:
        stored = {row["id"]: row for row in self.run(rows(self.world.db, orders))}
        assert stored == {order_id: msgspec.structs.asdict(sale.order) for order_id, sale in self.sales.items()}

    @invariant()
    def the_stock_is_what_was_there_but_for_what_orders_took(self) -> None:
        names = {product.id: name for name, product in self.products.items()}
        stored = {names[row["id"]]: row["stock"] for row in self.run(rows(self.world.db, products))}
        assert stored == self._stock()
        held = self.run(taken(self.world.db, ignoring=self.history))
        for name, product in self.products.items():
            assert product.stock is None or stored[name] == product.stock - held[product.id]

    @invariant()
    def each_event_was_appended_exactly_once(self) -> None:
        told = Counter((kind, data["order_id"]) for kind, data in self.run(outbox(self.world.db)))
        assert told == self.told
        live = [sale.order for order_id, sale in self.sales.items() if order_id not in self.history]
        assert {order.id for order in live if order.paid_at is not None} == {
            order_id for kind, order_id in told if kind == "order.paid"
        }

    @invariant()
    def every_gift_card_holds_what_orders_left_on_it(self) -> None:
        """Those that were bought hold their price until their order is refunded in full; nobody uses them here."""
        live = {order_id: sale for order_id, sale in self.sales.items() if order_id not in self.history}
        bought: Counter[tuple[int, int]] = Counter()
        for row in self.run(rows(self.world.db, gift_cards)):
            if row["order_id"] is None:
                assert row["balance"] == self.balances[row["id"]]
            else:
                bought[row["order_id"], row["balance"]] += 1
        assert bought == Counter(
            {
                (order_id, 0 if sale.order.status == "refunded" else line.price): line.quantity
                for order_id, sale in live.items()
                if sale.order.paid_at is not None
                for line in _cards_of(sale)
            }
        )

    @invariant()
    def nothing_is_given_away_that_was_not_there(self) -> None:
        given: Counter[int] = Counter()
        for refund in self.run(rows(self.world.db, refunds)):
            given[refund["order_id"]] += refund["amount"]
        for row in self.run(rows(self.world.db, orders)):
            assert 0 <= given[row["id"]] <= row["total"] <= row["subtotal"]
            assert (row["status"] == "refunded") == (row["total"] > 0 and given[row["id"]] == row["total"])
            assert (row["status"] in (*STANDING, "refunded")) == (row["paid_at"] is not None)

    @invariant()
    def every_coupon_that_was_handed_out_is_there_and_no_other(self) -> None:
        stored = {row["code"] for row in self.run(rows(self.world.db, coupons))}
        assert stored == {coupon.code for coupon in self.coupons}


def _cards_of(sale: Sale) -> list[Any]:
    """The lines that buy cards, put together as one."""
    lines = [line for line in sale.items if line.delivery_type == "gift_card"]
    quantity = sum(line.quantity for line in lines)
    return [msgspec.structs.replace(lines[0], quantity=quantity)] if lines else []


@pytest.mark.timeout(TIME_TO_SHRINK)
def test_any_sequence_of_deeds_leaves_totals_that_agree_on_sqlite(sqlite_template: Path, tmp_path: Path) -> None:
    play(Store, on_sqlite(sqlite_template, tmp_path), examples=50)


@pytest.mark.timeout(TIME_TO_SHRINK)
def test_any_sequence_of_deeds_leaves_totals_that_agree_on_postgresql(postgres_url: str) -> None:
    play(Store, on_postgresql(postgres_url), examples=12)
