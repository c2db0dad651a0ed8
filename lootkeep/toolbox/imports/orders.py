"""Orders from the rows of a file: products by sku or id, the customer by e-mail or id."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace
from pydantic import create_model

from lootkeep.api.http.fields import IpAddressText, Money, Time
from lootkeep.api.http.validation import Body, parse
from lootkeep.api.records.players import player_of
from lootkeep.api.store.customers import NameText
from lootkeep.api.store.orders import CartLineBody, OrderBody
from lootkeep.api.store.payment import PaymentBody, payment_facts
from lootkeep.deps import Deps
from lootkeep.domain import past_orders as past_orders_rules
from lootkeep.domain.checkout import Cart, CartLine, PastRefund
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError, InvalidFields, invalid
from lootkeep.kernel.money import Hundredths, text
from lootkeep.services import orders as orders_service
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.orders import rows as orders_db
from lootkeep.toolbox.files.dialect import Dialect
from lootkeep.toolbox.files.reading import Rows
from lootkeep.toolbox.imports import cells
from lootkeep.toolbox.imports.cells import CellReader
from lootkeep.toolbox.imports.line_rows import LINE_COLUMNS, combined
from lootkeep.toolbox.imports.references import (
    CUSTOMER_FIELDS,
    CustomerReference,
    ExistingIds,
    PositiveId,
    ProductName,
    existing_ids,
    missing_customer,
    named_product,
    require_customer,
)


class OrderForm(msgspec.Struct, frozen=True):
    """A validated row; its references are not looked up yet."""

    customer: CustomerReference
    products: tuple[ProductName, ...]
    # The cart without customer, products and payment.
    cart: Cart
    payment: PaymentBody | None


# The API's rules, except that an imported order may lack the IP address, and refers to products and customers in its
# own way.
_LineBody = create_model(
    "OrderRowLine", __base__=CartLineBody, product_id=(PositiveId | None, None), sku=(NameText | None, None)
)
_Lines: Any = Annotated[list[_LineBody], *OrderBody.model_fields["items"].metadata]
_Body: type[Body] = create_model(
    "OrderRow",
    __base__=OrderBody,
    ip_address=(IpAddressText | None, None),
    items=(_Lines, ...),
    declined_at=(list[Time], []),
    disputed_at=(Time | None, None),
    # Only compared with the sum of the items.
    total=(Money | None, None),
    **CUSTOMER_FIELDS,
)


_READERS: Mapping[str, CellReader] = {
    "customer_id": cells.integer,
    "items": cells.lines,
    "refunds": cells.refunds,
    "status": cells.word,
    "discount": Dialect.number,
    **dict.fromkeys(("total", "tax_total", "tax_rate"), Dialect.number),
    **dict.fromkeys(("billing_country", "payment_country", "tax_country"), Dialect.country),
    "ip_address": Dialect.ip_address,
    **dict.fromkeys(("created_at", "paid_at", "completed_at", "cancelled_at", "disputed_at"), cells.time),
    "declined_at": cells.times,
}


_NEVER_IMPORTED = {"coupon_code", "gift_card_code", "metadata"}
# A cell cannot contain an object, so payment and player have columns of their own.
_OBJECTS = {
    "payment": {"payment_fingerprint": "fingerprint", "payment_country": "country"},
    "player": {"player_game": "game", "player_id": "id", "player_name": "name"},
}


class Orders:
    """Identified by their external id."""

    noun = "orders"
    key_name = "external id"
    columns = (
        LINE_COLUMNS
        | frozenset(_Body.model_fields) - _NEVER_IMPORTED
        | {column for columns in _OBJECTS.values() for column in columns}
    )
    readers = _READERS

    def __init__(self, *, takes_current_prices: bool = False, accepts_loss: bool = False) -> None:
        self._takes_current_prices = takes_current_prices
        # Amounts are left out, such as taxes: totals and refunds of the file are higher by them.
        self._accepts_loss = accepts_loss

    def missing(self, columns: Collection[str]) -> str | None:
        if "items" not in columns and "item_sku" not in columns:
            return "a column named items or item_sku"
        return missing_customer(columns)

    def combined(self, rows: Rows, dialect: Dialect) -> Rows:
        return combined(rows, dialect)

    def checked(self, values: dict[str, Any], now: Instant) -> OrderForm:
        for part, columns in _OBJECTS.items():
            fields = {name: values.pop(column) for column, name in columns.items() if column in values}
            values |= {part: fields} if fields else {}
        sent = parse(values, _Body).sent()
        customer = require_customer(sent)
        total, payment = sent.pop("total", None), sent.pop("payment", None)
        sent["player"] = player_of(sent.get("player"))
        sent["declined_at"] = tuple(sent.get("declined_at", ()))
        lines = [line.sent() for line in sent.pop("items")]
        products = tuple(named_product(line, f"items.{index}.") for index, line in enumerate(lines))
        sent["refunds"] = tuple(PastRefund(**refund.sent()) for refund in sent.get("refunds", ()))
        cart_lines = tuple(CartLine(0, **line) for line in lines)
        cart = Cart(**{"ip_address": None, **sent}, customer_id=0, lines=cart_lines)
        cart = _history(_lowered(cart) if self._accepts_loss else cart, now)
        if cart.is_concluded and not self._takes_current_prices:
            _check_prices(cart)
        if total is not None and not self._accepts_loss:
            _check_total(cart, total)
        return OrderForm(customer, products, cart, payment)

    def key(self, form: OrderForm) -> str | None:
        return form.cart.external_id

    def unique(self, form: OrderForm) -> dict[str, str]:
        return {}

    async def look_up(self, deps: Deps, tx: Transaction, forms: Sequence[OrderForm]) -> tuple[set[str], ExistingIds]:
        keys = [form.cart.external_id for form in forms if form.cart.external_id is not None]
        products = (product for form in forms for product in form.products)
        existing = await existing_ids(tx, (form.customer for form in forms), products)
        return set(await orders_db.ROWS.ids_by(tx, "external_id", keys)), existing

    async def add(
        self, deps: Deps, tx: Transaction, forms: Sequence[OrderForm], existing: ExistingIds
    ) -> list[bool | AppError]:
        resolved = [_resolved(deps, form, existing) for form in forms]
        carts = [cart for cart in resolved if isinstance(cart, Cart)]
        placed = iter(await orders_service.import_history(deps, tx, carts))
        outcomes = [next(placed) if isinstance(cart, Cart) else cart for cart in resolved]
        return [result if isinstance(result, AppError) else result[1] for result in outcomes]


def _history(cart: Cart, now: Instant) -> Cart:
    """Its times in order. Without times it is current; with a time it is history and sends no events."""
    if cart.created_at is None and not cart.is_concluded and cart.completed_at is None:
        return replace(cart, created_at=now)
    return past_orders_rules.dated(cart, now)


def _check_prices(cart: Cart) -> None:
    """Current prices say nothing about what was paid."""
    errors = {
        f"items.{index}.price": [f"The items.{index}.price field is required, or --current-prices."]
        for index, line in enumerate(cart.lines)
        if line.price is None
    }
    if errors:
        raise InvalidFields(errors)


def _check_total(cart: Cart, total: Hundredths) -> None:
    """Orders have no shipping and no tax on top, so no amount may be dropped silently."""
    expected = _items_total(cart)
    if expected is not None and expected != total:
        raise invalid("total", f"The total field differs from {text(expected)}, the items minus the discount.")


def _lowered(cart: Cart) -> Cart:
    """No more is given back than the imported total: what exceeds it was part of the amounts that are left out."""
    total = _items_total(cart)
    if total is None or not cart.refunds or sum(refund.amount for refund in cart.refunds) < total:
        return cart
    refunds = (replace(cart.refunds[-1], amount=total),) if total else ()
    return replace(cart, status="refunded", refunds=refunds)


def _items_total(cart: Cart) -> Hundredths | None:
    """The items minus the discount; None if a price is missing."""
    amounts = [None if line.price is None else line.price * line.quantity for line in cart.lines]
    if any(amount is None for amount in amounts):
        return None
    return Hundredths(sum(amount or 0 for amount in amounts) - (cart.discount or 0))


def _resolved(deps: Deps, form: OrderForm, existing: ExistingIds) -> Cart | AppError:
    """The cart with ids in place of names, or all unknown names."""
    errors: dict[str, list[str]] = {}
    customer_id = existing.customer(form.customer, errors)
    lines = tuple(
        replace(line, product_id=existing.product(product, f"items.{index}.", errors))
        for index, (product, line) in enumerate(zip(form.products, form.cart.lines, strict=True))
    )
    if errors:
        return InvalidFields(errors)
    return replace(form.cart, customer_id=customer_id, lines=lines, payment=payment_facts(deps, form.payment))
