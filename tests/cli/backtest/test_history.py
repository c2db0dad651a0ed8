"""The history of a store at the moment of an order, at its edges and compared with a full recount."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from lootkeep.domain.fraud.facts import ENOUGH_ACCOUNTS, ENOUGH_OLD_ORDERS, ENOUGH_ORDERS, TRUSTED_AFTER, History
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage import in_memory as in_memory_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.toolbox.backtest.reading import PastOrder
from lootkeep.toolbox.backtest.store import ReplayStore

NOW = Instant(1_763_200_000_000_000)


@pytest.fixture
def tx() -> Iterator[Transaction]:
    with in_memory_db.transaction() as tx:
        yield tx


def seen(ago: int = 0, customer: str | None = "ada", **changes: Any) -> PastOrder:
    values: dict[str, Any] = {"email": "ada@a.example", "ip_address": "203.0.113.9", "device_id": "phone"}
    at = Instant(NOW - ago)
    return PastOrder(order_id="", is_fraud=False, created_at=at, customer_id=customer, **values | changes)


def history(tx: Transaction, *before: PastOrder, of: PastOrder | None = None, window: int = 60) -> History:
    return asyncio.run(replayed(tx, *before, of or seen(), window=window))


async def replayed(tx: Transaction, *orders: PastOrder, window: int) -> History:
    """Of the last order."""
    store = ReplayStore(tx, Policy(fraud_velocity_window_minutes=window))
    return [(await store.place(order))[1] for order in orders][-1]


def test_a_store_without_orders_remembers_nothing(tx: Transaction) -> None:
    assert history(tx) == History()


def test_own_orders_count_for_ip_and_mailbox_but_not_as_other_accounts(tx: Transaction) -> None:
    assert history(tx, seen(MINUTE), seen(0)) == History(
        address_orders=2,
        mailbox_orders=2,
        customer_orders_in_day=2,
        paid_orders=2,
        first_paid_at=Instant(NOW - MINUTE),
        device_known_since=Instant(NOW - MINUTE),
    )


def test_the_window_excludes_its_start(tx: Transaction) -> None:
    past = history(tx, seen(HOUR), seen(HOUR - 1))
    assert (past.address_orders, past.mailbox_orders) == (1, 1)


@pytest.mark.parametrize(("window", "counted"), [(15, 1), (1440, 2)])
def test_the_window_has_the_configured_length(tx: Transaction, window: int, counted: int) -> None:
    assert history(tx, seen(16 * MINUTE), seen(14 * MINUTE), window=window).address_orders == counted


def test_other_ips_mailboxes_and_devices_do_not_count(tx: Transaction) -> None:
    other = seen(MINUTE, "bob", ip_address="203.0.113.10", email="bob@a.example", device_id="desk")
    assert history(tx, other) == History()


def test_other_accounts_on_a_device_are_remembered_for_two_years(tx: Transaction) -> None:
    long_ago = [seen(730 * DAY, "a"), seen(730 * DAY - 1, "b"), seen(HOUR, "c")]
    assert history(tx, *long_ago, seen(HOUR - 1, "d")) == History(
        address_orders=1,
        mailbox_orders=1,
        device_accounts=3,
        device_accounts_before=2,
        device_accounts_in_hour=1,
        address_accounts_in_hour=1,
    )


def test_the_first_owner_of_a_device_is_not_suspected_because_of_later_accounts(tx: Transaction) -> None:
    ada, bob = Instant(NOW - 9 * DAY), Instant(NOW - 6 * DAY)
    before = [seen(9 * DAY, customer_created_at=ada), seen(5 * DAY, "bob", customer_created_at=bob)]
    assert history(tx, *before, of=seen(customer_created_at=ada)).device_accounts_before == 0


def test_a_newcomer_on_a_device_is_counted_with_those_before(tx: Transaction) -> None:
    ada, bob = Instant(NOW - 9 * DAY), Instant(NOW - 6 * DAY)
    before = [seen(9 * DAY, customer_created_at=ada), seen(5 * DAY, "bob", customer_created_at=bob)]
    assert history(tx, *before, of=seen(0, "bob", customer_created_at=bob)).device_accounts_before == 1


async def test_an_account_counts_on_a_device_from_its_sign_up(tx: Transaction) -> None:
    store = ReplayStore(tx, Policy())
    await store.sign_up(seen(customer_created_at=Instant(NOW - 9 * DAY), signup_device_id="phone"))
    _, bob = await store.place(seen(customer="bob", customer_created_at=NOW))
    assert (bob.device_accounts, bob.device_accounts_before, bob.mailbox_orders) == (1, 1, 0)


def test_a_burst_is_counted_within_a_day_and_ends_after_a_week(tx: Transaction) -> None:
    burst = history(tx, seen(DAY), seen(DAY - 1))
    assert (burst.customer_orders_in_day, burst.has_older_order) == (1, False)
    assert not history(tx, seen(7 * DAY, "bob"), of=seen(0, "bob")).has_older_order
    assert history(tx, seen(7 * DAY + 1, "eve"), seen(1, "eve"), of=seen(0, "eve")).has_older_order


@pytest.mark.parametrize(("amounts", "large_from"), [(99, None), (100, 90)])
def test_an_order_is_large_above_the_90th_percentile_of_the_90_days_before_its_week(
    tx: Transaction, amounts: int, large_from: int | None
) -> None:
    week = NOW // (7 * DAY) * 7 * DAY
    before = [seen(NOW - week + DAY, total=Hundredths(amount)) for amount in range(1, amounts + 1)]
    old = [seen(NOW - week + 90 * DAY + 1, total=Hundredths(10**6))] * 50
    this_week = [seen(0, total=Hundredths(10**6))] * 50
    assert history(tx, *old, *before, *this_week).large_from == large_from


def test_an_account_counts_once_by_its_last_sighting(tx: Transaction) -> None:
    past = history(tx, seen(200 * DAY, "bob"), seen(2 * DAY, "bob"), seen(DAY, "bob"))
    assert (past.device_accounts, past.device_accounts_in_hour) == (1, 0)


def test_seeing_an_account_again_updates_its_last_sighting(tx: Transaction) -> None:
    past = history(tx, seen(3 * HOUR, "bob"), seen(2 * HOUR, "eve"), seen(MINUTE, "bob"))
    assert (past.device_accounts, past.device_accounts_in_hour) == (2, 1)


def test_accounts_of_an_ip_are_separate_from_those_of_a_device(tx: Transaction) -> None:
    past = history(tx, seen(MINUTE, "bob", device_id="desk"))
    assert (past.device_accounts, past.address_accounts_in_hour) == (0, 1)


def test_counting_accounts_stops_at_the_maximum(tx: Transaction) -> None:
    past = history(tx, *(seen(MINUTE, str(number)) for number in range(20)))
    assert past.device_accounts == past.address_accounts_in_hour == ENOUGH_ACCOUNTS


def test_missing_traits_are_neither_remembered_nor_counted(tx: Transaction) -> None:
    nothing = {"customer": None, "ip_address": None, "email": "", "device_id": None}
    unknown = {"customer": None, "email": ""}
    assert history(tx, seen(3 * MINUTE, **nothing), of=seen(2 * MINUTE, **nothing)) == History()
    assert history(tx, seen(2 * MINUTE, **unknown), of=seen(MINUTE)).device_accounts == 0
    assert history(tx, of=seen(0, **unknown)).device_accounts == 0


HOURS = (
    st.integers(0, 40).map(lambda hours: hours * 2 * HOUR)
    | st.integers(0, 800).map(lambda days: days * DAY)
    | st.integers(0, 200 * 24 * 2).map(lambda halves: halves * HOUR // 2)
)
values = st.none() | st.sampled_from(["a", "b", "c"])
# Two accounts share a mailbox.
MAILBOXES = {"a": "m", "b": "m", "c": "n"}


@given(st.lists(st.tuples(HOURS, values, values, values), max_size=30), st.sampled_from([15, 60, 1440]))
@settings(deadline=None)
async def test_the_history_equals_a_recount_of_all_orders(rows: list[Any], window: int) -> None:
    before: list[PastOrder] = []
    with in_memory_db.transaction() as tx:
        store = ReplayStore(tx, Policy(fraud_velocity_window_minutes=window))
        for ago, customer, ip, device in sorted(rows, key=lambda row: -row[0]):
            email = f"{MAILBOXES[customer]}@a.example" if customer else ""
            order = seen(ago, customer, email=email, ip_address=ip and f"2001:db8:{ip}::1", device_id=device)
            assert (await store.place(order))[1] == recounted(before, order, window)
            before.append(order)


def at(order: PastOrder) -> Instant:
    assert order.created_at is not None
    return order.created_at


def recounted(before: list[PastOrder], order: PastOrder, window: int) -> History:
    def orders(field: str) -> int:
        value = getattr(order, field)
        return sum(bool(value) and getattr(b, field) == value and at(b) > at(order) - window * MINUTE for b in before)

    def accounts(field: str, span: int) -> int:
        value = getattr(order, field)
        if not value or not order.account:
            return 0
        accounts = {b.account for b in before if getattr(b, field) == value and at(b) > at(order) - span and b.account}
        return min(len(accounts - {order.account}), ENOUGH_ACCOUNTS)

    own = [b for b in before if order.account and b.account == order.account]
    created = min(map(at, own), default=at(order))

    def newcomer() -> int:
        times: dict[str, list[int]] = {}
        for b in before:
            is_other = b.account and order.account and b.account != order.account
            if order.device_id and b.device_id == order.device_id and is_other:
                times.setdefault(str(b.account), []).append(at(b))
        return sum(
            min(seen_at) < created and at(order) - 730 * DAY < max(seen_at) <= at(order) - HOUR
            for seen_at in times.values()
        )

    return History(
        address_orders=orders("ip_address"),
        mailbox_orders=orders("mailbox"),
        customer_orders_in_day=min(sum(at(b) > at(order) - DAY for b in own), ENOUGH_ORDERS),
        has_older_order=any(at(b) < at(order) - 7 * DAY for b in own),
        paid_orders=len(own),
        first_paid_at=min(map(at, own), default=None),
        old_paid_orders=min(sum(at(b) < at(order) - TRUSTED_AFTER for b in own), ENOUGH_OLD_ORDERS),
        device_known_since=min(
            (at(b) for b in own if order.device_id and b.device_id == order.device_id), default=None
        ),
        device_accounts=accounts("device_id", 730 * DAY),
        device_accounts_before=newcomer(),
        device_accounts_in_hour=accounts("device_id", HOUR),
        address_accounts_in_hour=accounts("ip_address", HOUR),
    )
