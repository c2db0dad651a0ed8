"""The goods of an order: a look at a whole key, and another one for a key that does not work."""

from __future__ import annotations

from lootkeep.console import forms, keys
from lootkeep.console.forms import Field
from lootkeep.console.orders import ORDER
from lootkeep.console.page import Answer, Visit, change
from lootkeep.domain import inputs as inputs_rules
from lootkeep.services import goods as goods_service, orders as orders_service

REPLACE = (Field("reason", "Reason", forms.text(), "Stored with both keys.", is_required=True),)
_REPLACED = "The buyer gets the oldest key that no order has reserved, and this one is marked as replaced."


async def show_key(visit: Visit) -> Answer:
    goods = await goods_service.of_order(visit.deps, visit.id)
    product_id = next((good.product_id for good in goods if str(good.key_id) == visit.form.get("key_id")), 0)
    return await keys.revealed(visit, product_id, f"/orders/{visit.id}")


async def show_replace(visit: Visit) -> Answer:
    order = await ORDER.get(visit)
    sent = visit.form or visit.query
    hidden = {name: sent.get(name, "") for name in ("item_id", "key_id")}
    page = {"title": f"Replace a key of {order.number}", "text": _REPLACED, "submit": "Replace the key"}
    return forms.show(visit, REPLACE, None, **page, hidden=hidden, back=f"/orders/{order.id}")


async def replace_key(visit: Visit) -> Answer:
    item_id, key_id = (inputs_rules.integer(visit.form.get(name, "")) or 0 for name in ("item_id", "key_id"))
    reason = forms.read(visit, REPLACE)["reason"]
    new_id = await orders_service.replace_key(visit.deps, visit.id, item_id, key_id, reason)
    return ORDER.noted(visit, "The key is replaced.", replaced_key=key_id, key=new_id, reason=reason)


PAGES = (
    change("/orders/{id}/show-key", "orders:write", "Show a key", show_key),
    *forms.rows("/orders/{id}/replace-key", "orders:write", "Replace a key", show_replace, replace_key),
)
