"""What both APIs share about orders: how to show one and a page of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lootkeep.api.http.routes import Call, Reply
from lootkeep.deps import Deps
from lootkeep.domain.orders import Order
from lootkeep.kernel.errors import existing
from lootkeep.kernel.paging import ListRequest
from lootkeep.storage.orders import details as order_details_db, lists as order_lists_db
from lootkeep.views import orders as orders_views

PageUrl = Callable[[Deps, Order], str | None]


def _no_page(_: Deps, __: Order) -> None:
    """The link to the buyer's page is for the store alone."""


async def read(call: Call[Any, Any], page_url: PageUrl = _no_page) -> Reply:
    async with call.deps.db.read() as tx:
        details = existing(await order_details_db.get(tx, call.id), "Order")
    return Reply(orders_views.order(details, page_url(call.deps, details.order)))


async def answer_page(call: Call[Any, Any], request: ListRequest, page_url: PageUrl = _no_page) -> Reply:
    async with call.deps.db.read(slow=request.is_slow) as tx:
        rows, total = await order_lists_db.LISTING.page(tx, request)
        orders = await order_details_db.with_items(tx, rows)
    views = [orders_views.order(details, page_url(call.deps, details.order)) for details in orders]
    return Reply(views, page=request.page, total=total)
