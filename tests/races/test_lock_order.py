"""Everything that changes the orders, customers, coupons and products of a few buyers, at once: nothing deadlocks."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from lootkeep.kernel.clock import HOUR, Instant, iso
from lootkeep.services import privacy as privacy_service
from lootkeep.storage.schema import coupons, orders, product_keys, products
from tests.api.fraud.shop import DAY, settings
from tests.builders import STORE, new_coupon, new_customer, new_gift_card, new_keys, new_product, referred
from tests.races.racing import ORDERS, ROUNDS, assert_all_totals_agree, order_of, served
from tests.recount import rows
from tests.worker.bulk import bulk_worker, started
from tests.world import World

BUYERS = 8
# Products 1 to 4: with a stock, with keys, without a stock, and for subscriptions. Many buyers share each of them.
STOCK = 10_000
MONTHLY = {"billing_type": "recurring", "billing_interval": "month", "billing_interval_count": 1}
Step = Callable[[], Awaitable[Any]]


class Mix:
    """All kinds of transactions on the same few records, by chance."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.chance = world, random.Random(seed)
        self.customer_ids: list[int] = []
        self.code = ""
        self.cards: list[str] = []

    async def open(self) -> None:
        world = self.world
        referrer = (await new_customer(world))["customer"]
        for _ in range(BUYERS):
            self.customer_ids.append((await referred(world, referrer["referral_code"]))["id"])
        await new_product(world, name="Sword", price="2.00", stock=STOCK)
        await new_product(world, name="Game", price="2.00", delivery_type="keys", stock=150)
        await new_product(world, name="Rank", price="2.00")
        await new_product(world, name="Month", price="2.00", stock=STOCK, **MONTHLY)
        self.code = (await new_coupon(world, code="SALE", max_uses=STOCK, max_uses_per_customer=STOCK))["code"]
        self.cards = [(await new_gift_card(world, initial_balance="400.00"))["code"] for _ in range(3)]
        await settings(world, fraud_action="flag")
        world.clock.advance(2 * DAY)

    def cart(self, **fields: Any) -> dict[str, Any]:
        lines = [(product, 1) for product in self.chance.sample((1, 2, 3), 2)]
        _, body = order_of(self.chance.choice(self.customer_ids), *lines, **fields)
        return body | ({"coupon_code": self.code} if self.chance.random() < 0.5 else {})

    async def orders(self, count: int) -> list[dict[str, Any]]:
        answers = await asyncio.gather(*(served(self.world, ORDERS, self.cart()) for _ in range(count)))
        assert {answer.status_code for answer in answers} == {201}, answers[0].text
        return [answer.json()["data"]["order"] for answer in answers]

    def checkouts(self) -> list[Step]:
        past = iso(Instant(self.world.clock.now() - HOUR))
        carts = [self.cart() for _ in range(8)]
        # Nothing is left to pay: placed and paid in one transaction.
        carts += [self.cart(gift_card_code=self.chance.choice(self.cards)) for _ in range(8)]
        # Imported, and still to be paid: their stock is taken.
        carts += [self.cart(created_at=past, user_agent=None) for _ in range(4)]
        posts = [self.post(ORDERS, cart) for cart in carts]
        customer_ids = [self.chance.choice(self.customer_ids) for _ in range(4)]
        posts += [self.post(f"{STORE}/subscriptions", {"customer_id": it, "product_id": 4}) for it in customer_ids]
        return posts

    def of_orders(self, paid: list[dict[str, Any]], unpaid: list[dict[str, Any]]) -> list[Step]:
        posts = []
        for order in unpaid:
            path, check = f"{ORDERS}/{order['id']}", order["fraud"]["check_id"]
            posts += [self.post(f"{path}/pay", {}), self.post(f"{path}/pay", {"payment": {"country": "DE"}})]
            posts.append(self.chance.choice([self.post(f"{path}/cancel", {}), self.review("fraud", check)]))
        for order in paid:
            path, check = f"{ORDERS}/{order['id']}", order["fraud"]["check_id"]
            posts += [self.post(f"{path}/refund", self.chance.choice([{}, {"reason_code": "fraud"}]))]
            posts += [self.post(f"{path}/dispute", {"kind": "dispute", "reason": "fraudulent"})]
            posts += [self.review(self.chance.choice(["fraud", "legitimate"]), check)]
        return posts

    def of_customers(self) -> list[Step]:
        """Some get another name, and one is erased: they buy nothing afterwards."""
        erased_id = self.customer_ids.pop()
        names = [self.put(it, {"name": f"Jun {self.chance.random()}"}) for it in self.customer_ids[:4]]
        return [*names, lambda: privacy_service.erase(self.world.deps, erased_id, None)]

    def review(self, outcome: str, *check_ids: int) -> Step:
        return self.post("/fraud/reviews", {"check_ids": list(check_ids), "outcome": outcome})

    def post(self, path: str, body: dict[str, Any]) -> Step:
        return lambda: served(self.world, path, body)

    def put(self, customer_id: int, body: dict[str, Any]) -> Step:
        return lambda: self.world.put(f"{STORE}/customers/{customer_id}", body)

    async def run(self, steps: list[Step]) -> None:
        """None fails: a deadlock would be a 503."""
        self.chance.shuffle(steps)
        answers = await asyncio.gather(*(step() for step in steps))
        texts = [it.text for it in answers if isinstance(it, httpx.Response) and it.status_code >= 500]
        assert not texts, texts


async def test_all_that_changes_the_orders_of_a_few_buyers_at_once_never_deadlocks(world: World) -> None:
    mix = Mix(world, seed=11)
    await mix.open()
    for _ in range(ROUNDS):
        paid, unpaid, others = await mix.orders(8), await mix.orders(8), await mix.orders(8)
        for order in paid:
            assert (await world.post(f"{ORDERS}/{order['id']}/pay", {})).status_code == 200
        await started(world, "orders", "cancel", [order["id"] for order in others], reason="A test")
        await started(world, "customers", "tag", mix.customer_ids, tag=f"vip-{mix.chance.random()}")
        rings = [mix.chance.sample([order["fraud"]["check_id"] for order in others], 4) for _ in range(4)]
        steps = [*mix.checkouts(), *mix.of_orders(paid, unpaid), *mix.of_customers()]
        steps += [mix.review(mix.chance.choice(["fraud", "legitimate"]), *ring) for ring in rings]
        steps += [bulk_worker(world).run_once for _ in range(2)]
        steps.append(lambda: new_keys(world, 2, 5))
        await mix.run(steps)
        world.clock.advance(DAY)
    await assert_exact(world)
    await assert_all_totals_agree(world)


async def assert_exact(world: World) -> None:
    """Nothing is sold twice, and nothing is lost."""
    all_orders = await rows(world.db, orders)
    open_orders = {row["id"] for row in all_orders if row["status"] != "cancelled"}
    (coupon,) = await rows(world.db, coupons)
    with_coupon = [row for row in all_orders if row["coupon_id"] is not None and row["id"] in open_orders]
    used = sum(row["paid_at"] is not None for row in with_coupon)
    assert (coupon["uses_count"], coupon["reserved_count"]) == (used, len(with_coupon) - used)
    game = (await rows(world.db, products))[1]
    keys = await rows(world.db, product_keys)
    assert game["keys_available"] == sum(key["status"] == "available" for key in keys)
    assert game["stock"] == max(0, game["keys_available"] - game["keys_reserved"])
