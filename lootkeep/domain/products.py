"""Products: their records, and the rules of billing, prices, stock and slugs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from itertools import count
from typing import Any, Literal, TypeVar

import msgspec

from lootkeep.domain import product_commands as product_commands_rules
from lootkeep.domain.codes import fractions
from lootkeep.domain.gift_cards import MAX_BALANCE
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields, invalid
from lootkeep.kernel.money import Hundredths, text

DeliveryType = Literal["keys", "file", "command", "manual", "gift_card"]
BillingType = Literal["one_time", "recurring"]
BillingInterval = Literal["day", "week", "month", "year"]
ProductStatus = Literal["draft", "active", "archived"]
StockStatus = Literal["in_stock", "low_stock", "out_of_stock", "unlimited"]

HIGHEST_PRICE = Hundredths(999_999_99)
# A stock fits into a 32-bit integer of any client, and returned stock can never exceed 64 bits.
MAX_STOCK = 2**31 - 1
LOW_STOCK = 5
MAX_TAGS = 20
# The maximum length of a tag, and of a SKU.
MAX_WORD_LENGTH = 64
MAX_SLUG = 80
# Longer than any number at the end of a slug.
_MAX_SUFFIX = 12

_NOT_IN_A_SLUG = re.compile(r"[^a-z0-9]+")
# The slug of a name without letters or digits that a slug can contain.
_NAMELESS = "product"

T = TypeVar("T", bound="ProductTerms")


class ProductTerms(msgspec.Struct, frozen=True):
    """The fields of a product that the store owner sets."""

    name: str
    sku: str | None
    description: str | None
    delivery_type: DeliveryType
    billing_type: BillingType
    billing_interval: BillingInterval | None
    billing_interval_count: int | None
    status: ProductStatus
    price: Hundredths
    compare_at_price: Hundredths | None
    currency: str
    # None means unlimited.
    stock: int | None
    max_per_order: int | None
    category: str | None
    # A JSON array of words.
    tags: str
    image_url: str | None
    # A JSON object, stored as it was sent.
    metadata: str
    # What a `file` product hands over.
    file_url: str | None
    # For how long what was handed over is valid; None is forever.
    valid_days: int | None
    # A JSON array: what a `command` product runs.
    commands: str


# The defaults of a product: code that creates one replaces what differs.
PLAIN = ProductTerms(
    name="",
    sku=None,
    description=None,
    delivery_type="manual",
    billing_type="one_time",
    billing_interval=None,
    billing_interval_count=None,
    status="active",
    price=Hundredths(0),
    compare_at_price=None,
    currency="USD",
    stock=None,
    max_per_order=None,
    category=None,
    tags="[]",
    image_url=None,
    metadata="{}",
    file_url=None,
    valid_days=None,
    commands="[]",
)


class Product(ProductTerms, frozen=True):
    """A product of the store."""

    id: int
    slug: str
    sales_count: int
    created_at: Instant
    updated_at: Instant
    deleted_at: Instant | None
    # Only a product with keys has these: its stock is what is available and not reserved.
    keys_available: int | None = None
    keys_reserved: int | None = None

    @property
    def search_text(self) -> str:
        """The text that a search looks at, case folded."""
        return f"{self.name}\n{self.sku or ''}".casefold()


# A change of these sends an event; sales and dates change automatically.
PUBLIC_FIELDS = ProductTerms.__struct_fields__


def new(terms: ProductTerms, now: Instant) -> Product:
    """A product with the slug of its name; its id is assigned when it is stored."""
    times: dict[str, Any] = {"created_at": now, "updated_at": now, "deleted_at": None}
    values = msgspec.structs.asdict(checked(terms)) | times
    product = Product(**values, id=0, slug=slug_of(terms.name), sales_count=0)
    return _with_keys(product, terms.stock) if terms.delivery_type == "keys" else product


def checked(terms: T) -> T:
    """The terms, or all reasons why they are invalid."""
    refused = fractions(terms.currency, price=terms.price, compare_at_price=terms.compare_at_price)
    refused |= _check_billing(terms)
    if terms.compare_at_price is not None and terms.compare_at_price <= terms.price:
        refused["compare_at_price"] = ["The compare at price field must be greater than the price."]
    if terms.delivery_type == "gift_card" and not 1 <= terms.price <= MAX_BALANCE:
        refused["price"] = [f"The price field of a gift card must be 0.01 to {text(MAX_BALANCE)}."]
    if terms.billing_type == "recurring" and terms.valid_days is not None:
        refused["valid_days"] = ["The valid days field must be null for recurring billing."]
    commands = product_commands_rules.commands_of(terms.commands)
    if commands and terms.delivery_type != "command":
        refused["commands"] = [
            "The commands field must be empty: only products with the delivery type command have any."
        ]
    refused |= product_commands_rules.check(commands)
    if refused:
        raise InvalidFields(refused)
    return terms


def changed(product: Product, changes: dict[str, Any]) -> Product:
    """The product with some of its terms replaced, checked as a whole."""
    if changes.get("billing_type") == "one_time":
        # Clients need not clear fields that the new billing type does not have.
        changes = {"billing_interval": None, "billing_interval_count": None, **changes}
    after = checked(msgspec.structs.replace(product, **changes))
    if after.delivery_type != "keys":
        return msgspec.structs.replace(after, keys_available=None, keys_reserved=None)
    if product.delivery_type != "keys":
        return _with_keys(after, changes.get("stock"))
    if after.stock != product.stock:
        raise _not_counted()
    return after


def _with_keys(product: Product, stock: int | None) -> Product:
    """The product before it has any keys."""
    if stock:
        raise _not_counted()
    return msgspec.structs.replace(product, stock=0, keys_available=0, keys_reserved=0)


def _not_counted() -> InvalidFields:
    return invalid("stock", "The stock field cannot be set: it is the number of keys that can be sold. Add keys.")


def becomes_low(left: int, taken: int) -> bool:
    """Whether the stock has just fallen to the level of a warning."""
    return left <= LOW_STOCK < left + taken


def changed_fields(before: Product, after: Product) -> list[str]:
    """The names of the public fields that differ, sorted."""
    return sorted(name for name in PUBLIC_FIELDS if getattr(before, name) != getattr(after, name))


def stock_status(stock: int | None) -> StockStatus:
    if stock is None:
        return "unlimited"
    if stock == 0:
        return "out_of_stock"
    return "low_stock" if stock <= LOW_STOCK else "in_stock"


def slug_of(name: str) -> str:
    """`Épée d'Or` becomes `epee-d-or`."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    folded = "".join(letter for letter in letters if not unicodedata.combining(letter)).lower()
    slug = _NOT_IN_A_SLUG.sub("-", folded).strip("-")
    return slug[:MAX_SLUG].rstrip("-") or _NAMELESS


def slug_stem(slug: str) -> str:
    """How every alternative to the slug begins."""
    return slug[: MAX_SLUG - _MAX_SUFFIX]


def slug_after(slug: str, taken: Container[str]) -> str:
    """The first alternative that is free: `sword-2`, `sword-3` and so on, within the maximum length."""
    suffixes = (f"-{number}" for number in count(2))
    alternatives = (slug[: MAX_SLUG - len(suffix)].rstrip("-") + suffix for suffix in suffixes)
    return next(alternative for alternative in alternatives if alternative not in taken)


def _check_billing(terms: ProductTerms) -> dict[str, list[str]]:
    rhythm = {
        "billing_interval": terms.billing_interval,
        "billing_interval_count": terms.billing_interval_count,
    }
    if terms.billing_type == "recurring":
        predicate, at_fault = "is required for recurring billing", [name for name in rhythm if rhythm[name] is None]
    else:
        predicate, at_fault = "must be null for one-time billing", [name for name in rhythm if rhythm[name] is not None]
    return {name: [f"The {name.replace('_', ' ')} field {predicate}."] for name in at_fault}
