"""What stores in tests of any sequence sell."""

from __future__ import annotations

from typing import Any

# Scarce and slow, cheap and automatic, free, and in another currency: every way an order can go.
CATALOGUE: dict[str, dict[str, Any]] = {
    "rank": {"price": 20_00, "stock": 6},
    "key": {"price": 5, "delivery_type": "keys", "stock": 50},
    "gift": {"price": 0, "stock": 4},
    "import": {"price": 10_00, "currency": "EUR", "delivery_type": "file"},
    "card": {"price": 15_00, "delivery_type": "gift_card"},
}
