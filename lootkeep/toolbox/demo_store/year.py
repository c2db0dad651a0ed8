"""The year: the number of orders per day, their hours, and who places them."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from lootkeep.domain.orders import OrderDetails
from lootkeep.domain.subscriptions import Subscription
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND, Instant, utc
from lootkeep.services import (
    fraud as fraud_service,
    products as products_service,
    subscriptions as subscriptions_service,
)
from lootkeep.toolbox.demo_store.shop import Shop

DAYS = 365

# Few at night, most in the evening.
_HOURS = (2, 1, 1, 1, 1, 1, 2, 3, 4, 5, 5, 6, 7, 7, 7, 8, 9, 11, 13, 15, 16, 14, 9, 5)
# Sales: month and day of the start, number of days, factor of orders.
_SALES = ((6, 20, 10, 1.7), (11, 24, 5, 2.4), (12, 20, 7, 1.9), (3, 14, 4, 1.5))


class Year:
    """Spreads orders over the days. Each day plans itself when it comes."""

    def __init__(self, shop: Shop, start: Instant, orders: int) -> None:
        self._shop = shop
        self._start = start
        weights = [_weight(utc(Instant(start + day * DAY)), day) for day in range(DAYS)]
        self._counts = _spread_over_year(orders, weights)
        # By the id of the subscription: those that will be renewed.
        self._renewing: dict[int, Subscription] = {}

    def begin(self) -> None:
        for day in range(DAYS):
            self._shop.agenda.add(day * DAY, partial(self._plan, self._counts[day]))
        self._shop.agenda.add(DAYS * DAY - 5 * HOUR, self._order_by_hand)
        self._shop.agenda.add(DAYS * DAY - 6 * DAY, self._lose_subscribers)
        self._shop.agenda.add(DAYS // 2 * DAY, self._change_policy)
        self._shop.agenda.add(DAYS * 3 // 4 * DAY, self._change_prices)

    async def _plan(self, count: int) -> None:
        shop = self._shop
        for _ in range(count):
            hour = shop.rng.choices(range(24), _HOURS)[0]
            shop.agenda.add(hour * HOUR + shop.between(0, HOUR), self._order)
            if shop.rng.random() < 0.12:
                shop.agenda.add(shop.between(0, DAY), self._look_around)

    async def _order(self) -> None:
        """By a new customer, who registers a while before, or by a returning one."""
        shop = self._shop
        if not shop.people or shop.rng.random() < 0.4:
            person = shop.make.new()
            await shop.arrive(person)
            shop.agenda.add(shop.between(3 * MINUTE, 40 * HOUR), partial(shop.buy, person))
            if shop.rng.random() < 0.05:
                shop.agenda.add(shop.between(DAY, 5 * DAY), partial(self._subscribe, person.id))
            return
        # The smaller of two draws: early customers come most often.
        index = min(shop.rng.randrange(len(shop.people)), shop.rng.randrange(len(shop.people)))
        await shop.buy(shop.people[index])

    async def _look_around(self) -> None:
        """Not everyone who registers buys."""
        await self._shop.arrive(self._shop.make.new())

    async def _order_by_hand(self) -> None:
        """A product that is paid and not delivered yet."""
        shop = self._shop
        banner = next(product for product in shop.catalogue.products if product.delivery_type == "manual")
        person = shop.people[0]
        details = await shop.place(person, [(banner, 1)])
        if details.order.status == "pending":
            shop.agenda.add(MINUTE, partial(shop.pay, person, details.order.id))

    async def _subscribe(self, customer_id: int) -> None:
        shop = self._shop
        shop.orders_placed += 1
        self._await_period(*await subscriptions_service.create(shop.deps, customer_id, shop.catalogue.subscription_id))

    def _await_period(self, subscription: Subscription, details: OrderDetails) -> None:
        self._shop.agenda.add(self._shop.between(SECOND, HOUR), partial(self._shop.fulfill, details.order.id))
        self._renewing[subscription.id] = subscription
        due = subscription.current_period_end - self._shop.clock.now()
        self._shop.agenda.add(due - self._shop.between(HOUR, DAY), partial(self._renew, subscription))

    async def _lose_subscribers(self) -> None:
        """In the last days two cards are declined, so they are past due, and two subscribers leave."""
        next_ones = sorted(self._renewing.values(), key=lambda subscription: subscription.current_period_end)
        for subscription in next_ones[:2] + next_ones[-2:]:
            # A small store may have fewer than four.
            self._renewing.pop(subscription.id, None)
        for subscription in next_ones[-2:]:
            reason = "plays on another server now"
            await subscriptions_service.cancel(self._shop.deps, subscription.id, at_period_end=True, reason=reason)

    async def _renew(self, subscription: Subscription) -> None:
        shop = self._shop
        if self._renewing.pop(subscription.id, None) is None:
            return
        if shop.rng.random() < 0.12:
            at_end = shop.rng.random() < 0.7
            reason = shop.rng.choice(("too expensive", "no time to play", None))
            await subscriptions_service.cancel(shop.deps, subscription.id, at_period_end=at_end, reason=reason)
            return
        shop.orders_placed += 1
        self._await_period(*await subscriptions_service.renew(shop.deps, subscription.id))

    async def _change_policy(self) -> None:
        """After half a year the store has staff to review orders, and no longer blocks doubtful ones."""
        await fraud_service.change_settings(self._shop.deps, {"fraud_action": "verify", "fraud_review_due_hours": 48})

    async def _change_prices(self) -> None:
        product = self._shop.catalogue.products[0]
        changes = {"price": product.price - 10_00, "compare_at_price": product.price}
        await products_service.change(self._shop.deps, product.id, changes)


def _weight(moment: datetime, day: int) -> float:
    """The store grows over the year; weekends, sales and December are busy."""
    weight = 0.6 + 0.8 * day / DAYS
    weight *= 1.45 if moment.weekday() >= 5 else 1.0
    weight *= 1.5 if moment.month == 12 else 1.0
    for month, first, length, times in _SALES:
        since = (moment.replace(tzinfo=None) - datetime(moment.year, month, first)).days  # noqa: DTZ001
        weight *= times if 0 <= since < length else 1.0
    return weight


def _spread_over_year(total: int, weights: list[float]) -> list[int]:
    """Whole numbers in these proportions that add up to the total."""
    counts, done, so_far = [], 0, 0.0
    for weight in weights:
        so_far += weight
        reached = round(total * so_far / sum(weights))
        counts.append(reached - done)
        done = reached
    return counts
