"""Exports of shops for game servers and digital goods; their columns are assumed to be named as in their APIs."""

from __future__ import annotations

import re

from lootkeep.toolbox.imports.preset import CellValues, Preset

_UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE)
# An invoice that was never paid takes no stock, however long ago it was.
_OUTCOMES = {
    **dict.fromkeys(("", "complete", "completed", "paid", "success"), "completed"),
    **dict.fromkeys(("refunded", "chargeback", "charged back"), "refunded"),
    **dict.fromkeys(("pending", "expired", "failed", "declined", "cancelled", "canceled"), "cancelled"),
}


def _order(values: CellValues) -> CellValues:
    """An outcome that is not known stays as it is, and the row is rejected."""
    outcome = str(values.pop("outcome", "")).strip()
    status = _OUTCOMES.get(outcome.lower(), outcome)
    if status == "cancelled":
        for name in ("paid_at", "completed_at"):
            values.pop(name, None)
    for line in values.get("items", ()):
        line.setdefault("quantity", 1)
    return values | {"status": status}


def _minecraft_order(values: CellValues) -> CellValues:
    """A player has an id of Minecraft, or is left out: the shop also serves other games."""
    player = {name: values.pop(name) for name in ("player_id", "player_name") if name in values}
    is_minecraft = _UUID.fullmatch(str(player.get("player_id", "")))
    return _order(values | (player | {"player_game": "minecraft"} if is_minecraft else {}))


def _customer(values: CellValues) -> CellValues:
    return values | {"name": values.get("name") or str(values.get("email", "")).partition("@")[0]}


def _package(values: CellValues) -> CellValues:
    """Payments name their package, so the name is the sku."""
    return values | {"sku": values.get("name", "")}


GAME_SHOPS: dict[tuple[str, str], Preset] = {
    ("craftingstore", "products"): Preset(
        {"name": "name", "description": "description", "price": "price", "currency": "currency"}, convert=_package
    ),
    # The file of payments: the shop has no list of customers.
    ("craftingstore", "customers"): Preset(
        {"email": "email", "in_game_name": "name", "in-game name": "name"},
        frozenset({"price", "packageprice"}),
        _customer,
    ),
    ("craftingstore", "orders"): Preset(
        {
            "transaction_id": "external_id",
            "email": "customer_email",
            "timestamp": "created_at",
            "date": "created_at",
            "status": "outcome",
            "gateway": "payment_method",
            "currency": "currency",
            "in_game_name": "player_name",
            "in-game name": "player_name",
            "uuid": "player_id",
            "package_name": "item_sku",
            "package_price": "item_price",
            "price": "item_price",
        },
        convert=_minecraft_order,
    ),
    ("sellauth", "products"): Preset(
        {
            "id": "sku",
            "name": "name",
            "description": "description",
            "price": "price",
            "currency": "currency",
            "stock_count": "stock",
        }
    ),
    # The file of customers, or that of invoices.
    ("sellauth", "customers"): Preset(
        {"customer_id": "external_id", "email": "email"},
        frozenset({"price", "price_usd", "amount", "total_spent", "total_spent_usd"}),
        _customer,
    ),
    ("sellauth", "orders"): Preset(
        {
            "unique_id": "external_id",
            "email": "customer_email",
            "customer_id": "",
            "status": "outcome",
            "created_at": "created_at",
            "completed_at": "paid_at",
            "currency": "currency",
            "gateway": "payment_method",
            "product_id": "item_sku",
            "amount": "item_quantity",
            "price": "item_subtotal",
        },
        frozenset({"price_usd"}),
        _order,
    ),
}
