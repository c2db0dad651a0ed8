"""What of an order was delivered, line by line."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from lootkeep.domain.orders import OrderItem
from lootkeep.kernel.errors import InvalidFields


class DeliveredQuantity(msgspec.Struct, frozen=True):
    """The quantity of a line that was delivered."""

    item_id: int
    quantity: int


def fulfilled(items: Sequence[OrderItem], quantities: Sequence[DeliveredQuantity] | None) -> dict[int, int]:
    """The delivered quantity of each line afterwards: everything unless fewer are given, never more than ordered."""
    if quantities is None:
        return {line.id: line.quantity for line in items}
    lines = {line.id: line for line in items}
    errors: dict[str, list[str]] = {}
    after: dict[int, int] = {}
    for index, part in enumerate(quantities):
        line = lines.get(part.item_id)
        if line is None:
            errors[f"items.{index}.item_id"] = [f"The items.{index}.item id field is not a line of this order."]
        elif part.item_id in after:
            errors[f"items.{index}.item_id"] = [f"The items.{index}.item id field names a line twice."]
        elif part.quantity > (left := line.quantity - line.fulfilled_quantity):
            errors[f"items.{index}.quantity"] = [
                f"The items.{index}.quantity field must not be greater than {left}, what is left to deliver."
            ]
        else:
            after[part.item_id] = line.fulfilled_quantity + part.quantity
    if errors:
        raise InvalidFields(errors)
    return after
