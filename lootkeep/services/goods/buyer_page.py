"""The buyer's page of an order: an unguessable link, what was handed over, and who looked at it."""

from __future__ import annotations

import base64
import hmac

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.goods import Look
from lootkeep.domain.orders import Order
from lootkeep.kernel.errors import NotFound, existing
from lootkeep.services.goods import owned
from lootkeep.services.goods.owned import OrderGoods
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import looks as looks_db
from lootkeep.storage.orders import details as order_details_db, rows as orders_db

_PURPOSE = "order page"
# The id and a signature: 43 characters together.
_ID_BYTES = 8
_SIGNATURE_BYTES = 24


def page_url(deps: Deps, order: Order) -> str | None:
    """None without a public URL: a link that leads nowhere helps nobody."""
    return f"{deps.store.public_url}/o/{_tokens(deps, order)[0]}" if deps.store.has_public_url else None


async def load_page(deps: Deps, token: str) -> OrderGoods:
    async with deps.db.read() as tx:
        return await _load(deps, tx, token)


async def look(
    deps: Deps, token: str, item_id: int, key_id: int | None, ip_address: str | None, user_agent: str | None
) -> tuple[OrderGoods, str]:
    """The key, or the URL of the file, of a line; each look is recorded."""
    async with deps.db.write() as tx:
        page = await _load(deps, tx, token)
        matching = [good for good in page.goods if (good.item_id, good.key_id) == (item_id, key_id)]
        value = owned.value_of(deps, page, matching[0]) if matching else None
        if value is None:
            raise NotFound("Good")
        if page.details.customer.erased_at is not None:
            # Nothing is stored of a person again.
            ip_address = user_agent = None
        new = Look(0, page.details.order.id, item_id, key_id, deps.clock.now(), ip_address, user_agent)
        await looks_db.add(tx, new)
    return page, value


async def renew_page(deps: Deps, order_id: int) -> Order:
    """A new link; the old one no longer leads anywhere."""
    async with deps.db.write() as tx:
        before = existing(await orders_db.ROWS.lock(tx, order_id), "Order")
        return await orders_db.ROWS.save(tx, before, replace(before, page_version=before.page_version + 1))


async def _load(deps: Deps, tx: Transaction, token: str) -> OrderGoods:
    order_id = _order_id(token)
    details = None if order_id is None else await order_details_db.get(tx, order_id)
    tokens = [] if details is None else _tokens(deps, details.order)
    if details is None or not any(hmac.compare_digest(ours.encode(), token.encode()) for ours in tokens):
        raise NotFound("Order")
    return await owned.with_goods(deps, tx, details)


def _tokens(deps: Deps, order: Order) -> list[str]:
    """Derived, not stored: a copy of the database without the key opens no page. The first is for new links."""
    content = f"{order.id} {order.page_version}".encode()
    codes = [code[:_SIGNATURE_BYTES] for code in deps.vault.page_codes(content, _PURPOSE)]
    return [base64.urlsafe_b64encode(order.id.to_bytes(_ID_BYTES) + code).decode().rstrip("=") for code in codes]


def _order_id(token: str) -> int | None:
    try:
        raw = base64.urlsafe_b64decode(token + "=")
    except ValueError:
        return None
    order_id = int.from_bytes(raw[:_ID_BYTES])
    return order_id if len(raw) == _ID_BYTES + _SIGNATURE_BYTES and order_id < 2**63 else None
