"""The history of a store at the moment of an order, at its edges and compared with a full recount."""

from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st

from lootkeep.domain.fraud.facts import History
from lootkeep.domain.fraud.memory import ENOUGH_ACCOUNTS, ENOUGH_ORDERS, OrderHistory, Sighting
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant
from lootkeep.kernel.money import Hundredths

NOW = Instant(1_763_200_000_000_000)


def seen(ago: int = 0, **changes: Any) -> Sighting:
    values: dict[str, Any] = {"account": "ada", "address": "203.0.113.9", "mailbox": "ada@a.example", "device": "phone"}
    return Sighting(at=Instant(NOW - ago), **values | changes)


def history(*before: Sighting, of: Sighting | None = None, window: int = 60) -> History:
    memory = OrderHistory(window)
    for sighting in before:
        memory.remember(sighting)
    return memory.history(of or seen())


def test_a_store_without_orders_remembers_nothing() -> None:
    assert history() == History()


def test_own_orders_count_for_ip_and_mailbox_but_not_as_other_accounts() -> None:
    assert history(seen(MINUTE), seen(0)) == History(
        address_orders=2,
        mailbox_orders=2,
        customer_orders_in_day=2,
        first_paid_at=Instant(NOW - MINUTE),
        device_known_since=Instant(NOW - MINUTE),
    )


def test_the_window_excludes_its_start() -> None:
    past = history(seen(HOUR), seen(HOUR - 1))
    assert (past.address_orders, past.mailbox_orders) == (1, 1)


def test_the_window_has_the_configured_length() -> None:
    assert history(seen(16 * MINUTE), seen(14 * MINUTE), window=15).address_orders == 1
    assert history(seen(16 * MINUTE), seen(14 * MINUTE), window=1440).address_orders == 2


def test_other_ips_mailboxes_and_devices_do_not_count() -> None:
    other = seen(MINUTE, account="bob", address="203.0.113.10", mailbox="bob@a.example", device="desk")
    assert history(other) == History()


def test_other_accounts_on_a_device_are_remembered_for_two_years() -> None:
    long_ago = [seen(730 * DAY, account="a"), seen(730 * DAY - 1, account="b"), seen(HOUR, account="c")]
    assert history(*long_ago, seen(HOUR - 1, account="d")) == History(
        address_orders=1,
        mailbox_orders=1,
        device_accounts=3,
        device_accounts_before=2,
        device_accounts_in_hour=1,
        address_accounts_in_hour=1,
    )


def test_the_first_owner_of_a_device_is_not_suspected_because_of_later_accounts() -> None:
    first = seen(9 * DAY, account="ada", account_created_at=Instant(NOW - 9 * DAY))
    later = seen(5 * DAY, account="bob", account_created_at=Instant(NOW - 6 * DAY))
    owner = seen(account_created_at=first.account_created_at)
    newcomer = seen(account="bob", account_created_at=later.account_created_at)
    assert history(first, later, of=owner).device_accounts_before == 0
    assert history(first, later, of=newcomer).device_accounts_before == 1


def test_an_account_counts_on_a_device_from_its_sign_up() -> None:
    memory = OrderHistory(60)
    memory.remember_sign_up(seen(9 * DAY, account="ada"))
    bob = memory.history(seen(account="bob", account_created_at=NOW))
    assert (bob.device_accounts, bob.device_accounts_before, bob.mailbox_orders) == (1, 1, 0)


def test_a_burst_is_counted_within_a_day_and_ends_after_a_week() -> None:
    burst = history(seen(DAY), seen(DAY - 1))
    assert (burst.customer_orders_in_day, burst.has_older_order) == (1, False)
    assert not history(seen(7 * DAY)).has_older_order
    assert history(seen(7 * DAY + 1), seen(1)).has_older_order


def test_an_order_is_large_above_the_90th_percentile_of_the_90_days_before_its_week() -> None:
    week = NOW // (7 * DAY) * 7 * DAY
    before = [seen(NOW - week + DAY, amount=Hundredths(amount)) for amount in range(1, 101)]
    old = [seen(NOW - week + 90 * DAY + 1, amount=Hundredths(10**6))] * 50
    this_week = [seen(0, amount=Hundredths(10**6))] * 50
    assert history(*old, *before[1:]).large_from is None
    assert history(*old, *before, *this_week).large_from == 90


def test_an_account_counts_once_by_its_last_sighting() -> None:
    past = history(seen(200 * DAY, account="bob"), seen(2 * DAY, account="bob"), seen(DAY, account="bob"))
    assert (past.device_accounts, past.device_accounts_in_hour) == (1, 0)


def test_seeing_an_account_again_updates_its_last_sighting() -> None:
    past = history(seen(3 * HOUR, account="bob"), seen(2 * HOUR, account="eve"), seen(MINUTE, account="bob"))
    assert (past.device_accounts, past.device_accounts_in_hour) == (2, 1)


def test_accounts_of_an_ip_are_separate_from_those_of_a_device() -> None:
    past = history(seen(MINUTE, account="bob", device="desk"))
    assert (past.device_accounts, past.address_accounts_in_hour) == (0, 1)


def test_counting_accounts_stops_at_the_maximum() -> None:
    crowd = [seen(MINUTE, account=str(number)) for number in range(100)]
    assert history(*crowd).device_accounts == ENOUGH_ACCOUNTS
    assert history(*crowd).address_accounts_in_hour == ENOUGH_ACCOUNTS


def test_missing_traits_are_neither_remembered_nor_counted() -> None:
    nothing = {"account": None, "address": None, "mailbox": None, "device": None}
    assert history(seen(MINUTE, **nothing), of=seen(0, **nothing)) == History()
    assert history(seen(MINUTE, account="bob"), of=seen(0, account=None)).device_accounts == 0
    assert history(seen(MINUTE, account=None)).device_accounts == 0


HOURS = (
    st.integers(0, 40).map(lambda hours: hours * 2 * HOUR)
    | st.integers(0, 800).map(lambda days: days * DAY)
    | st.integers(0, 200 * 24 * 2).map(lambda halves: halves * HOUR // 2)
)
values = st.none() | st.sampled_from(["a", "b", "c"])


@given(st.lists(st.tuples(HOURS, values, values, values, values), max_size=30), st.sampled_from([15, 60, 1440]))
def test_the_memory_equals_a_recount_of_all_orders(rows: list[Any], window: int) -> None:
    memory = OrderHistory(window)
    before: list[Sighting] = []
    for ago, account, ip, mailbox, device in sorted(rows, key=lambda row: -row[0]):
        sighting = seen(ago, account=account, address=ip, mailbox=mailbox, device=device)
        assert memory.history(sighting) == counted(before, sighting, window)
        memory.remember(sighting)
        before.append(sighting)


def counted(before: list[Sighting], sighting: Sighting, window: int) -> History:
    def orders(field: str) -> int:
        value = getattr(sighting, field)
        return sum(bool(value) and getattr(b, field) == value and b.at > sighting.at - window * MINUTE for b in before)

    def accounts(field: str, span: int) -> int:
        value = getattr(sighting, field)
        if not value or not sighting.account:
            return 0
        accounts = {b.account for b in before if getattr(b, field) == value and b.at > sighting.at - span and b.account}
        return min(len(accounts - {sighting.account}), ENOUGH_ACCOUNTS)

    own = [b for b in before if sighting.account and b.account == sighting.account]
    created = min((b.at for b in own), default=sighting.at)

    def newcomer() -> int:
        times: dict[str, list[int]] = {}
        for b in before:
            if (
                sighting.device
                and b.device == sighting.device
                and sighting.account
                and b.account
                and b.account != sighting.account
            ):
                times.setdefault(b.account, []).append(b.at)
        return sum(
            min(seen_at) < created and sighting.at - 730 * DAY < max(seen_at) <= sighting.at - HOUR
            for seen_at in times.values()
        )

    return History(
        address_orders=orders("address"),
        mailbox_orders=orders("mailbox"),
        customer_orders_in_day=min(sum(b.at > sighting.at - DAY for b in own), ENOUGH_ORDERS),
        has_older_order=any(b.at < sighting.at - 7 * DAY for b in own),
        first_paid_at=min((b.at for b in own), default=None),
        device_known_since=min((b.at for b in own if sighting.device and b.device == sighting.device), default=None),
        device_accounts=accounts("device", 730 * DAY),
        device_accounts_before=newcomer(),
        device_accounts_in_hour=accounts("device", HOUR),
        address_accounts_in_hour=accounts("address", HOUR),
    )
