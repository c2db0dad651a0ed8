"""Fraud in the demo: each story is repeated over the year, and shows some signals."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from lootkeep.domain.fraud.checks import Waiting
from lootkeep.domain.fraud.facts import Payment
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.services import fraud as fraud_service
from lootkeep.storage.fraud import queue as fraud_queue_db
from lootkeep.toolbox.demo_store import places
from lootkeep.toolbox.demo_store.people import DemoCustomer
from lootkeep.toolbox.demo_store.shop import Shop

# A forwarding service has a real domain: such customers get no e-mails at all from the demo.
_RELAY = "mozmail.com"
_NOTES: dict[ReviewedAs, str] = {
    "fraud": "The card's owner called the bank.",
    "legitimate": "Answered our e-mail; a player for many years.",
    "inconclusive": "No reply to two e-mails.",
}
_PREPAID = Payment(bin="535110", country="PL", funding="prepaid", three_d_secure="not_used")
# How often staff look at the queue, at how many cases, and since when some are left.
_ROUND, _AT_ONCE, _LATELY = 4 * HOUR, 200, 40 * HOUR
# The signals that the stories show. A signal that needs its own story gets one, and its name here.
SHOWN_SIGNALS = frozenset(
    {
        "account_age",
        "blocked_country",
        "confirmed_fraud",
        "datacenter",
        "device_newcomer",
        "device_reuse",
        "device_velocity",
        "disposable_email",
        "geo_mismatch",
        "high_risk_country",
        "ip_accounts",
        "order_burst",
        "proxy",
        "referral_abuse",
        "relay_email",
        "sanctioned_country",
        "tagged_email",
        "tor",
        "trusted_customer",
        "user_agent_missing_or_bot",
        "velocity_email",
        "velocity_ip",
        "vpn",
    }
)


class Frauds:
    """Stories of fraudsters, and of honest customers who only look like them."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop
        # What an order is, by its check, and its buyer: reviewers find out.
        self._truths: dict[int, tuple[DemoCustomer, ReviewedAs | None]] = {}
        self.stories: tuple[Callable[[], Awaitable[None]], ...] = (
            self._holiday,
            self._stolen_card,
            self._program,
            self._onion,
            self._embargo,
            self._far_away,
            self._risky_country,
            self._card_testing,
            self._device_farm,
            self._relay,
            self._own_referral,
            self._again,
        )

    def begin(self, count: int, length: int) -> None:
        """Evenly spread, with some randomness."""
        for number in range(count):
            at = length * number // count + self._shop.between(0, 5 * HOUR)
            self._shop.agenda.add(at, self.stories[number % len(self.stories)])
        # Once more in the last days, so today's figures show something.
        for number, story in enumerate(self.stories):
            self._shop.agenda.add(length - 4 * HOUR * (len(self.stories) - number) + HOUR, story)
        for number in range(length // _ROUND):
            self._shop.agenda.add(number * _ROUND + self._shop.between(0, HOUR), self._review_round)

    async def _holiday(self) -> None:
        """An honest customer with a VPN who hides more than usual."""
        person = await self._new(domain=_RELAY, user_agent=None)
        await self._order(person, "legitimate", ip_address=self._address(places.VPN), billing_country="SG")

    async def _stolen_card(self) -> None:
        """A disposable mailbox, a proxy, and a purchase within the minute."""
        person = await self._new(domain=places.DISPOSABLE)
        self._shop.agenda.add(
            41 * SECOND, partial(self._order, person, "fraud", ip_address=self._address(places.PROXY), payment=_PREPAID)
        )

    async def _program(self) -> None:
        """A script on a rented machine."""
        person = await self._new(user_agent="python-requests/2.32")
        self._shop.agenda.add(
            20 * MINUTE, partial(self._order, person, "fraud", ip_address=self._address(places.DATACENTER))
        )

    async def _onion(self) -> None:
        await self._order(await self._new(), "inconclusive", ip_address=self._address(places.TOR))

    async def _embargo(self) -> None:
        country = places.SANCTIONED_COUNTRY
        await self._order(await self._new(), None, ip_address=self._address(places.SANCTIONED), billing_country=country)

    async def _far_away(self) -> None:
        """From the country that this store has blocked."""
        country = places.BLOCKED_COUNTRY
        await self._order(await self._new(), None, ip_address=self._address(places.BLOCKED), billing_country=country)

    async def _risky_country(self) -> None:
        country = places.HIGH_RISK_COUNTRY
        await self._order(await self._new(), None, ip_address=self._address(places.HIGH_RISK), billing_country=country)

    async def _card_testing(self) -> None:
        """One IP address tries card after card."""
        person = await self._new()
        for number in range(7):
            self._shop.agenda.add(HOUR + number * 2 * MINUTE, partial(self._order, person, "fraud"))

    async def _device_farm(self) -> None:
        """Four accounts of one mailbox on one phone, the last of them a day later."""
        first = await self._new(tag="+1")
        for number, wait in enumerate((0, 9 * MINUTE, 18 * MINUTE, DAY)):
            self._shop.agenda.add(wait, partial(self._sibling, first, number))

    async def _sibling(self, first: DemoCustomer, number: int) -> None:
        person = first
        if number:
            person = self._shop.make.new()
            person.email = first.email.replace("+1@", f"+{number + 1}@")
            person.device_id, person.ip_address = first.device_id, first.ip_address
            await self._shop.sign_up(person)
        await self._order(person, "fraud")

    async def _relay(self) -> None:
        """Careful, not criminal."""
        person = self._shop.make.new()
        person.email = f"{person.email.partition('@')[0]}@{_RELAY}"
        await self._shop.sign_up(person)
        self._shop.agenda.add(3 * DAY, partial(self._order, person, None))

    async def _own_referral(self) -> None:
        """Refers themself, on the same device: the referral is rejected and recorded."""
        first = await self._new()
        second = self._shop.make.new()
        second.device_id = first.device_id
        await self._shop.sign_up(second, first.code)
        self._shop.agenda.add(2 * MINUTE, partial(self._order, second, "inconclusive"))

    async def _again(self) -> None:
        """Confirmed as fraud once, and back a few days later."""
        person = await self._new(domain=places.DISPOSABLE, user_agent="curl/8.7")
        await self._order(person, "fraud")
        self._shop.agenda.add(3 * DAY, partial(self._order, person, "fraud"))

    async def _new(self, *, domain: str | None = None, tag: str = "", **fields: str | None) -> DemoCustomer:
        person = self._shop.make.new()
        name, _, usual = person.email.partition("@")
        person.email = f"{name}{tag}@{domain or usual}"
        if "user_agent" in fields:
            person.user_agent = fields["user_agent"]
        await self._shop.sign_up(person)
        return person

    def _address(self, block: str) -> str:
        return places.special(block, self._shop.rng)

    async def _order(self, person: DemoCustomer, truth: ReviewedAs | None, **fields: Any) -> None:
        """Places the order; someone reviews it, and if it is not stopped it is paid."""
        shop = self._shop
        details = await shop.place(person, shop.basket()[:1], **fields)
        if details.check and details.check.action_taken != "allowed":
            self._truths[details.check.id] = person, truth
        if details.order.status == "pending" and shop.rng.random() < 0.8:
            shop.agenda.add(shop.between(20 * SECOND, 9 * MINUTE), partial(shop.pay, person, details.order.id))
        elif details.order.status == "pending":
            shop.agenda.add(shop.between(20 * HOUR, 30 * HOUR), partial(shop.cancel, details.order.id))

    async def _review_round(self) -> None:
        """Staff look at what waits. In the last days some of it is left, so there is something to review."""
        shop = self._shop
        async with shop.deps.db.read() as tx:
            request = ListRequest(PageRequest(1, _AT_ONCE), {}, "created_at", "asc")
            waiting, _ = await fraud_queue_db.QUEUE.page(tx, request)
        share = 0.05 if shop.clock.now() > shop.agenda.end - _LATELY else 0.75
        for check in waiting:
            if shop.rng.random() < share:
                await self._review(check)

    async def _review(self, check: Waiting) -> None:
        shop = self._shop
        # An ordinary customer who looks like someone else.
        usual: ReviewedAs = "fraud" if check.action_taken == "blocked" else "legitimate"
        person, truth = self._truths.pop(check.id, (None, usual))
        outcome = truth or usual
        is_held = check.order_status == "on_hold"
        if is_held and outcome == "inconclusive":
            outcome = "fraud"
        await fraud_service.review(shop.deps, check.id, outcome, _NOTES[outcome], shop.rng.choice(shop.catalogue.staff))
        if is_held and outcome == "legitimate":
            buyer = person or next(person for person in shop.people if person.id == check.customer_id)
            shop.agenda.add(shop.between(HOUR, 5 * HOUR), partial(shop.pay, buyer, check.order_id))
