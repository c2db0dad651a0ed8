"""What of an order was delivered, line by line."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order, is_fulfilled
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields


class DeliveredQuantity(msgspec.Struct, frozen=True):
    """The quantity of a line that was delivered."""

    item_id: int
    quantity: int


def delivered(line: OrderItem, quantity: int, now: Instant) -> OrderItem:
    """The line after this many more pieces were delivered; a whole line waits for nothing."""
    if quantity < line.missing:
        return replace(line, fulfilled_quantity=line.fulfilled_quantity + quantity)
    if line.delivered_at is not None:
        return line
    whole = replace(line, fulfilled_quantity=line.quantity, delivered_at=now, waiting_since=None)
    return replace(whole, expiry_due_at=whole.expires_at) if line.delivery_type == "command" else whole


def concluded(order: Order, lines: Sequence[OrderItem]) -> Order:
    """The order is completed when its last line is delivered; the refund of a part stays visible in the status."""
    if is_fulfilled(order) or any(line.missing for line in lines):
        return order
    status = "completed" if order.status == "paid" else order.status
    return replace(order, status=status, completed_at=order.updated_at)


def fulfilled(
    items: Sequence[OrderItem], quantities: Sequence[DeliveredQuantity] | None, now: Instant
) -> list[OrderItem]:
    """The lines afterwards: everything is delivered unless fewer are given, never more than ordered."""
    if quantities is None:
        return [delivered(line, line.missing, now) for line in items]
    lines = {line.id: line for line in items}
    errors: dict[str, list[str]] = {}
    after: dict[int, OrderItem] = {}
    for index, part in enumerate(quantities):
        line = lines.get(part.item_id)
        if line is None:
            errors[f"items.{index}.item_id"] = [f"The items.{index}.item id field is not a line of this order."]
        elif part.item_id in after:
            errors[f"items.{index}.item_id"] = [f"The items.{index}.item id field names a line twice."]
        elif part.quantity > line.missing:
            errors[f"items.{index}.quantity"] = [
                f"The items.{index}.quantity field must not be greater than {line.missing}, what is left to deliver."
            ]
        else:
            after[part.item_id] = delivered(line, part.quantity, now)
    if errors:
        raise InvalidFields(errors)
    return [after.get(line.id, line) for line in items]
