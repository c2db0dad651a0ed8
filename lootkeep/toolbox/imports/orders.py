"""Orders as a row of a file brings them: products by sku or id, the customer by e-mail or id."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace
from pydantic import BeforeValidator, Field, create_model

from lootkeep.api.http.fields import Email, IpAddress, QueryInteger, Time
from lootkeep.api.http.validation import Body, parse
from lootkeep.api.store.customers import NameText
from lootkeep.api.store.orders import CartLineBody, OrderBody
from lootkeep.api.store.payment import PaymentBody, payment_facts
from lootkeep.deps import Deps
from lootkeep.domain import checkout
from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError, InvalidFields, invalid
from lootkeep.services import orders as orders_service
from lootkeep.storage import natural_keys
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.totals.changes import CounterDeltas

_REFERENCES = ("customer_id", "customer_external_id", "customer_email")
_DIGITS = re.compile(r"[0-9]{1,18}")


class LineProduct(msgspec.Struct, frozen=True):
    """A line's product as the file names it."""

    id: int | None
    sku: str | None


class OrderForm(msgspec.Struct, frozen=True):
    """A checked row; whom and what it names is not looked up yet."""

    # What names the customer, and the name.
    reference: str
    customer: str | int
    products: tuple[LineProduct, ...]
    # The cart without customer, products and payment.
    cart: Cart
    payment: PaymentBody | None


class ExistingIds(msgspec.Struct, frozen=True):
    """The ids behind the names that a batch uses."""

    customers: Mapping[tuple[str, str], int]
    products: Mapping[str, int]


def _split(text: Any) -> Any:
    """`SWORD-01:2;12:1` as lines; the last colon counts, since a sku may hold one."""
    lines = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        sku, colon, quantity = part.rpartition(":")
        if not colon:
            lines.append({"sku": part})
        else:
            lines.append({"sku": sku, "quantity": int(quantity) if _DIGITS.fullmatch(quantity) else quantity})
    return lines


def _times(text: Any) -> Any:
    return [time for part in text.split(";") if (time := part.strip())]


# The API's rules, except that history may not know the address, and names its products and customers in its own way.
_Id = Annotated[int, Field(ge=1)]
_LineBody = create_model(
    "OrderRowLine", __base__=CartLineBody, product_id=(_Id | None, None), sku=(NameText | None, None)
)
_Lines: Any = Annotated[list[_LineBody], *OrderBody.model_fields["items"].metadata]
_JsonBody: type[Body] = create_model(
    "OrderRow",
    __base__=OrderBody,
    customer_id=(_Id | None, None),
    customer_external_id=(NameText | None, None),
    customer_email=(Email | None, None),
    ip_address=(IpAddress | None, None),
    items=(_Lines, ...),
    declined_at=(list[Time], []),
    disputed_at=(Time | None, None),
)
_TextBody: type[Body] = create_model(
    "OrderTextRow",
    __base__=_JsonBody,
    customer_id=(Annotated[QueryInteger, Field(ge=1)] | None, None),
    items=(Annotated[_Lines, BeforeValidator(_split)], ...),
    declined_at=(Annotated[list[Time], BeforeValidator(_times)], []),
)


# A cell holds no object: what it may say of the payment has columns of its own.
_PAYMENT = {"payment_fingerprint": "fingerprint", "payment_country": "country"}


class Orders:
    """Known again by their external id."""

    noun = "orders"
    columns = frozenset(_JsonBody.model_fields) - {"coupon_code", "gift_card_code", "metadata"} | _PAYMENT.keys()

    def missing(self, columns: Collection[str]) -> str | None:
        if "items" not in columns:
            return "a column named items"
        if not any(name in columns for name in _REFERENCES):
            return f"a column named {', '.join(_REFERENCES[:-1])} or {_REFERENCES[-1]}"
        return None

    def checked(self, values: dict[str, Any], now: Instant, *, is_text: bool) -> OrderForm:
        paid_with = {name: values.pop(column) for column, name in _PAYMENT.items() if column in values}
        if paid_with:
            values["payment"] = paid_with
        sent = parse(values, _TextBody if is_text else _JsonBody).sent()
        references = {name: sent.pop(name, None) for name in _REFERENCES}
        reference = next((name for name in _REFERENCES if references[name] is not None), None)
        if reference is None:
            raise invalid("customer_email", "The customer email field is required, or another that names the customer.")
        lines = [line.sent() for line in sent.pop("items")]
        products = tuple(_product(line, index, is_text=is_text) for index, line in enumerate(lines))
        quantities = tuple(CartLine(0, line["quantity"]) for line in lines)
        payment = sent.pop("payment", None)
        sent["declined_at"] = tuple(sent.pop("declined_at", ()))
        cart = _history(Cart(**{"ip_address": None, **sent}, customer_id=0, lines=quantities), now)
        return OrderForm(reference, references[reference], products, cart, payment)

    def key(self, form: OrderForm) -> str | None:
        return form.cart.external_id

    def unique(self, form: OrderForm) -> dict[str, str]:
        return {}

    async def look_up(self, tx: Transaction, forms: Sequence[OrderForm]) -> tuple[set[str], ExistingIds]:
        keys = [form.cart.external_id for form in forms if form.cart.external_id is not None]
        by_email = await natural_keys.customers_by_email(tx, _names(forms, "customer_email"))
        by_external_id = await natural_keys.customers_by_external_id(tx, _names(forms, "customer_external_id"))
        skus = [product.sku for form in forms for product in form.products if product.sku is not None]
        existing = ExistingIds(
            {("customer_email", email): customer_id for email, customer_id in by_email.items()}
            | {("customer_external_id", name): customer_id for name, customer_id in by_external_id.items()},
            await natural_keys.products_by_sku(tx, skus),
        )
        return set(await natural_keys.orders_by_external_id(tx, keys)), existing

    async def add(
        self, deps: Deps, tx: Transaction, forms: Sequence[OrderForm], existing: ExistingIds, changes: CounterDeltas
    ) -> list[bool | AppError]:
        resolved = [_resolved(deps, form, existing) for form in forms]
        carts = [cart for cart in resolved if isinstance(cart, Cart)]
        placed = iter(await orders_service.import_history(deps, tx, carts, changes))
        outcomes = [next(placed) if isinstance(cart, Cart) else cart for cart in resolved]
        return [result if isinstance(result, AppError) else result[1] for result in outcomes]


def _history(cart: Cart, now: Instant) -> Cart:
    """Its times in order. One that names none is of now: with a time of its own it is history and announces nothing."""
    if cart.created_at is None and cart.paid_at is None and cart.completed_at is None:
        return replace(cart, created_at=now)
    checkout.check_times(cart, now)
    return cart


def _product(line: dict[str, Any], index: int, *, is_text: bool) -> LineProduct:
    sku, product_id = line.get("sku"), line.get("product_id")
    if sku is None and product_id is None:
        raise invalid(f"items.{index}.product_id", f"The items.{index}.product id field is required, or a sku.")
    if sku is None:
        return LineProduct(product_id, None)
    # Only a cell leaves open which of the two it names: the sku counts, then the id.
    return LineProduct(int(sku) if is_text and _DIGITS.fullmatch(sku) else None, sku)


def _names(forms: Sequence[OrderForm], reference: str) -> list[str]:
    return [str(form.customer) for form in forms if form.reference == reference]


def _resolved(deps: Deps, form: OrderForm, existing: ExistingIds) -> Cart | AppError:
    """The cart with ids in place of names, or every name that leads nowhere."""
    errors: dict[str, list[str]] = {}
    customer_id = (
        form.customer if isinstance(form.customer, int) else existing.customers.get((form.reference, form.customer))
    )
    if customer_id is None:
        words = form.reference.replace("_", " ")
        errors[form.reference] = [f"The {words} field is not a customer of this store."]
    lines = []
    for index, (product, line) in enumerate(zip(form.products, form.cart.lines, strict=True)):
        product_id = existing.products.get(product.sku, product.id) if product.sku is not None else product.id
        if product_id is None:
            errors[f"items.{index}.sku"] = [f"The items.{index}.sku field is not a product of this store."]
        else:
            lines.append(CartLine(product_id, line.quantity))
    if errors or customer_id is None:
        return InvalidFields(errors)
    payment = payment_facts(deps, form.payment)
    return replace(form.cart, customer_id=customer_id, lines=tuple(lines), payment=payment)
