"""The demo store at work: sign-ups, orders, payments and what follows, through the store's own operations."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import suppress
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from lootkeep.deps import Deps
from lootkeep.domain import coupons as coupons_rules
from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.orders import AUTOMATIC_DELIVERY, OrderDetails
from lootkeep.domain.products import Product
from lootkeep.domain.sign_up import SignedUp
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND, Instant, ManualClock
from lootkeep.kernel.errors import AppError, Conflict, Unprocessable
from lootkeep.kernel.money import Hundredths
from lootkeep.services import customers as customers_service, orders as orders_service, tiers as tiers_service
from lootkeep.storage.engine.database import JoinedDatabase, Transaction
from lootkeep.toolbox.demo_store.agenda import Agenda, ScheduledAction
from lootkeep.toolbox.demo_store.catalogue import Catalogue
from lootkeep.toolbox.demo_store.people import DemoCustomer, People, form, players

Basket = list[tuple[Product, int]]

# Events are stored for this long, so earlier orders are imported as history, which sends no events.
RECENT = 30 * DAY

METHODS = ("card", "card", "card", "paypal", "paypal", "apple_pay", "bank_transfer", "crypto")
_REMEMBERED = 60
_REASONS = ("bought by mistake", "the key did not work", "changed my mind", None)

# The tax of games in some countries, in per cent.
_RATES = {"DE": 19, "ES": 21, "FR": 20, "GB": 20, "GR": 24, "PL": 23}


class Shop:
    """One store over its year."""

    def __init__(self, deps: Deps, clock: ManualClock, rng: Random, end: Instant) -> None:
        self.deps = deps
        self.clock = clock
        self.rng = rng
        self.agenda = Agenda(clock, end)
        self.catalogue = Catalogue(deps, rng)
        self.make = People(rng)
        # Its own: who finds a coupon decides nothing else.
        self._luck = Random(0)  # noqa: S311  made-up data
        self.people: list[DemoCustomer] = []
        self.orders_placed = 0
        # The latest paid orders with their buyers: tickets are about these.
        self.bought: deque[tuple[DemoCustomer, OrderDetails, Instant]] = deque(maxlen=_REMEMBERED)
        # The referrer of each referral: a customer with many referrals is drawn often, and so gets more.
        self._referrers: list[int] = []
        self._brought: Counter[int] = Counter()
        # Its buyer disputes it, as the provider reports.
        self.disputed_order_id: int | None = None
        # The provider reports their payments.
        self.unpaid: list[OrderDetails] = []
        # What the game servers do with their queues.
        self.run_commands: ScheduledAction | None = None
        self._tx: Transaction | None = None
        self._base = deps

    def join(self, tx: Transaction) -> None:
        """From here on every operation is part of this transaction."""
        self._tx = tx
        self.deps = replace(self._base, db=JoinedDatabase(tx))

    @property
    def is_recent(self) -> bool:
        return self.clock.now() > self.agenda.end - RECENT

    def between(self, shortest: int, longest: int) -> int:
        """A random duration."""
        return self.rng.randrange(shortest, longest)

    # Signing up

    async def sign_up(
        self, person: DemoCustomer, code: str | None = None, *, accepts_marketing: bool = False
    ) -> SignedUp:
        assert self._tx is not None
        filled = form(person, code, accepts_marketing=accepts_marketing)
        signed_up = await customers_service.sign_up_in(self.deps, self._tx, filled)
        person.id, person.code = signed_up.customer.id, signed_up.customer.referral_code
        person.coupon = signed_up.welcome_coupon
        return signed_up

    async def arrive(self, person: DemoCustomer) -> None:
        """An ordinary customer registers, referred by another or not."""
        referrer = self._referrer() if self.rng.random() < 0.35 else None
        code = None if referrer is None else self.people[referrer].code
        signed_up = await self.sign_up(person, code, accepts_marketing=self.rng.random() < 0.6)
        if referrer is not None and signed_up.referrer and not signed_up.rejection:
            person.referrer = referrer
            self._referrers.append(referrer)
        self.people.append(person)

    def _referrer(self) -> int | None:
        if not self.people:
            return None
        if self._referrers and self.rng.random() < 0.55:
            return self.rng.choice(self._referrers)
        return self.rng.randrange(len(self.people))

    # Ordering

    def basket(self) -> Basket:
        lines = self.rng.choices((1, 2, 3), (70, 22, 8))[0]
        chosen = {
            product.id: product
            for product in self.rng.choices(self.catalogue.products, self.catalogue.weights, k=lines)
        }
        few = {"Currency": (1, 1, 1, 2, 3, 5)}
        return [(item, self.rng.choice(few.get(item.category or "", (1,)))) for item in chosen.values()]

    async def buy(self, person: DemoCustomer) -> None:
        """An ordinary order, and what follows from it."""
        basket = self.basket()
        is_live = self.is_recent or any(product.delivery_type == "gift_card" for product, _ in basket)
        is_abandoned = self.rng.random() < 0.05
        sale = self._sale(person, basket)
        if not is_live and not is_abandoned:
            self._paid(person, await self._place_past(person, basket, **sale))
            return
        details = await self.place(person, basket, **sale)
        if details.order.status != "pending":
            return
        if is_abandoned:
            self.agenda.add(self.between(HOUR, 30 * HOUR), partial(self.cancel, details.order.id))
        else:
            self.agenda.add(self.between(20 * SECOND, 9 * MINUTE), partial(self.pay, person, details.order.id))

    async def place(self, person: DemoCustomer, basket: Basket, **other: Any) -> OrderDetails:
        """Placed now: judged, announced, and waiting for its payment."""
        assert self._tx is not None
        if any(product.commands != "[]" for product, _ in basket):
            await customers_service.change(self.deps, person.id, {"identities": players(person)})
        details, _ = await orders_service.place_in(self.deps, self._tx, self._cart(person, basket, **other))
        self.orders_placed += 1
        return details

    async def _place_past(self, person: DemoCustomer, basket: Basket, **other: Any) -> OrderDetails:
        """Placed, paid and delivered at once, like imported history, with the clock at its end."""
        created = self.clock.now()
        paid = Instant(created + self.between(20 * SECOND, 9 * MINUTE))
        is_automatic = all(product.delivery_type in AUTOMATIC_DELIVERY for product, _ in basket)
        completed = None if is_automatic else Instant(paid + self.between(SECOND, 40 * MINUTE))
        times = {"created_at": created, "paid_at": paid, "completed_at": completed}
        cart = self._cart(person, basket, payment_method=self.rng.choice(METHODS), **times, **other)
        end = completed or paid
        self.clock.advance(end - created)
        assert self._tx is not None
        (placed,) = await orders_service.import_history(self.deps, self._tx, [cart])
        self.clock.advance(created - end)
        if isinstance(placed, AppError):
            raise placed
        self.orders_placed += 1
        return placed[0]

    def _sale(self, person: DemoCustomer, basket: Basket) -> dict[str, str]:
        """A coupon of the store that is good for the basket, as one in eight buyers finds."""
        # An hour more: the order may be placed, and paid, a little later.
        now, subtotal = self.clock.now() + HOUR, sum(product.price * quantity for product, quantity in basket)
        codes = [
            sale.code
            for sale in self.catalogue.sales
            if coupons_rules.state(sale, Instant(now)) == coupons_rules.state(sale, self.clock.now()) == "active"
            and any(coupons_rules.matches(sale, it) and it.delivery_type != "gift_card" for it, _ in basket)
            and subtotal >= (sale.min_total or 0)
        ]
        is_used = self._luck.random() < 0.125 and codes and person.coupon is None
        return {"coupon_code": self._luck.choice(codes)} if is_used else {}

    def _cart(self, person: DemoCustomer, basket: Basket, **other: Any) -> Cart:
        fields: dict[str, Any] = {
            "ip_address": person.ip_address,
            "billing_country": person.country,
            "user_agent": person.user_agent,
            "device_id": person.device_id,
        }
        # Gift cards are not discounted: the coupon waits for an order with something else.
        if person.coupon and any(product.delivery_type != "gift_card" for product, _ in basket):
            if self.clock.now() < (person.coupon.ends_at or 0) - HOUR:
                fields["coupon_code"] = person.coupon.code
            person.coupon = None
        lines = tuple(CartLine(product.id, quantity) for product, quantity in basket)
        fields |= other
        # With a coupon its total is not known here.
        tax = {} if "coupon_code" in fields else _tax(person.country, basket)
        return Cart(customer_id=person.id, lines=lines, **fields, **tax)

    # What follows

    async def pay(self, person: DemoCustomer, order_id: int) -> None:
        transaction_id = f"tx_{self.rng.getrandbits(48):012x}"
        try:
            details = await orders_service.pay(self.deps, order_id, self.rng.choice(METHODS), transaction_id)
        except Conflict:
            # A reviewer has cancelled it meanwhile.
            return
        if details.order.status == "paid":
            self.deliver(details)
        self._paid(person, details)

    def deliver(self, details: OrderDetails) -> None:
        """By hand, which takes days, or by the game servers, once there are some."""
        is_by_hand = any(line.delivery_type == "manual" for line in details.items)
        if is_by_hand or self.run_commands is None:
            wait = self.between(DAY, 8 * DAY) if is_by_hand else self.between(SECOND, 40 * MINUTE)
            self.agenda.add(wait, partial(self.fulfill, details.order.id))
        else:
            self.agenda.add(self.between(SECOND, 40 * SECOND), self.run_commands)

    async def fulfill(self, order_id: int) -> None:
        # Manual delivery takes so long that the order may be refunded first.
        with suppress(Conflict):
            await orders_service.fulfill(self.deps, order_id, None, None)

    async def cancel(self, order_id: int) -> None:
        # A reviewer may have cancelled it.
        with suppress(Conflict):
            await orders_service.cancel(self.deps, order_id, "never paid")

    def _paid(self, person: DemoCustomer, details: OrderDetails) -> None:
        person.orders += 1
        self.bought.append((person, details, self.clock.now()))
        if person.orders == 1 and person.referrer is not None:
            self._count_referral(person.referrer)
        if self.rng.random() < 0.035 and details.order.total:
            self.agenda.add(self.between(2 * HOUR, 9 * DAY), partial(self._refund, details))

    async def _refund(self, details: OrderDetails) -> None:
        is_partial = self.rng.random() < 0.3 and details.order.total > 1_00
        amount = Hundredths(details.order.total // 2) if is_partial else None
        await orders_service.refund(self.deps, details.order.id, amount, self.rng.choice(_REASONS))

    def _count_referral(self, referrer: int) -> None:
        self._brought[referrer] += 1
        for required, tier_id in self.catalogue.tiers:
            if self._brought[referrer] >= required and self.rng.random() < 0.5:
                self.agenda.add(self.between(HOUR, 4 * DAY), partial(self._claim, self.people[referrer], tier_id))

    async def _claim(self, person: DemoCustomer, tier_id: int) -> None:
        try:
            _, coupon, is_new = await tiers_service.claim(self.deps, person.id, tier_id)
        except Unprocessable:
            # A refund has revoked a referral.
            return
        if is_new:
            person.coupon = coupon


def _tax(country: str, basket: Basket) -> dict[str, Any]:
    """What the checkout reports; it is part of the prices, and gift cards are taxed when they are spent."""
    rate = _RATES.get(country)
    if rate is None:
        return {}
    total = sum(product.price * quantity for product, quantity in basket if product.delivery_type != "gift_card")
    return {"tax_total": Hundredths(total * rate // (100 + rate)), "tax_rate": str(rate), "tax_country": country}
