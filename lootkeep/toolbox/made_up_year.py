"""A simulated year of a store: honest buyers of all kinds, and fraudsters; always the same for the same seed.

It shows how the engine ranks them; points are not fitted to it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant, instant
from lootkeep.kernel.money import Hundredths
from lootkeep.toolbox.backtest.reading import COLUMNS, PastOrder, PastOrders

ORDERS = 20_000
SEED = 1
_BEGIN = instant(datetime(2025, 1, 1, tzinfo=UTC))
_YEAR = 365 * DAY
_BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
# Mostly small items, sometimes a large one.
_PRICES = (499, 999, 999, 1999, 1999, 2999, 4999, 9999)
_LARGE = (4999, 9999, 9999, 19_999)
# The share of the frauds that the bank reports, five days to two months later.
_DISPUTED = 0.7


_NETWORKS = {
    "198.51.100": NetworkFacts(country="NL", is_vpn=True, is_datacenter=True),
    "198.18.0": NetworkFacts(country="US", is_datacenter=True),
    "203.0.113": NetworkFacts(country="FR"),
}


class MadeUpLists:
    """What IP lists and domain lists would say about the addresses in this year."""

    def network(self, ip_address: str) -> NetworkFacts:
        return _NETWORKS.get(ip_address.rpartition(".")[0], NetworkFacts(country="DE"))

    def is_disposable(self, domain: str) -> bool:
        return domain == "trash.example"


class _Maker:
    """Makes accounts and orders, and numbers them."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311  always the same orders
        self._accounts = 0
        self._orders = 0

    def moment(self) -> Instant:
        return Instant(_BEGIN + self.rng.randrange(_YEAR))

    def home(self) -> str:
        return f"100.{64 + self.rng.randrange(64)}.{self.rng.randrange(256)}.{1 + self.rng.randrange(254)}"

    def vpn(self) -> str:
        return f"198.51.100.{1 + self.rng.randrange(254)}"

    def account(self, created_at: int, **changes: Any) -> PastOrder:
        """What all orders of an account have in common."""
        self._accounts += 1
        number = self._accounts
        domain = self.rng.choice(("mail.example", "post.example", "letters.example"))
        values: dict[str, Any] = {
            "customer_id": str(number),
            "email": f"p{number}@{domain}",
            "customer_created_at": Instant(created_at),
            "ip_address": self.home(),
            "device_id": f"device-{number}",
            "billing_country": "DE",
            "user_agent": _BROWSER,
            "payment_fingerprint": f"card-{number}",
            "payment_country": "DE",
        }
        return PastOrder(order_id="", is_fraud=False, **values | changes)

    def order(self, account: PastOrder, kind: str, at: int, **changes: Any) -> PastOrder:
        self._orders += 1
        price = Hundredths(self.rng.choice(_PRICES))
        values = {"order_id": f"{kind}-{self._orders}", "created_at": Instant(at), "total": price} | changes
        if values.get("is_fraud") and self.rng.random() < _DISPUTED:
            values["disputed_at"] = Instant(at + self.rng.randrange(5 * DAY, 60 * DAY))
        return replace(account, **values)

    def declines(self, at: int, most: int) -> tuple[Instant, ...]:
        """Declined payments of an order, within ten minutes of it."""
        times = (Instant(at + self.rng.randrange(10 * MINUTE)) for _ in range(self.rng.randint(0, most)))
        return tuple(sorted(times))


def _regulars(make: _Maker) -> Iterator[PastOrder]:
    account = make.account(_BEGIN - make.rng.randrange(_YEAR))
    for _ in range(make.rng.randint(1, 8)):
        yield make.order(account, "regular", make.moment())


def _newcomers(make: _Maker) -> Iterator[PastOrder]:
    """Sign up and buy immediately, some while travelling, some after mistyping the card number."""
    at = make.moment()
    location: dict[str, Any] = {"ip_address": "203.0.113.7"} if make.rng.random() < 0.1 else {}
    account = make.account(at - make.rng.choice((30, 90, 600, 7200)) * MINUTE // 60, **location)
    yield make.order(account, "newcomer", at, declined_at=make.declines(at, 1))
    if make.rng.random() < 0.3:
        yield make.order(account, "newcomer", at + make.rng.randrange(90 * DAY))


def _families(make: _Maker) -> Iterator[PastOrder]:
    """Two to four people with one computer and one connection; the card is often the parents'."""
    at, ip = make.moment(), make.home()
    device, card = f"family-{at}", f"family-card-{at}"
    for _ in range(make.rng.randint(2, 4)):
        at = Instant(at + make.rng.randrange(60 * DAY))
        shared = {"payment_fingerprint": card} if make.rng.random() < 0.5 else {}
        account = make.account(at - make.rng.choice((MINUTE * 5, DAY * 3)), ip_address=ip, device_id=device, **shared)
        for _ in range(make.rng.randint(1, 3)):
            yield make.order(account, "family", at)
            at = Instant(at + make.rng.randrange(20 * DAY))


def _cafe_guests(make: _Maker) -> Iterator[PastOrder]:
    """Strangers at the few computers of an internet cafe."""
    cafe = make.rng.randrange(4)
    account = make.account(_BEGIN - make.rng.randrange(_YEAR), ip_address=f"100.64.0.{cafe + 1}")
    for _ in range(make.rng.randint(1, 5)):
        device = f"cafe-{cafe}-{make.rng.randrange(8)}"
        yield make.order(account, "cafe guest", make.moment(), device_id=device)


def _vpn_users(make: _Maker) -> Iterator[PastOrder]:
    """Careful people: a VPN that exits in another country, and a forwarding e-mail address."""
    account = make.account(make.moment() - 60 * DAY)
    if make.rng.random() < 0.4:
        account = replace(account, email=f"{account.customer_id}@duck.com")
    start = int(account.customer_created_at or 0)
    for _ in range(make.rng.randint(1, 4)):
        yield make.order(account, "VPN user", start + make.rng.randrange(200 * DAY), ip_address=make.vpn())


def _resellers(make: _Maker) -> Iterator[PastOrder]:
    """Many large orders, several on a day, from an office with two cards."""
    account = make.account(_BEGIN - 30 * DAY)
    for _ in range(make.rng.randint(5, 12)):
        at = make.moment()
        for _ in range(make.rng.randint(1, 3)):
            card = f"{account.payment_fingerprint}-{make.rng.randrange(2)}"
            total = Hundredths(make.rng.choice(_LARGE))
            yield make.order(account, "reseller", at, payment_fingerprint=card, total=total)
            at = Instant(at + HOUR)


def _rings(make: _Maker) -> Iterator[PastOrder]:
    """One person, many fresh accounts on one device; later in the year slower and behind a VPN."""
    at = make.moment()
    is_late = at > _BEGIN + _YEAR * 4 // 5
    device, ip = f"ring-{at}", make.vpn() if is_late else make.home()
    for _ in range(make.rng.randint(4, 12)):
        at = Instant(at + make.rng.randrange((10 * DAY) if is_late else (30 * MINUTE)))
        account = make.account(at - make.rng.randrange(10, 600) * MINUTE // 60, device_id=device, ip_address=ip)
        yield make.order(account, "ring", at, is_fraud=True)


def _card_testers(make: _Maker) -> Iterator[PastOrder]:
    """One account, a new stolen card every few minutes, the cheapest thing; most cards are declined."""
    at = make.moment()
    account = make.account(at - 10 * MINUTE, ip_address="198.18.0.9", user_agent=make.rng.choice((None, "curl/8.0")))
    for number in range(make.rng.randint(5, 20)):
        at = Instant(at + make.rng.randrange(MINUTE, 10 * MINUTE))
        card = f"stolen-{at}-{number}"
        yield make.order(
            account,
            "card tester",
            at,
            is_fraud=True,
            payment_fingerprint=card,
            total=Hundredths(499),
            payment_country="US",
            declined_at=make.declines(at, 4),
        )


def _spree_buyers(make: _Maker) -> Iterator[PastOrder]:
    """A stolen card on a new account that looks clean, used up within a day."""
    at = make.moment()
    domain = make.rng.choice(("mail.example", "trash.example"))
    account = make.account(at - make.rng.choice((5 * MINUTE, 5 * HOUR, 5 * DAY)), payment_country="US")
    account = replace(account, email=f"s{account.customer_id}@{domain}")
    for _ in range(make.rng.randint(2, 6)):
        yield make.order(account, "spree buyer", at, is_fraud=True, total=Hundredths(make.rng.choice(_LARGE)))
        at = Instant(at + make.rng.randrange(4 * HOUR))


def _refund_abusers(make: _Maker) -> Iterator[PastOrder]:
    """Ordinary customers who dispute their purchases later: nothing shows it the first time."""
    account = make.account(_BEGIN - make.rng.randrange(_YEAR))
    for number, at in enumerate(sorted(make.moment() for _ in range(make.rng.randint(2, 5)))):
        yield make.order(account, "refund abuser", at, is_fraud=number > 0)


def _unlucky_regulars(make: _Maker) -> Iterator[PastOrder]:
    """Have bought for months; one evening cards are declined again and again, and they order until one is accepted."""
    account = make.account(_BEGIN - 200 * DAY)
    for number in range(6):
        yield make.order(account, "unlucky regular", _BEGIN + (30 * number + make.rng.randrange(20)) * DAY)
    at = Instant(_BEGIN + 250 * DAY + make.rng.randrange(100 * DAY))
    for _ in range(9):
        yield make.order(account, "unlucky regular", at, declined_at=(Instant(at + MINUTE),))
        at = Instant(at + 5 * MINUTE)


# The groups of buyers, and their share of all orders. New groups come last: the others stay as they are.
_KINDS: tuple[tuple[Callable[[_Maker], Iterator[PastOrder]], float], ...] = (
    (_regulars, 0.52),
    (_newcomers, 0.20),
    (_families, 0.10),
    (_cafe_guests, 0.04),
    (_vpn_users, 0.06),
    (_resellers, 0.055),
    (_rings, 0.008),
    (_card_testers, 0.005),
    (_spree_buyers, 0.007),
    (_refund_abusers, 0.005),
    (_unlucky_regulars, 0.01),
)


def made_up_year(orders: int = ORDERS, seed: int = SEED) -> PastOrders:
    make = _Maker(seed)
    simulated: list[PastOrder] = []
    for visit, share in _KINDS:
        end = len(simulated) + orders * share
        while len(simulated) < end:
            # Everything after the year is cut off.
            simulated += (order for order in visit(make) if (order.created_at or 0) < _BEGIN + _YEAR)
    return PastOrders(frozenset(COLUMNS), simulated)


def kind_of(order: PastOrder) -> str:
    return order.order_id.rpartition("-")[0]
