"""Past orders through the import, the checkout and the backtest: all three come to the same scores."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from typing import Any

import msgspec
import pytest

from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.fraud.facts import Payment
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.players import Player
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.clock import Instant, ManualClock, instant
from lootkeep.kernel.money import Hundredths
from lootkeep.services import (
    customers as customers_service,
    fraud as fraud_service,
    fraud_amounts as fraud_amounts_service,
    orders as orders_service,
)
from lootkeep.services.orders import DisputeReport
from lootkeep.toolbox.backtest.reading import COLUMNS, PastOrder, PastOrders
from lootkeep.toolbox.backtest.replay import replay
from tests.api.fraud.shop import BROWSER, DATACENTER, PROXY, TOR, VPN, shop, stored
from tests.world import World

BEGIN = datetime(2024, 9, 1, tzinfo=UTC)
# Every signal fires a dozen times, at least.
ORDERS = 500
PRICE = 1999
NETWORKS = (TOR, VPN, PROXY, DATACENTER)
# Nothing is stopped: what was paid long ago is not either.
OPEN = {"fraud_action": "flag", "fraud_block_tor": False, "fraud_block_sanctioned_countries": False}
_BATCH = 250


def past() -> list[PastOrder]:
    """Regulars, rings of fresh accounts, shared devices and addresses, tags and throw-away mail, as they come."""
    rng = random.Random(7)
    accounts: list[dict[str, Any]] = []
    orders: list[PastOrder] = []
    moment = BEGIN
    while len(orders) < ORDERS:
        moment += timedelta(seconds=rng.choice((1, 5, 20, 20, 60, 60, 90, 600, 3_600, 160_000)))
        if len(accounts) < 4 or rng.random() < 0.4:
            accounts.append(_account(rng, len(accounts) + 1, moment))
        # Often someone who ordered a moment ago.
        buyer = rng.choice(accounts[-4:] if rng.random() < 0.6 else accounts)
        order = PastOrder(
            order_id=str(len(orders) + 1),
            is_fraud=False,
            created_at=instant(moment),
            ip_address=rng.choice(("203.0.113.1", "203.0.113.1", f"192.0.2.{rng.randrange(250)}", *NETWORKS)),
            device_id=rng.choice((None, f"d-{rng.randrange(6)}", f"d-{rng.randrange(10**6)}", f"own-{buyer['email']}")),
            billing_country=rng.choice((None, "DE", "SY", "CU")),
            user_agent=rng.choice((None, BROWSER, BROWSER, "curl/8.0")),
            total=Hundredths(PRICE * rng.choice((1, 1, 1, 1, 1, 2, 2, 3, 9))),
            payment_fingerprint=rng.choice((None, f"card-{rng.randrange(300)}", f"card-{buyer['email']}")),
            payment_country=rng.choice((None, "DE", "FR")),
            player=rng.choice((None, f"other:p{len(orders) % 300}", f"other:of-{buyer['customer_id']}")),
            declined_at=_declines(rng, moment),
            disputed_at=instant(moment + timedelta(days=rng.randrange(40))) if rng.random() < 0.03 else None,
            **buyer,
        )
        orders.append(order)
    return orders


def _declines(rng: random.Random, moment: datetime) -> tuple[Instant, ...]:
    """Now and then a card tester."""
    times = rng.choice((0, 0, 0, 0, 1, 2, 9))
    return tuple(sorted(instant(moment + timedelta(seconds=rng.randrange(300))) for _ in range(times)))


def _account(rng: random.Random, number: int, moment: datetime) -> dict[str, Any]:
    signed_up = moment - timedelta(seconds=rng.choice((0, 5, 900, 30_000, 9_000_000)))
    # Several accounts share a mailbox, which tags and dots hide.
    name = rng.choice((f"p{number}", f"jun+{number}", f"j.u.n+{number}"))
    domain = rng.choice((f"mail{number}.example", "gmail.com", "trash.example"))
    return {
        "customer_id": str(number),
        "email": f"{name}@{domain}",
        "customer_created_at": instant(signed_up),
        "signup_device_id": rng.choice((None, f"d-{rng.randrange(6)}")),
        "signup_ip_address": rng.choice((None, "203.0.113.1", f"192.0.2.{rng.randrange(250)}")),
    }


def sign_ups(orders: list[PastOrder]) -> list[SignUp]:
    """The buyers in the order of their sign-ups."""
    forms = {
        order.customer_id: SignUp(
            email=order.email,
            name="A",
            ip_address=order.signup_ip_address,
            device_id=order.signup_device_id,
            created_at=order.customer_created_at,
        )
        for order in orders
    }
    return sorted(forms.values(), key=lambda form: form.created_at or 0)


def cart(order: PastOrder, customer_id: int) -> Cart:
    assert order.total is not None
    return Cart(
        customer_id,
        (CartLine(1, order.total // PRICE),),
        order.ip_address,
        order.billing_country,
        order.user_agent,
        order.device_id,
        payment=Payment(instrument=order.payment_fingerprint, country=order.payment_country),
        player=Player("other", order.player.partition(":")[2]) if order.player else None,
        declined_at=order.declined_at,
        disputed_at=order.disputed_at,
    )


async def imported(world: World, orders: list[PastOrder]) -> None:
    customers: dict[str, int] = {}
    for form in sign_ups(orders):
        customers[form.email] = (await customers_service.sign_up(world.deps, form)).customer.id
    for start in range(0, len(orders), _BATCH):
        carts = [
            msgspec.structs.replace(
                cart(order, customers[order.email]), created_at=order.created_at, paid_at=order.created_at
            )
            for order in orders[start : start + _BATCH]
        ]
        async with world.deps.db.write() as tx:
            await orders_service.import_history(world.deps, tx, carts)


async def lived_through(world: World, orders: list[PastOrder]) -> None:
    """Sign-ups and orders as they happened, paid at once, with the measure of each week taken in time."""
    forms, customers, clock = sign_ups(orders), dict[str, int](), ManualClock(Instant(0))
    # What is reported of an order later: that a payment was declined, or disputed.
    later: list[tuple[Instant, int, bool]] = []
    deps = replace(world.deps, clock=clock)
    for order in orders:
        assert order.created_at is not None
        while forms and (forms[0].created_at or 0) <= order.created_at:
            form = forms.pop(0)
            customers[form.email] = (await customers_service.sign_up(deps, form)).customer.id
        while later and later[0][0] <= order.created_at:
            at, order_id, is_dispute = heappop(later)
            clock.advance(at - clock.now())
            if is_dispute:
                await orders_service.dispute(deps, order_id, DisputeReport("dispute", "fraudulent"))
            else:
                await orders_service.decline(deps, order_id)
        clock.advance(order.created_at - clock.now())
        await fraud_amounts_service.refresh(deps)
        details, _ = await orders_service.place(deps, cart(order, customers[order.email]))
        await orders_service.pay(deps, details.order.id, None, None)
        for at in order.declined_at:
            heappush(later, (at, details.order.id, False))
        if order.disputed_at is not None:
            heappush(later, (order.disputed_at, details.order.id, True))


@pytest.mark.parametrize("path", [imported, lived_through], ids=["import", "checkout"])
async def test_the_store_and_the_backtest_score_the_same_orders_alike(
    world: World, path: Callable[[World, list[PastOrder]], Awaitable[None]]
) -> None:
    orders = past()
    await shop(world, price="19.99")
    await fraud_service.change_settings(world.deps, dict(OPEN))
    await path(world, orders)
    policy = Policy(**OPEN)  # type: ignore[arg-type]
    replayed = await replay(PastOrders(frozenset(COLUMNS), orders), policy, world.intelligence, lambda done: None)
    checks = await stored(world)
    assert [(check.points, check.risk_score, check.action_taken) for check in checks] == [
        (judged.verdict.signals, judged.verdict.risk_score, judged.verdict.action_taken) for judged in replayed
    ]
    fired = {name for check in checks for name in check.points}
    assert fired >= {
        *("vpn", "proxy", "datacenter", "tor", "sanctioned_country", "high_risk_country"),
        *("velocity_ip", "velocity_email", "order_burst", "large_order", "disposable_email", "tagged_email"),
        *("account_age", "device_reuse", "device_newcomer", "device_velocity", "ip_accounts"),
        *("user_agent_missing_or_bot", "trusted_customer", "card_accounts", "account_cards", "card_country_mismatch"),
        *("card_testing", "confirmed_fraud", "player_accounts"),
    }
