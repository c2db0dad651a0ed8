"""References of rows to customers and products: by id, external id, e-mail or sku."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any

import msgspec
from pydantic import Field

from lootkeep.api.http.fields import EmailAddress
from lootkeep.api.store.customers import NameText
from lootkeep.kernel.errors import invalid
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.products import rows as products_db

CUSTOMER_COLUMNS = ("customer_id", "customer_external_id", "customer_email")

PositiveId = Annotated[int, Field(ge=1)]
# For the body of a row: any of them identifies the customer.
CUSTOMER_FIELDS: dict[str, Any] = {
    "customer_id": (PositiveId | None, None),
    "customer_external_id": (NameText | None, None),
    "customer_email": (EmailAddress | None, None),
}


def aliases_of(columns: Collection[str]) -> dict[str, str]:
    """Headings that stand for a column of this kind: a file of orders calls the customer's e-mail `email`."""
    return {"email": "customer_email"} if "customer_email" in columns else {}


class CustomerReference(msgspec.Struct, frozen=True):
    """A column that identifies a customer, and its value."""

    column: str
    name: str | int


class ProductName(msgspec.Struct, frozen=True):
    """A product as the file refers to it: the sku counts, then the id."""

    id: int | None
    sku: str | None


class ExistingIds(msgspec.Struct, frozen=True):
    """The ids of the references in a batch."""

    customers: Mapping[tuple[str, str], int]
    products: Mapping[str, int]

    def customer(self, customer: CustomerReference, errors: dict[str, list[str]]) -> int:
        if isinstance(customer.name, int):
            return customer.name
        customer_id = self.customers.get((customer.column, customer.name))
        if customer_id is None:
            words = customer.column.replace("_", " ")
            errors[customer.column] = [f"The {words} field is not a customer of this store."]
        return customer_id or 0

    def product(self, product: ProductName, prefix: str, errors: dict[str, list[str]]) -> int:
        product_id = self.products.get(product.sku, product.id) if product.sku is not None else product.id
        if product_id is None:
            errors[f"{prefix}sku"] = [f"The {prefix}sku field is not a product of this store."]
        return product_id or 0


def named_customer(sent: dict[str, Any]) -> CustomerReference | None:
    """Removes the columns that identify the customer from the row; the first that is set counts."""
    names = {column: sent.pop(column, None) for column in CUSTOMER_COLUMNS}
    return next((CustomerReference(column, name) for column, name in names.items() if name is not None), None)


def require_customer(sent: dict[str, Any]) -> CustomerReference:
    customer = named_customer(sent)
    if customer is None:
        raise invalid(
            "customer_email", "The customer email field is required, or another column that identifies the customer."
        )
    return customer


def named_product(sent: dict[str, Any], prefix: str = "") -> ProductName:
    sku, product_id = sent.pop("sku", None), sent.pop("product_id", None)
    if sku is None and product_id is None:
        raise invalid(f"{prefix}product_id", f"The {prefix}product id field is required, or a sku.")
    return ProductName(product_id, sku)


def missing_customer(columns: Collection[str]) -> str | None:
    if any(name in columns for name in CUSTOMER_COLUMNS):
        return None
    return f"a column named {', '.join(CUSTOMER_COLUMNS[:-1])} or {CUSTOMER_COLUMNS[-1]}"


async def existing_ids(
    tx: Transaction, customers: Iterable[CustomerReference | None], products: Iterable[ProductName]
) -> ExistingIds:
    people = [customer for customer in customers if customer is not None]
    by_email = await customers_db.ROWS.ids_by(tx, "email", _names(people, "customer_email"))
    by_external_id = await customers_db.ROWS.ids_by(tx, "external_id", _names(people, "customer_external_id"))
    return ExistingIds(
        {("customer_email", email): customer_id for email, customer_id in by_email.items()}
        | {("customer_external_id", name): customer_id for name, customer_id in by_external_id.items()},
        await products_db.ROWS.ids_by(tx, "sku", [product.sku for product in products if product.sku is not None]),
    )


def _names(customers: Iterable[CustomerReference], column: str) -> list[str]:
    return [str(customer.name) for customer in customers if customer.column == column]
