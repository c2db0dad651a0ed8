"""The catalogue over HTTP: the store's back end adds, changes and removes products."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, WithJsonSchema

from lootkeep.api.http.fields import Currency, Metadata, Money, Name, distinct, field, metadata_text, not_blank, refuse
from lootkeep.api.http.routes import MAX_LARGE_BODY, Call, Group, Reply, Route, only_message, single
from lootkeep.api.http.validation import Body, partial
from lootkeep.domain.goods import MAX_VALID_DAYS
from lootkeep.domain.product_commands import MAX_COMMANDS, MAX_DELAY_MINUTES, MAX_TEXT, CommandCause
from lootkeep.domain.products import (
    HIGHEST_PRICE,
    MAX_STOCK,
    MAX_TAGS,
    MAX_WORD_LENGTH,
    BillingInterval,
    BillingType,
    DeliveryType,
    ProductStatus,
    ProductTerms,
)
from lootkeep.kernel import money
from lootkeep.kernel.money import Hundredths
from lootkeep.services import products as products_service
from lootkeep.views import products as products_views

_NO_TAGS: list[str] = []
_NO_COMMANDS: list[Any] = []
_NO_METADATA: dict[str, Any] = {}


def _priced(amount: Hundredths) -> Hundredths:
    if amount > HIGHEST_PRICE:
        raise refuse(f"must not be greater than {money.text(HIGHEST_PRICE)}")
    return amount


def _web_address(value: str) -> str:
    try:
        parts = urlsplit(value)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    # The parser drops line breaks and tabs instead of rejecting them.
    if not is_address or not value.isprintable() or " " in value:
        raise refuse("must be an http or https URL")
    return value


def _one_line(value: str) -> str:
    if not value.isprintable() or not value.strip():
        raise refuse("must be one line of text")
    return value


def _file_address(value: str) -> str:
    if not _web_address(value).lower().startswith("https://"):
        raise refuse("must be an https URL")
    return value


Price = Annotated[
    Money,
    AfterValidator(_priced),
    WithJsonSchema({"type": ["string", "number"], "pattern": r"^\d{1,6}(\.\d{1,2})?$"}),
]
ProductWord = Annotated[str, Field(min_length=1, max_length=MAX_WORD_LENGTH), AfterValidator(not_blank)]
Tags = Annotated[list[ProductWord], Field(max_length=MAX_TAGS), AfterValidator(distinct)]
FileAddress = Annotated[str, Field(max_length=2048, json_schema_extra={"format": "uri"}), AfterValidator(_file_address)]
WebAddress = Annotated[str, Field(max_length=2048, json_schema_extra={"format": "uri"}), AfterValidator(_web_address)]


class CommandBody(Body):
    """A command that a server runs."""

    server_id: Annotated[int, field("The server.", 1, ge=1)]
    on: Annotated[CommandCause, field("When it is run.", "paid")]
    text: Annotated[
        Annotated[str, Field(min_length=1, max_length=MAX_TEXT)],
        AfterValidator(_one_line),
        field(
            "One line. Variables: `{player_name}`, `{player_id}`, `{customer_id}`, `{order_number}`, "
            "`{product}`, `{quantity}`.",
            "lp user {player_name} parent add vip",
        ),
    ]
    needs_player_online: Annotated[bool, field("Whether it waits until the player is online.")] = False
    delay_minutes: Annotated[int, field("How long it waits before it is handed out.", ge=0, le=MAX_DELAY_MINUTES)] = 0


class ProductBody(Body):
    """The fields of a product."""

    name: Annotated[Name, field("What customers see.", "Dragon Sword")]
    sku: Annotated[ProductWord | None, field("The stock keeping unit, unique.", "SWORD-01")] = None
    description: Annotated[Annotated[str, Field(max_length=20_000)] | None, field("The description.")] = None
    delivery_type: Annotated[DeliveryType, field("How it is delivered.")] = "manual"
    billing_type: Annotated[BillingType, field("Paid once or every period.")] = "one_time"
    billing_interval: Annotated[
        BillingInterval | None, field("Unit of the period; required if recurring, null if paid once.")
    ] = None
    billing_interval_count: Annotated[
        Annotated[int, Field(ge=1, le=365)] | None,
        field("Units in a period; required if recurring, null if paid once."),
    ] = None
    status: Annotated[ProductStatus, field("Only active products can be bought.")] = "active"
    price: Annotated[Price, field("The unit price.", "19.99")]
    compare_at_price: Annotated[Money | None, field("A price higher than `price`, shown struck through.", "24.99")] = (
        None
    )
    currency: Annotated[Currency | None, field("Currency of the prices; by default the store's currency.")] = None
    stock: Annotated[
        Annotated[int, Field(ge=0, le=MAX_STOCK)] | None,
        field("The stock; null means unlimited. The stock of a product with keys cannot be set.", 40),
    ] = None
    max_per_order: Annotated[
        Annotated[int, Field(ge=1, le=MAX_STOCK)] | None, field("The maximum quantity per order; null means no limit.")
    ] = None
    category: Annotated[Name | None, field("The category.", "Weapons")] = None
    tags: Annotated[Tags, field("Distinct tags to find it by.", ["rare", "melee"])] = _NO_TAGS
    image_url: Annotated[WebAddress | None, field("The URL of its image.")] = None
    file_url: Annotated[
        FileAddress | None, field("Extension: what a `file` product hands over with the payment; https.")
    ] = None
    valid_days: Annotated[
        Annotated[int, Field(ge=1, le=MAX_VALID_DAYS)] | None,
        field("Extension: for how long it is valid after its delivery; null means forever."),
    ] = None
    commands: Annotated[
        Annotated[list[CommandBody], Field(max_length=MAX_COMMANDS)],
        field("Extension: what a `command` product runs on game servers; replaced as a whole.", []),
    ] = _NO_COMMANDS
    metadata: Annotated[
        Metadata,
        field("Custom data of the store, at most 16 KB; replaced as a whole.", {"rarity": "epic", "level": 40}),
    ] = _NO_METADATA


ProductChanges = partial(ProductBody, "ProductChanges")


async def create_product(call: Call[ProductBody, None]) -> Reply:
    sent = {name: getattr(call.body, name) for name in ProductTerms.__struct_fields__}
    terms = ProductTerms(**as_recorded(sent, call.deps.currency))
    return Reply(products_views.product(await products_service.create(call.deps, terms)))


async def update_product(call: Call[Body, None]) -> Reply:
    changes = as_recorded(call.body.sent(), call.deps.currency)
    return Reply(products_views.product(await products_service.change(call.deps, call.id, changes)))


async def delete_product(call: Call[None, None]) -> Reply:
    await products_service.delete(call.deps, call.id)
    return Reply()


def as_recorded(fields: dict[str, Any], store_currency: str) -> dict[str, Any]:
    """The fields as a product's record stores them: with a currency, and lists and objects as JSON."""
    recorded = dict(fields)
    if "commands" in fields:
        recorded["commands"] = metadata_text([command.model_dump() for command in fields["commands"]])
    for name in fields.keys() & {"tags", "metadata"}:
        recorded[name] = metadata_text(fields[name])
    if "currency" in fields:
        recorded["currency"] = fields["currency"] or store_currency
    return recorded


GROUP = Group(
    name="Store: products",
    description="The catalogue, maintained by the store's back end.",
    prefix="/api/store/v1",
    routes=(
        Route(
            "POST",
            "/products",
            create_product,
            "store:write",
            "Create a product",
            single(products_views.ProductView, "Product created successfully", status=201),
            max_body=MAX_LARGE_BODY,
            description="Sends `product.created`.",
        ),
        Route(
            "PUT",
            "/products/{id}",
            update_product,
            "store:write",
            "Update a product",
            single(products_views.ProductView, "Product updated successfully"),
            body=ProductChanges,
            max_body=MAX_LARGE_BODY,
            description="Changes only the fields that are sent. The delivery type cannot change while the product has "
            "keys or open orders: 409. Sends `product.updated` if something changed.",
            may_conflict=True,
        ),
        Route(
            "DELETE",
            "/products/{id}",
            delete_product,
            "store:write",
            "Delete a product",
            only_message("Product deleted successfully"),
            description="Orders keep its name and price. A product with active subscriptions returns 409 "
            "`product_has_subscriptions`. Sends `product.deleted`.",
            may_conflict=True,
        ),
    ),
)
