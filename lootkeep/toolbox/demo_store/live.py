"""Live activity of the demo: sign-ups, orders, payments and frauds, a few per second, until it is stopped."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from random import Random

from lootkeep.deps import Deps
from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.orders import OrderDetails
from lootkeep.kernel.errors import InvalidFields, Unavailable
from lootkeep.kernel.money import text
from lootkeep.services import customers as customers_service, orders as orders_service
from lootkeep.storage import demo as demo_db
from lootkeep.toolbox.demo_store import places
from lootkeep.toolbox.demo_store.people import DemoCustomer, People, form, players

Print = Callable[[str], None]
# Waits for this many seconds; False when it is time to stop.
Sleep = Callable[[float], Awaitable[bool]]

_METHODS = ("card", "card", "paypal", "apple_pay")
_MAX_PAUSE = 0.8
# At most this many recent customers are remembered, and come back to buy.
_REMEMBERED = 200


class Live:
    """One customer does one thing at a time."""

    def __init__(self, deps: Deps, rng: Random, say: Print) -> None:
        self._deps = deps
        self._rng = rng
        self._say = say
        self._people: list[DemoCustomer] = []
        self._unpaid: list[OrderDetails] = []
        self._products: list[int] = []
        self._make = People(rng)

    async def run(self, rest: Sleep) -> None:
        async with self._deps.db.read() as tx:
            self._products = await demo_db.products_on_sale(tx)
            # Mailboxes are numbered after the existing ones.
            self._make = People(self._rng, await demo_db.last_customer(tx) + 1)
        while await rest(self._rng.uniform(0.05, _MAX_PAUSE)):
            try:
                await self._step()
            except Unavailable:
                self._say("The database is busy; trying again.")
            except InvalidFields:
                self._say("A product is sold out: add keys to it.")

    async def _step(self) -> None:
        chance = self._rng.random()
        if self._unpaid and chance < 0.45:
            await self._pay(self._unpaid.pop(0))
        elif not self._people or chance < 0.65:
            await self._sign_up()
        elif chance < 0.92:
            await self._order(self._rng.choice(self._people))
        else:
            await self._defraud()

    async def _sign_up(self) -> DemoCustomer:
        person = self._make.new()
        brought_by = self._rng.choice(self._people).code if self._people and self._rng.random() < 0.4 else None
        signed_up = await customers_service.sign_up(self._deps, form(person, brought_by, accepts_marketing=False))
        person.id, person.code = signed_up.customer.id, signed_up.customer.referral_code
        await customers_service.change(self._deps, person.id, {"identities": players(person)})
        self._people = [*self._people[-_REMEMBERED:], person]
        words = f", referred by {signed_up.referrer.name}" if signed_up.referrer else ""
        self._say(f"{person.name} ({person.country}) signed up{words}.")
        return person

    async def _order(self, person: DemoCustomer) -> None:
        details, _ = await orders_service.place(self._deps, self._cart(person))
        total = f"{text(details.order.total)} {details.order.currency}"
        line = f"{person.name} ordered {details.items[0].product_name}, {total}: {details.order.number}"
        if details.check and details.check.action_taken != "allowed":
            words = details.check.action_taken.replace("_", " ")
            line += f", {words} with a risk score of {details.check.risk_score}"
        self._say(f"{line}.")
        if details.order.status == "pending":
            self._unpaid.append(details)

    async def _pay(self, details: OrderDetails) -> None:
        transaction_id = f"live_{self._rng.getrandbits(48):012x}"
        paid = await orders_service.pay(self._deps, details.order.id, self._rng.choice(_METHODS), transaction_id)
        if paid.order.status == "paid":
            paid, _ = await orders_service.fulfill(self._deps, paid.order.id, None, None)
        self._say(f"{paid.customer.name} paid {paid.order.number}; it is {paid.order.status}.")

    async def _defraud(self) -> None:
        """A new customer in a hurry, at one of the IP addresses in the demo's lists."""
        person = self._make.new()
        person.email = f"{person.email.partition('@')[0]}@{places.DISPOSABLE}"
        block = self._rng.choice((places.VPN, places.PROXY, places.TOR, places.DATACENTER, places.SANCTIONED))
        person.ip_address = places.special(block, self._rng)
        signed_up = await customers_service.sign_up(self._deps, form(person, None, accepts_marketing=False))
        person.id = signed_up.customer.id
        await customers_service.change(self._deps, person.id, {"identities": players(person)})
        await self._order(person)

    def _cart(self, person: DemoCustomer) -> Cart:
        return Cart(
            customer_id=person.id,
            lines=(CartLine(self._rng.choice(self._products), 1),),
            ip_address=person.ip_address,
            billing_country=person.country,
            user_agent=person.user_agent,
            device_id=person.device_id,
        )
