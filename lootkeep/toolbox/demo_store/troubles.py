"""The troubles of the demo's last days: an order waits for keys, and another is disputed."""

from __future__ import annotations

from functools import partial

from lootkeep.kernel.clock import DAY, HOUR, MINUTE
from lootkeep.services import keys as keys_service
from lootkeep.toolbox.demo_store.people import DemoCustomer
from lootkeep.toolbox.demo_store.shop import Basket, Shop


class Troubles:
    """Each is an order of a known customer, and what became of it."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop

    def begin(self, length: int) -> None:
        self._shop.agenda.add(length - 2 * DAY, self._sell_for_dispute)
        self._shop.agenda.add(length - 2 * HOUR, self._run_out)
        self._shop.agenda.add(length - 21 * MINUTE, self._leave_unpaid)

    async def _sell_for_dispute(self) -> None:
        products = {product.sku: product for product in self._shop.catalogue.products}
        basket: Basket = [(products["KEY-STARLIT"], 1), (products["FILE-ART"], 1)]
        # The provider reports the dispute; one that is held for review is not paid.
        self._shop.disputed_order_id = await self._sell(self._shop.people[4], basket)

    async def _leave_unpaid(self) -> None:
        """The provider reports their payments."""
        products = {product.sku: product for product in self._shop.catalogue.products}
        for person in self._shop.people[6:12]:
            details = await self._shop.place(person, [(products["FILE-ART"], 1), (products["FILE-OST"], 1)])
            if details.order.status == "pending":
                self._shop.unpaid.append(details)

    async def _sell(self, person: DemoCustomer, basket: Basket) -> int:
        details = await self._shop.place(person, basket)
        if details.order.status == "pending":
            self._shop.agenda.add(MINUTE, partial(self._shop.pay, person, details.order.id))
        return details.order.id

    async def _run_out(self) -> None:
        """Keys were withdrawn between the order and its payment."""
        product = self._shop.catalogue.scarce
        assert product is not None
        await self._sell(self._shop.people[5], [(product, 2)])
        await keys_service.withdraw(self._shop.deps, product.id, batch="Autumn")
