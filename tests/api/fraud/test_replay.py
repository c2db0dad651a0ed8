"""A year of past orders through the API and through the backtest: both come to the same scores."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.clock import Instant, instant, iso
from lootkeep.toolbox.backtest.reading import COLUMNS, PastOrder, PastOrders
from lootkeep.toolbox.backtest.replay import replay
from tests.api.fraud.shop import BROWSER, DATACENTER, PROXY, TOR, VPN, check, judged, shop
from tests.builders import new_customer
from tests.world import World

BEGIN = datetime(2025, 11, 1, tzinfo=UTC)
ORDERS = 400
NETWORKS = (TOR, VPN, PROXY, DATACENTER)


def past() -> list[PastOrder]:
    """Regulars, rings of fresh accounts, shared devices and addresses, tags and throw-away mail, as they come."""
    made = random.Random(7)
    accounts: list[dict[str, Any]] = []
    orders: list[PastOrder] = []
    moment = BEGIN
    while len(orders) < ORDERS:
        moment += timedelta(seconds=made.choice((0, 5, 20, 20, 60, 60, 90, 600, 3_600, 400_000)))
        if len(accounts) < 4 or made.random() < 0.5:
            accounts.append(_account(made, len(accounts) + 1, moment))
        # Often someone who was just here.
        buyer = made.choice(accounts[-4:] if made.random() < 0.7 else accounts)
        order = PastOrder(
            order_id=str(len(orders) + 1),
            is_fraud=False,
            created_at=instant(moment),
            ip_address=made.choice(("203.0.113.1", "203.0.113.1", f"192.0.2.{made.randrange(250)}", *NETWORKS)),
            device_id=made.choice((None, f"d-{made.randrange(6)}", f"d-{made.randrange(10**6)}")),
            billing_country=made.choice((None, "DE", "SY", "CU")),
            user_agent=made.choice((None, BROWSER, BROWSER, "curl/8.0")),
            **buyer,
        )
        orders.append(order)
    return orders


def _account(made: random.Random, number: int, moment: datetime) -> dict[str, Any]:
    signed_up = moment - timedelta(seconds=made.choice((0, 5, 900, 30_000, 9_000_000)))
    # Several accounts share a mailbox, which tags and dots hide.
    name = made.choice((f"p{number}", f"jun+{number}", f"j.u.n+{number}"))
    domain = made.choice((f"mail{number}.example", "gmail.com", "trash.example"))
    return {
        "customer_id": str(number),
        "email": f"{name}@{domain}",
        "customer_created_at": instant(signed_up),
    }


async def through_the_api(world: World, orders: list[PastOrder]) -> list[dict[str, Any]]:
    """Sign-ups tell neither device nor address: in the backtest they leave no traces."""
    await shop(world)
    known: dict[str | None, int] = {}
    found: list[dict[str, Any]] = []
    for order in orders:
        if order.customer_id not in known:
            form = {"email": order.email, "name": "A", "created_at": _time(order.customer_created_at)}
            known[order.customer_id] = (await new_customer(world, **form))["customer"]["id"]
        sent = {name: getattr(order, name) for name in ("ip_address", "device_id", "billing_country", "user_agent")}
        await judged(world, known[order.customer_id], created_at=_time(order.created_at), **sent)
        found.append((await check(world, len(found) + 1))["check"])
    return found


def _time(moment: Instant | None) -> str:
    assert moment is not None
    return iso(moment)


async def test_the_api_and_the_backtest_score_the_same_orders_alike(world: World) -> None:
    orders = past()
    checks = await through_the_api(world, orders)
    replayed = replay(PastOrders(frozenset(COLUMNS), orders), Policy(), world.intelligence, lambda done: None)
    assert [(one["signals"], one["risk_score"], one["action_taken"]) for one in checks] == [
        (one.verdict.signals, one.verdict.risk_score, one.verdict.action_taken) for one in replayed
    ]
    fired = {name for one in checks for name in one["signals"]}
    assert fired >= {
        *("vpn", "proxy", "datacenter", "tor", "sanctioned_country", "high_risk_country"),
        *("velocity_ip", "velocity_email", "disposable_email", "tagged_email"),
        *("account_age", "device_reuse", "device_velocity", "ip_accounts", "user_agent_missing_or_bot"),
    }
