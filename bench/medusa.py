"""The peer Medusa on PostgreSQL: its server, and its side of the five operations."""

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from bench import api
from bench.options import Options
from bench.report import SectionResult
from bench.shops import SALE, SEEDED, Connection, Operation, Side, compared
from bench.subjects import ROOT, Subject, free_port, ready, run_command, server

MAIL = "bench@example.com"
FOLDER = ROOT / "bench/peers/medusa"
MEDUSA = ["env", "-C", str(FOLDER), "node", str(FOLDER / "node_modules/@medusajs/cli/cli.js")]
PERSON = {"first_name": "Jun", "last_name": "Park", "address_1": "Main Street 1", "city": "Seoul", "country_code": "kr"}

TEXT = """CPU of five operations compared with Medusa on PostgreSQL (`bench/peers/medusa`), service and database server
together, through its HTTP API, with the modules of its starter and without the pages of its admin. From cart to paid
is a guest who puts two lines into the cart and pays: eight calls there, which end with a payment that is authorised,
three here (sign-up, order, payment). Ours is judged, hands out three keys and has sent its webhook before its round
ends; theirs is not judged, hands out nothing and sends nothing."""


@dataclass(frozen=True)
class Shop:
    """What Medusa is asked with: ids of what a shop needs, and the key of its storefront."""

    key: str
    channel: str
    region: str
    shipping_profile: str
    shipping_option: str
    # The variants on sale, in the order of their creation, and an order.
    variants: list[str]
    orders: list[str]

    async def store(self, connection: Connection, path: str, body: object = None) -> Any:
        method = "GET" if body is None else "POST"
        return await connection.exchange(method, f"/store/{path}", body, f"x-publishable-api-key: {self.key}")

    async def product(self, connection: Connection, number: int) -> None:
        product = api.product(number)
        variant = {"title": "One", "sku": product["sku"], "manage_inventory": False, "options": {"Kind": "One"}}
        variant["prices"] = [{"currency_code": "usd", "amount": 19.99}]
        body = {"title": product["name"], "handle": f"dragon-sword-{number}", "description": product["description"]}
        body |= {"status": "published", "options": [{"title": "Kind", "values": ["One"]}], "variants": [variant]}
        body |= {"sales_channels": [{"id": self.channel}], "shipping_profile_id": self.shipping_profile}
        created = await admin(connection, "products", body)
        self.variants.append(created["product"]["variants"][0]["id"])

    async def sale(self, connection: Connection, number: int) -> None:
        first = number % (SEEDED - 1)
        lines = [{"variant_id": self.variants[first + extra], "quantity": 2 - extra} for extra in (0, 1)]
        cart = (await self.store(connection, "carts", {"region_id": self.region}))["cart"]["id"]
        for line in lines:
            await self.store(connection, f"carts/{cart}/line-items", line)
        await self.store(connection, f"carts/{cart}", {"email": f"jun{number}@example.com", "shipping_address": PERSON})
        await self.store(connection, f"carts/{cart}/shipping-methods", {"option_id": self.shipping_option})
        payment = await self.store(connection, "payment-collections", {"cart_id": cart})
        sessions = f"payment-collections/{payment['payment_collection']['id']}/payment-sessions"
        await self.store(connection, sessions, {"provider_id": "pp_system_default"})
        placed = await self.store(connection, f"carts/{cart}/complete", {})
        assert placed["type"] == "order", placed
        self.orders.append(placed["order"]["id"])

    @property
    def operations(self) -> dict[str, Operation]:
        return {
            "product list": lambda connection, _: self.store(
                connection, f"products?limit=15&region_id={self.region}&fields=*variants.calculated_price"
            ),
            "order list": lambda connection, _: admin(connection, "orders?limit=15&order=-created_at"),
            "an order": lambda connection, _: admin(connection, f"orders/{self.orders[6]}"),
            "product creation": self.product,
            SALE: self.sale,
        }


async def admin(connection: Connection, path: str, body: object = None) -> Any:
    return await connection.exchange("GET" if body is None else "POST", f"/admin/{path}", body)


async def opened_shop(connection: Connection) -> Shop:
    """As the seed of the starter does it: a region, a place, a way of shipping, and payment without a provider."""
    channel = (await admin(connection, "sales-channels"))["sales_channels"][0]["id"]
    region = await admin(
        connection,
        "regions",
        {"name": "World", "currency_code": "usd", "countries": ["kr"], "payment_providers": ["pp_system_default"]},
    )
    place = (await admin(connection, "stock-locations", {"name": "Home"}))["stock_location"]["id"]
    await admin(connection, f"stock-locations/{place}/sales-channels", {"add": [channel]})
    await admin(connection, f"stock-locations/{place}/fulfillment-providers", {"add": ["manual_manual"]})
    shipped = {"name": "Digital", "type": "shipping"}
    answer = await admin(connection, f"stock-locations/{place}/fulfillment-sets?fields=*fulfillment_sets", shipped)
    fulfilment = f"fulfillment-sets/{answer['stock_location']['fulfillment_sets'][0]['id']}/service-zones"
    zones = {"name": "World", "geo_zones": [{"type": "country", "country_code": "kr"}]}
    zone = (await admin(connection, fulfilment, zones))["fulfillment_set"]["service_zones"][0]["id"]
    profiles = (await admin(connection, "shipping-profiles"))["shipping_profiles"]
    if not profiles:
        profiles = [
            (await admin(connection, "shipping-profiles", {"name": "All", "type": "default"}))["shipping_profile"]
        ]
    option = {"name": "Digital", "service_zone_id": zone, "shipping_profile_id": profiles[0]["id"]}
    option |= {"provider_id": "manual_manual", "price_type": "flat", "rules": []}
    option |= {"type": {"label": "Digital", "description": "At once", "code": "digital"}}
    option |= {"prices": [{"currency_code": "usd", "amount": 0}]}
    shipping = (await admin(connection, "shipping-options", option))["shipping_option"]["id"]
    key = (await admin(connection, "api-keys", {"title": "Bench", "type": "publishable"}))["api_key"]
    await admin(connection, f"api-keys/{key['id']}/sales-channels", {"add": [channel]})
    return Shop(key["token"], channel, region["region"]["id"], profiles[0]["id"], shipping, [], [])


@contextmanager
def medusa(database_url: str) -> Iterator[tuple[Subject, dict[str, Operation]]]:
    port, password = free_port(), secrets.token_urlsafe(16)
    settings = {"PEER_DATABASE_URL": database_url, "PEER_SECRET": secrets.token_urlsafe(32)}
    settings |= {"MEDUSA_DISABLE_TELEMETRY": "true", "NODE_ENV": "production", "LOG_LEVEL": "error"}
    run_command([*MEDUSA, "db:migrate"], settings)
    run_command([*MEDUSA, "user", "-e", MAIL, "-p", password], settings)
    with server([*MEDUSA, "start", "--host", "127.0.0.1", "--port", str(port)], settings) as process:
        subject = ready(Subject("Medusa", process.pid, port, ""), process, "/health")
        subject, shop = asyncio.run(signed_in(subject, password))
        yield subject, shop.operations


async def signed_in(subject: Subject, password: str) -> tuple[Subject, Shop]:
    async with Side(subject, {}).connected() as connection:
        answer = await connection.exchange("POST", "/auth/user/emailpass", {"email": MAIL, "password": password})
        connection.token = answer["token"]
        return replace(subject, token=connection.token), await opened_shop(connection)


def measure(options: Options) -> SectionResult:
    return compared(medusa, options)
