"""A cart with one product, a sword."""

from __future__ import annotations

from typing import Any

import msgspec

from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.products import PLAIN, Product
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.money import Hundredths

NOW = Instant(100 * DAY)
SWORD = Product(
    **msgspec.structs.asdict(PLAIN)
    | {"name": "Dragon Sword", "sku": "S-1", "delivery_type": "keys", "price": Hundredths(19_99)},
    id=1,
    slug="dragon-sword",
    sales_count=0,
    created_at=NOW,
    updated_at=NOW,
    deleted_at=None,
)
CART = Cart(customer_id=7, lines=(CartLine(1, 1),), ip_address="203.0.113.9")


def product(number: int = 1, **changes: Any) -> Product:
    return msgspec.structs.replace(SWORD, id=number, **changes)


def cart(**fields: Any) -> Cart:
    return msgspec.structs.replace(CART, **fields)
