"""The products of the stores in state machine tests."""

from __future__ import annotations

from typing import Any

# Limited and manual, cheap and automatic, free, and in another currency: every path of an order.
CATALOGUE: dict[str, dict[str, Any]] = {
    "rank": {"price": 20_00, "stock": 6},
    "key": {"price": 5, "delivery_type": "keys"},
    "gift": {"price": 0, "stock": 4},
    "import": {"price": 10_00, "currency": "EUR", "delivery_type": "file", "file_url": "https://files.example/1"},
    "card": {"price": 15_00, "delivery_type": "gift_card"},
}
KEYS = [f"KEY-{number:04d}" for number in range(50)]
