"""The history of a store at each moment, in memory: past orders are replayed with it in chronological order."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from itertools import islice

import msgspec

from lootkeep.domain.fraud.amounts import WEEK, Amounts
from lootkeep.domain.fraud.facts import History
from lootkeep.domain.fraud.labels import LabelKind, fraud_labels
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant
from lootkeep.kernel.money import Hundredths

# How long the users of a device are remembered: the risk does not fall with time.
DEVICE_MEMORY = 730 * DAY
# The period for several accounts on one device or IP address.
SHORT_MEMORY = HOUR
# The period of a burst of orders, and the age of an order that makes its customer a known one.
BURST = DAY
KNOWN_AFTER = WEEK
# Accounts are counted up to this number: a little above what any signal needs.
ENOUGH_ACCOUNTS = 5
# The same for orders and declines: no signal needs more than 100.
ENOUGH_ORDERS = 101
# A device may have thousands of accounts: only the latest ones are checked for being first.
MAX_ASKED = 50


class Sighting(msgspec.Struct, frozen=True, kw_only=True):
    """An order, reduced to its traces. Null means not sent."""

    at: Instant
    # The identifier of the customer: an id, or else the mailbox.
    account: str | None
    account_created_at: Instant | None = None
    # In the form in which they are counted: `addresses.network_key` and `identity.mailbox`.
    address: str | None
    mailbox: str | None
    device: str | None
    instrument: str | None = None
    amount: Hundredths | None = None


class OrderHistory:
    """Takes orders in chronological order only. A window reaches from just after its start until now."""

    def __init__(self, window_minutes: int) -> None:
        self._window = window_minutes * MINUTE
        self._address_orders = _Orders()
        self._mailbox_orders = _Orders()
        self._account_orders = _Orders()
        self._first_orders: dict[str | None, Instant] = {}
        self._device_accounts = _Accounts()
        self._address_accounts = _Accounts()
        self._instrument_accounts = _Accounts()
        # The same in reverse: which instruments an account used.
        self._account_instruments = _Accounts()
        self._amounts = Amounts()
        self._labels: set[tuple[LabelKind, str]] = set()
        self._account_declines = _Orders()
        self._device_declines = _Orders()
        self._address_declines = _Orders()

    def history(self, order: Sighting) -> History:
        """What is known before the order, without the order itself. A past order counts as paid."""
        at, account, device = order.at, order.account, order.device
        first = self._first_orders.get(account)
        created_at = first if order.account_created_at is None else order.account_created_at
        return History(
            address_orders=self._address_orders.since(at - self._window, order.address),
            mailbox_orders=self._mailbox_orders.since(at - self._window, order.mailbox),
            customer_orders_in_day=self._account_orders.since(at - BURST, account),
            has_older_order=first is not None and first < at - KNOWN_AFTER,
            device_accounts=self._device_accounts.others(at - DEVICE_MEMORY, device, account),
            device_accounts_before=self._device_accounts.before(
                at, device, account, at if created_at is None else created_at
            ),
            device_accounts_in_hour=self._device_accounts.others(at - SHORT_MEMORY, device, account),
            address_accounts_in_hour=self._address_accounts.others(at - SHORT_MEMORY, order.address, account),
            instrument_accounts=self._instrument_accounts.others(at - DEVICE_MEMORY, order.instrument, account),
            customer_instruments_in_day=self._account_instruments.others(at - BURST, account, order.instrument),
            declined_payments=max(
                self._account_declines.since(at - self._window, account),
                self._device_declines.since(at - self._window, device),
                self._address_declines.since(at - self._window, order.address),
            ),
            confirmed_frauds=int(self._is_labelled("customer", account)),
            instrument_fraud=self._is_labelled("instrument", order.instrument),
            mailbox_fraud=self._is_labelled("mailbox", order.mailbox),
            device_fraud=self._is_labelled("device", device),
            has_dispute=self._is_labelled("disputed", account),
            first_paid_at=first,
            device_known_since=self._device_accounts.known_since(device, account),
            large_from=self._amounts.line(at),
        )

    def remember(self, order: Sighting) -> None:
        """Every order leaves its traces, even a blocked one."""
        self.remember_sign_up(order)
        self._address_orders.add(order.address, order.at)
        self._mailbox_orders.add(order.mailbox, order.at)
        self._account_orders.add(order.account, order.at)
        self._instrument_accounts.add(order.instrument, order.account, order.at)
        self._account_instruments.add(order.account, order.instrument, order.at)
        if order.account:
            self._first_orders.setdefault(order.account, order.at)
        if order.amount is not None:
            self._amounts.add(order.at, order.amount)

    def remember_decline(self, order: Sighting, at: Instant) -> None:
        """A declined payment of an order."""
        self._account_declines.add(order.account, at)
        self._device_declines.add(order.device, at)
        self._address_declines.add(order.address, at)

    def remember_dispute(self, order: Sighting) -> None:
        """An order was confirmed as fraud: known from this time on."""
        links = fraud_labels(
            order.at, customer=order.account, instrument=order.instrument, mailbox=order.mailbox, device=order.device
        )
        self._labels |= {(label.kind, label.value) for label in links}
        if order.account:
            self._labels.add(("disputed", order.account))

    def _is_labelled(self, kind: LabelKind, value: str | None) -> bool:
        return value is not None and (kind, value) in self._labels

    def remember_sign_up(self, account: Sighting) -> None:
        """An account was seen with a value, without an order."""
        self._device_accounts.add(account.device, account.account, account.at)
        self._address_accounts.add(account.address, account.account, account.at)


class _Orders:
    """The times of orders, by trace; most traces are seen once, so each starts with the smallest list."""

    def __init__(self) -> None:
        self._times: dict[str, list[Instant]] = {}

    def since(self, begin: int, thing: str | None) -> int:
        times = self._times.get(thing) if thing else None
        if not times:
            return 0
        gone = bisect_right(times, begin)
        count = len(times) - gone
        if gone > count:
            # Rarely enough that it costs next to nothing.
            del times[:gone]
        return min(count, ENOUGH_ORDERS)

    def add(self, thing: str | None, at: Instant) -> None:
        if not thing:
            return
        times = self._times.get(thing)
        if times is None:
            self._times[thing] = [at]
        else:
            times.append(at)


class _Accounts:
    """Which accounts were seen with a trace, each from its first to its last time, the latest at the end."""

    def __init__(self) -> None:
        self._seen: defaultdict[str, dict[str, tuple[Instant, Instant]]] = defaultdict(dict)

    def others(self, begin: int, thing: str | None, account: str | None) -> int:
        """An unknown account cannot be distinguished from others, so nothing is counted."""
        seen = self._seen.get(thing) if thing and account else None
        if not seen:
            return 0
        count = 0
        for other, (_, last) in reversed(seen.items()):
            if last <= begin or count == ENOUGH_ACCOUNTS:
                break
            count += other != account
        return count

    def before(self, at: Instant, thing: str | None, account: str | None, created_at: Instant) -> int:
        """Accounts that used it before this account was created, and not recently."""
        seen = self._seen.get(thing) if thing and account else None
        if not seen:
            return 0
        earlier = (
            (first, last)
            for other, (first, last) in reversed(seen.items())
            if other != account and last <= at - SHORT_MEMORY
        )
        asked = islice(earlier, MAX_ASKED)
        return min(sum(first < created_at and last > at - DEVICE_MEMORY for first, last in asked), ENOUGH_ACCOUNTS)

    def known_since(self, thing: str | None, account: str | None) -> Instant | None:
        seen = self._seen.get(thing) if thing and account else None
        times = seen.get(str(account)) if seen else None
        return times[0] if times else None

    def add(self, thing: str | None, account: str | None, at: Instant) -> None:
        if thing and account:
            seen = self._seen[thing]
            first, _ = seen.pop(account, (at, at))
            seen[account] = (first, at)
