"""Generates histories of a store, and queries about the time around a daylight saving change."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from hypothesis import strategies as st
from msgspec.structs import replace

from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.orders import OrderDetails
from lootkeep.domain.products import PLAIN
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.clock import HOUR, MINUTE, Instant, instant
from lootkeep.kernel.errors import AppError
from lootkeep.kernel.money import Hundredths
from lootkeep.services import (
    customers as customers_service,
    keys as keys_service,
    orders as orders_service,
    products as products_service,
)
from tests.builders import honest_buyer
from tests.world import World

# A zone, and a night in which its clock is changed: forward or back, by an hour or half of one, at midnight or later.
NIGHTS = (
    ("UTC", datetime(2026, 11, 1, tzinfo=UTC)),
    ("Asia/Kathmandu", datetime(2026, 11, 1, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2026, 3, 29, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2026, 10, 25, tzinfo=UTC)),
    ("America/St_Johns", datetime(2026, 3, 8, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2026, 4, 5, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2025, 10, 5, tzinfo=UTC)),
    ("Pacific/Chatham", datetime(2026, 4, 5, tzinfo=UTC)),
    ("America/Havana", datetime(2026, 11, 1, tzinfo=UTC)),
    ("America/Sao_Paulo", datetime(2018, 11, 4, tzinfo=UTC)),
    ("America/Sao_Paulo", datetime(2018, 2, 18, tzinfo=UTC)),
)
COUNTRIES, METHODS = (None, "KR", "DE"), (None, "card", "crypto")
CATALOGUE = ({"price": 20_00}, {"price": 5, "delivery_type": "keys"}, {"price": 10_00, "currency": "EUR"}, {"price": 0})


class ScheduledStep(NamedTuple):
    """Something that happens after some minutes: a sale, or a step of an earlier order."""

    after: int
    kind: str
    who: int
    product: int
    quantity: int
    country: str | None
    method: str | None


operations = st.lists(
    st.builds(
        ScheduledStep,
        st.sampled_from([0, 1, 14, 15, 45, 60, 600, 1440, 10_080, 46_080]),
        st.sampled_from(["buy", "buy", "buy", "order", "history", "refund", "part", "cancel", "fulfill"]),
        st.integers(0, 2),
        st.integers(0, 3),
        st.integers(1, 3),
        st.sampled_from(COUNTRIES),
        st.sampled_from(METHODS),
    ),
    max_size=14,
)


class Question(NamedTuple):
    night: tuple[str, datetime]
    begins: int
    days: int
    interval: str | None
    lead: int


questions = st.builds(
    Question,
    st.sampled_from(NIGHTS),
    st.integers(-3, 1),
    st.sampled_from([1, 2, 3, 7, 40, 100]),
    st.sampled_from([None, "hour", "day", "week", "month"]),
    st.integers(0, 48 * 4),
)


async def live(world: World, steps: list[ScheduledStep], start: datetime) -> None:
    """Runs the operations in sequence; those that the store rejects are skipped."""
    people = [
        (await customers_service.sign_up(world.deps, SignUp(f"p{n}@p{n}.example", f"P{n}"))).customer.id
        for n in range(3)
    ]
    goods = [(await products_service.create(world.deps, replace(PLAIN, name="g", **terms))).id for terms in CATALOGUE]
    await keys_service.add(world.deps, goods[1], [f"KEY-{number:04d}" for number in range(1000)], None, None)
    world.clock.advance(instant(start) - world.clock.now())
    placed: list[int] = []
    for operation in steps:
        world.clock.advance(operation.after * MINUTE)
        line = CartLine(goods[operation.product], operation.quantity)
        who = people[operation.who]
        # Some checkouts report no tax; of a free product there is none.
        tax = None if operation.quantity == 1 or operation.product == 3 else Hundredths(operation.quantity + 1)
        cart = Cart(who, (line, line), **honest_buyer(who), billing_country=operation.country, tax_total=tax)
        try:
            placed += [details.order.id for details in await _do(world, operation, cart, placed)]
        except AppError:
            continue


async def _do(world: World, operation: ScheduledStep, cart: Cart, placed: list[int]) -> list[OrderDetails]:
    deps, now = world.deps, world.clock.now()
    if operation.kind == "history":
        paid_at = Instant(now - operation.quantity * 5 * HOUR)
        times = {"created_at": Instant(paid_at - HOUR), "paid_at": paid_at, "completed_at": Instant(paid_at + HOUR)}
        return [(await orders_service.import_order(deps, replace(cart, **times)))[0]]
    if operation.kind in ("buy", "order"):
        details, _ = await orders_service.place(deps, cart)
        if operation.kind == "buy" and details.order.paid_at is None:
            await orders_service.pay(deps, details.order.id, operation.method, None)
        return [details]
    if placed:
        order_id = placed[operation.who - 1 if operation.who < len(placed) else -1]
        if operation.kind in ("refund", "part"):
            await orders_service.refund(deps, order_id, Hundredths(3) if operation.kind == "part" else None, None)
        elif operation.kind == "cancel":
            await orders_service.cancel(deps, order_id, None)
        else:
            await orders_service.fulfill(deps, order_id, None, None)
    return []
