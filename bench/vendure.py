"""The peer Vendure on PostgreSQL, which has a GraphQL API: its server, and its side of the five operations."""

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from bench import api
from bench.options import Options
from bench.report import SectionResult
from bench.shops import SALE, SEEDED, Connection, Operation, Side, compared
from bench.subjects import ROOT, Subject, free_port, ready, server

ADMIN, SHOP = "/admin-api", "/shop-api"

TEXT = """CPU of five operations compared with Vendure on PostgreSQL (`bench/peers/vendure`), service and database
server together, through its GraphQL API, with no plugin and no worker. The answers are alike, not the same: each asks
for what a page needs. A product in Vendure is a product and a variant, which takes two calls. From cart to paid is a
guest who puts two lines into the cart and pays: seven calls there, three here (sign-up, order, payment). Ours is
judged, hands out three keys and has sent its webhook before its round ends; theirs is not judged, hands out nothing and
sends nothing."""

_ORDER = """id code state total currencyCode createdAt customer { id emailAddress firstName }
    lines { id quantity unitPrice linePrice productVariant { id name sku } }"""
_PRODUCTS = """{ products(options: {take: 15}) { totalItems items { id name slug description createdAt updatedAt
    variants { id name sku price currencyCode stockLevel } } } }"""
_FAILED = "__typename ... on ErrorResult { message }"
SETUP = (
    'mutation { createZone(input: {name: "World"}) { id } }',
    'mutation { createCountry(input: {code: "KR", enabled: true, translations: [{languageCode: en, name: "Korea"}]})'
    " { id } }",
    "mutation { addMembersToZone(zoneId: 1, memberIds: [1]) { id } }",
    "mutation { updateChannel(input: {id: 1, defaultTaxZoneId: 1, defaultShippingZoneId: 1, pricesIncludeTax: true})"
    " { __typename } }",
    'mutation { createTaxCategory(input: {name: "Goods", isDefault: true}) { id } }',
    'mutation { createTaxRate(input: {name: "None", enabled: true, value: 0, zoneId: 1, categoryId: 1}) { id } }',
    'mutation { createShippingMethod(input: {code: "digital", fulfillmentHandler: "manual-fulfillment", checker: {code:'
    ' "default-shipping-eligibility-checker", arguments: [{name: "orderMinimum", value: "0"}]}, calculator: {code:'
    ' "default-shipping-calculator", arguments: [{name: "rate", value: "0"}, {name: "includesTax", value: "auto"},'
    ' {name: "taxRate", value: "0"}]}, translations: [{languageCode: en, name: "Digital", description: ""}]}) { id } }',
    'mutation { createPaymentMethod(input: {code: "card", enabled: true, handler: {code: "dummy-payment-handler",'
    ' arguments: [{name: "automaticSettle", value: "true"}]}, translations: [{languageCode: en, name: "Card",'
    ' description: ""}]}) { id } }',
)


async def _query(connection: Connection, path: str, query: str, **variables: object) -> Any:
    answer = await connection.call("POST", path, {"query": query, "variables": variables})
    for value in answer.values():
        if isinstance(value, dict) and "message" in value:
            raise SystemExit(f"Vendure refused: {value}")
    return answer


async def _product(connection: Connection, number: int) -> None:
    body = api.product(number)
    translation = {"languageCode": "en", "name": body["name"]}
    shown = translation | {"slug": f"dragon-sword-{number}", "description": body["description"]}
    create = "mutation($input: CreateProductInput!) { createProduct(input: $input) { id name slug description } }"
    created = await _query(connection, ADMIN, create, input={"enabled": True, "translations": [shown]})
    variant = {"productId": created["createProduct"]["id"], "sku": body["sku"], "price": 1999, "stockOnHand": 1_000_000}
    add = "mutation($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id sku price } }"
    await _query(connection, ADMIN, add, input=[variant | {"translations": [translation]}])


async def _sale(connection: Connection, number: int) -> None:
    first = number % (SEEDED - 1) + 1
    # A new guest: the token of the administrator is not theirs.
    connection.token = ""
    add = "mutation($id: ID!, $quantity: Int!) { addItemToOrder(productVariantId: $id, quantity: $quantity) {%s} }"
    await _query(connection, SHOP, add % _FAILED, id=first, quantity=2)
    await _query(connection, SHOP, add % _FAILED, id=first + 1, quantity=1)
    who = {"emailAddress": f"jun{number}@example.com", "firstName": "Jun", "lastName": "Park"}
    customer = "mutation($input: CreateCustomerInput!) { setCustomerForOrder(input: $input) {%s} }"
    await _query(connection, SHOP, customer % _FAILED, input=who)
    for step in (
        'setOrderShippingAddress(input: {streetLine1: "Main Street 1", countryCode: "KR"})',
        "setOrderShippingMethod(shippingMethodId: [1])",
        'transitionOrderToState(state: "ArrangingPayment")',
    ):
        await _query(connection, SHOP, f"mutation {{ {step} {{ {_FAILED} }} }}")
    pay = (
        'mutation { addPaymentToOrder(input: {method: "card", metadata: {}}) { %s ... on Order { state code total } } }'
    )
    paid = await _query(connection, SHOP, pay % _FAILED)
    assert paid["addPaymentToOrder"]["state"] == "PaymentSettled", paid


OPERATIONS: dict[str, Operation] = {
    "product list": lambda connection, _: _query(connection, SHOP, _PRODUCTS),
    "order list": lambda connection, _: _query(
        connection,
        ADMIN,
        f"{{ orders(options: {{take: 15, sort: {{createdAt: DESC}}}}) {{ totalItems items {{ {_ORDER} }} }} }}",
    ),
    "an order": lambda connection, _: _query(connection, ADMIN, f"{{ order(id: 7) {{ {_ORDER} }} }}"),
    "product creation": _product,
    SALE: _sale,
}


@contextmanager
def vendure(database_url: str) -> Iterator[tuple[Subject, dict[str, Operation]]]:
    port, password = free_port(), secrets.token_urlsafe(16)
    settings = {"PEER_DATABASE_URL": database_url, "PEER_PORT": str(port)}
    settings |= {"PEER_USER": "bench", "PEER_PASSWORD": password}
    with server(["node", str(ROOT / "bench/peers/vendure/server.js")], settings) as process:
        subject = ready(Subject("Vendure", process.pid, port, ""), process, "/health")
        yield asyncio.run(_signed_in(subject, password)), OPERATIONS


async def _signed_in(subject: Subject, password: str) -> Subject:
    async with Side(subject, {}).connected() as connection:
        login = f'mutation {{ login(username: "bench", password: "{password}") {{ {_FAILED} }} }}'
        await _query(connection, ADMIN, login)
        for step in SETUP:
            await _query(connection, ADMIN, step)
        return replace(subject, token=connection.token)


def measure(options: Options) -> SectionResult:
    return compared(vendure, options)
