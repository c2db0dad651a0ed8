"""What both APIs share about orders: how to show one and a page of them."""

from __future__ import annotations

from typing import Any

from lootkeep.api.http.routes import Call, Reply
from lootkeep.kernel.errors import existing
from lootkeep.kernel.paging import ListRequest
from lootkeep.storage.orders import details as order_details_db, lists as order_lists_db
from lootkeep.views import orders as orders_views


async def read(call: Call[Any, Any]) -> Reply:
    async with call.deps.db.read() as tx:
        details = existing(await order_details_db.get(tx, call.id), "Order")
    return Reply(orders_views.order(details))


async def answer_page(call: Call[Any, Any], request: ListRequest) -> Reply:
    async with call.deps.db.read(slow=request.is_slow) as tx:
        rows, total = await order_lists_db.LISTING.page(tx, request)
        orders = await order_details_db.with_items(tx, rows)
    return Reply([orders_views.order(details) for details in orders], page=request.page, total=total)
