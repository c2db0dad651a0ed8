"""What a store would remember at each moment, in memory: past orders are replayed with it as if they happened now."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict

import msgspec

from lootkeep.domain.fraud.facts import History
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant

# How long it is remembered who used a device.
DEVICE_MEMORY = 180 * DAY
# What "lately" means for several accounts on one device or address.
SHORT_MEMORY = HOUR
# Accounts are counted this far: a little above what any signal asks for.
ENOUGH_ACCOUNTS = 5
# And orders: no limit can be set higher than 100.
ENOUGH_ORDERS = 101


class Sighting(msgspec.Struct, frozen=True, kw_only=True):
    """An order, reduced to whom it was seen with. Null is what nobody told."""

    at: Instant
    # By what the customer is known: an id, or else the mailbox.
    account: str | None
    # As they are counted: `addresses.network_key` and `identity.mailbox`.
    address: str | None
    mailbox: str | None
    device: str | None


class Memory:
    """Takes orders in the order of time, and only so. A window reaches from just after its beginning to now."""

    def __init__(self, window_minutes: int) -> None:
        self._window = window_minutes * MINUTE
        self._address_orders = _Orders()
        self._mailbox_orders = _Orders()
        self._device_accounts = _Accounts()
        self._address_accounts = _Accounts()

    def history(self, order: Sighting) -> History:
        """What is known before the order, which is not among it."""
        lately = order.at - SHORT_MEMORY
        return History(
            address_orders=self._address_orders.since(order.at - self._window, order.address),
            mailbox_orders=self._mailbox_orders.since(order.at - self._window, order.mailbox),
            device_accounts=self._device_accounts.others(order.at - DEVICE_MEMORY, order.device, order.account),
            device_accounts_in_hour=self._device_accounts.others(lately, order.device, order.account),
            address_accounts_in_hour=self._address_accounts.others(lately, order.address, order.account),
        )

    def remember(self, order: Sighting) -> None:
        """Every order leaves its traces, a blocked one too."""
        self._address_orders.add(order.address, order.at)
        self._mailbox_orders.add(order.mailbox, order.at)
        self._device_accounts.add(order.device, order.account, order.at)
        self._address_accounts.add(order.address, order.account, order.at)


class _Orders:
    """When orders came, by what they came with; most things are seen once, so each has the smallest of lists."""

    def __init__(self) -> None:
        self._times: dict[str, list[Instant]] = {}

    def since(self, begin: int, thing: str | None) -> int:
        times = self._times.get(thing) if thing else None
        if not times:
            return 0
        gone = bisect_right(times, begin)
        found = len(times) - gone
        if gone > found:
            # Seldom enough that it costs next to nothing.
            del times[:gone]
        return min(found, ENOUGH_ORDERS)

    def add(self, thing: str | None, at: Instant) -> None:
        if not thing:
            return
        times = self._times.get(thing)
        if times is None:
            self._times[thing] = [at]
        else:
            times.append(at)


class _Accounts:
    """Which accounts were seen with a thing, each at its last time, the latest at the end."""

    def __init__(self) -> None:
        self._seen: defaultdict[str, dict[str, Instant]] = defaultdict(dict)

    def others(self, begin: int, thing: str | None, account: str | None) -> int:
        """Who is not known cannot be told from others, so nothing is counted."""
        seen = self._seen.get(thing) if thing and account else None
        if not seen:
            return 0
        count = 0
        for other, last in reversed(seen.items()):
            if last <= begin or count == ENOUGH_ACCOUNTS:
                break
            count += other != account
        return count

    def add(self, thing: str | None, account: str | None, at: Instant) -> None:
        if thing and account:
            seen = self._seen[thing]
            seen.pop(account, None)
            seen[account] = at
