"""The rules by which orders are placed, paid with money, coupons and gift cards, refunded and cancelled."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import multiple, precondition, rule

from lootkeep.domain.customers import Customer
from lootkeep.domain.gift_cards import GiftCardTerms
from lootkeep.domain.orders import ALLOWED
from lootkeep.kernel.clock import DAY, HOUR, Instant
from lootkeep.kernel.errors import Conflict, InvalidFields, Unprocessable
from lootkeep.kernel.money import Hundredths
from lootkeep.services import gift_cards as gift_cards_service, orders as orders_service
from lootkeep.storage.schema import gift_cards
from tests.recount import rows
from tests.services.goods import CATALOGUE
from tests.services.store_model import StoreModel, people, placed

carts = st.lists(st.tuples(st.sampled_from(sorted(CATALOGUE)), st.integers(1, 3)), min_size=1, max_size=2)


class Ordering(StoreModel):
    """Orders and the cards that pay them."""

    @rule(target=placed, who=people, cart=carts, is_paid=st.booleans())
    def order(self, who: Customer, cart: list[tuple[str, int]], is_paid: bool) -> Any:
        return self.place(who.id, cart, None, is_paid)

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
        return self.place(stranger.id if stranger else coupon.customer_id or 0, cart, coupon, is_paid)

    @rule(balance=st.sampled_from([1, 7_00, 100_00]), currency=st.sampled_from(["USD", "USD", "EUR"]))
    def make_a_gift_card(self, balance: int, currency: str) -> None:
        terms = GiftCardTerms(Hundredths(balance), currency, None, None, None, None, None, None, None, None, None)
        card, code = self.run(gift_cards_service.create(self.deps, terms, None))
        self.codes[card.id] = code
        self.balances[card.id] = balance

    @precondition(lambda self: self.codes)
    @rule(target=placed, who=people, cart=carts, age=st.integers(0, 3), is_paid=st.booleans())
    def order_with_a_gift_card(self, who: Customer, cart: list[tuple[str, int]], age: int, is_paid: bool) -> Any:
        """One of the newest cards, whatever is left on it."""
        card_id = sorted(self.codes)[-1 - age % len(self.codes)]
        return self.place(who.id, cart, None, is_paid, card_id)

    @precondition(lambda self: self.codes)
    @rule(age=st.integers(0, 3))
    def revoke_a_gift_card(self, age: int) -> None:
        card_id = sorted(self.codes)[-1 - age % len(self.codes)]
        self.run(gift_cards_service.revoke(self.deps, card_id, None))
        self.balances[card_id] = 0
        self.revoked.add(card_id)

    @rule(age=st.integers(0, 3), amount=st.sampled_from([1, 10_00, 15_00]))
    def spend_a_card_that_was_bought(self, age: int, amount: int) -> None:
        bought = [row for row in self.run(rows(self.world.db, gift_cards)) if row["order_id"] is not None]
        if not bought:
            return
        card = bought[-1 - age % len(bought)]
        operation = gift_cards_service.redeem(self.deps, card["id"], Hundredths(amount), None, None)
        if amount > card["balance"]:
            assert isinstance(self.rejection(operation), (Conflict, InvalidFields))
        else:
            self.run(operation)
            self.spent[card["order_id"]] += amount

    @rule(target=placed, who=people, cart=carts, age=st.integers(1, 5), is_delivered=st.booleans())
    def bring_an_order_of_the_past(
        self, who: Customer, cart: list[tuple[str, int]], age: int, is_delivered: bool
    ) -> Any:
        created_at = Instant(self.world.clock.now() - age * DAY)
        paid_at = Instant(created_at + HOUR)
        if len({self.products[name].currency for name, _ in cart}) > 1:
            return multiple()
        form = msgspec.structs.replace(
            self.cart_for(who.id, cart, None),
            created_at=created_at,
            paid_at=paid_at,
            completed_at=Instant(paid_at + HOUR) if is_delivered else None,
        )
        details, is_new = self.run(orders_service.import_order(self.deps, form))
        assert is_new
        assert details.order.status in ("paid", "completed")
        self.sales[details.order.id] = details
        self.history.add(details.order.id)
        return details.order.id

    # --- the steps of an order

    @rule(order_id=placed, transaction=st.sampled_from([None, "a", "b"]))
    def pay(self, order_id: int, transaction: str | None) -> None:
        before = self.sales[order_id].order
        if before.status in ALLOWED["pay"]:
            self.pay_with(order_id, transaction)
            return
        operation = orders_service.pay(self.deps, order_id, "card", transaction)
        if transaction and before.transaction_id == transaction:
            assert self.run(operation).order == before
        else:
            assert isinstance(self.rejection(operation), Conflict)

    @rule(
        order_id=st.none() | placed, requested=st.sampled_from([None, None, 1, 5_00, 1000_00]), is_allowed=st.booleans()
    )
    def refund(self, order_id: int | None, requested: int | None, is_allowed: bool) -> None:
        """Any order, or the newest."""
        order_id = order_id or max(self.sales)
        before = self.sales[order_id].order
        amount = None if requested is None else Hundredths(requested)
        operation = orders_service.refund(self.deps, order_id, amount, None, allow_unrecovered=is_allowed)
        # What was spent of the cards bought in the order, unless it was refunded all the same, is not refunded.
        lost = self.spent[order_id] - self.unrecovered[order_id]
        unrecovered = max(0, (requested or before.refundable) - (before.refundable - lost))
        if before.status not in ALLOWED["refund"]:
            assert isinstance(self.rejection(operation), Conflict)
        elif before.refundable == 0:
            assert isinstance(self.rejection(operation), Unprocessable)
        elif requested is not None and requested > before.refundable:
            assert isinstance(self.rejection(operation), InvalidFields)
        elif unrecovered and not is_allowed:
            assert self.rejection(operation).code == "gift_cards_spent"
        else:
            details, given, split = self.run(operation)
            assert split.unrecovered == unrecovered
            self.unrecovered[order_id] += unrecovered
            self.taken_back[order_id] += min(given.amount, self.on_bought_cards(order_id))
            money_left = max(0, before.money_total - before.refunded_total)
            assert split.payment == min(given.amount, money_left)
            assert split.gift_card == self.put_back(order_id, given.amount - split.payment)
            assert split.payment + split.gift_card + split.unreturned == given.amount
            assert given.amount == (before.refundable if requested is None else requested)
            is_full = given.amount == before.refundable
            assert details.order.status == ("refunded" if is_full else "partially_refunded")
            self.announced["order.refunded", order_id] += 1
            self.sales[order_id] = details

    @rule(order_id=placed)
    def cancel(self, order_id: int) -> None:
        operation = orders_service.cancel(self.deps, order_id, "changed their mind")
        if self.sales[order_id].order.status in ALLOWED["cancel"]:
            self.sales[order_id], unreturned = self.run(operation)
            self.announced["order.cancelled", order_id] += 1
            card_amount = self.sales[order_id].order.gift_card_total
            put_back = self.put_back(order_id, card_amount)
            assert order_id not in self.paid_with or put_back + unreturned == card_amount
        else:
            assert isinstance(self.rejection(operation), Conflict)
