"""Any history that a store may have had, and any question about the time around a night in which clocks change."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from hypothesis import strategies as st
from msgspec.structs import replace

from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.orders import Sale
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.clock import HOUR, MINUTE, Instant, instant
from lootkeep.kernel.errors import Reason
from lootkeep.kernel.money import Hundredths
from lootkeep.services import customers, orders, products
from tests.builders import honest_buyer
from tests.plain import PLAIN
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


class Deed(NamedTuple):
    """Something that happens after some minutes: a sale, or a step of an earlier order."""

    after: int
    kind: str
    who: int
    product: int
    quantity: int
    country: str | None
    method: str | None


deeds = st.lists(
    st.builds(
        Deed,
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


async def live(world: World, told: list[Deed], start: datetime) -> None:
    """The deeds one after another; what the store refuses did not happen."""
    people = [
        (await customers.sign_up(world.deps, SignUp(f"p{n}@p{n}.example", f"P{n}"))).customer.id for n in range(3)
    ]
    goods = [(await products.create(world.deps, replace(PLAIN, name="g", **terms))).id for terms in CATALOGUE]
    world.clock.advance(instant(start) - world.clock.now())
    placed: list[int] = []
    for deed in told:
        world.clock.advance(deed.after * MINUTE)
        line = CartLine(goods[deed.product], deed.quantity)
        who = people[deed.who]
        cart = Cart(who, (line, line), **honest_buyer(who), billing_country=deed.country)
        try:
            placed += [sale.order.id for sale in await _do(world, deed, cart, placed)]
        except Reason:
            continue


async def _do(world: World, deed: Deed, cart: Cart, placed: list[int]) -> list[Sale]:
    deps, now = world.deps, world.clock.now()
    if deed.kind == "history":
        paid_at = Instant(now - deed.quantity * 5 * HOUR)
        times = {"created_at": Instant(paid_at - HOUR), "paid_at": paid_at, "completed_at": Instant(paid_at + HOUR)}
        return [(await orders.import_order(deps, replace(cart, **times)))[0]]
    if deed.kind in ("buy", "order"):
        sale, _ = await orders.place(deps, cart)
        if deed.kind == "buy" and sale.order.paid_at is None:
            await orders.pay(deps, sale.order.id, deed.method, None)
        return [sale]
    if placed:
        order_id = placed[deed.who - 1 if deed.who < len(placed) else -1]
        if deed.kind in ("refund", "part"):
            await orders.refund(deps, order_id, Hundredths(3) if deed.kind == "part" else None, None)
        elif deed.kind == "cancel":
            await orders.cancel(deps, order_id, None)
        else:
            await orders.fulfill(deps, order_id, None, None)
    return []
