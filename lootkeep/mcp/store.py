"""Tools about figures, what did not arrive, stock, gift cards, coupons, payments and the service itself."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lootkeep.domain.analytics import PeriodName
from lootkeep.domain.customers import plain_code
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import existing, invalid
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.mcp.arguments import Arguments, ByPage, Day, Nothing, ShortText
from lootkeep.mcp.caller import PAGE_SIZE, Caller
from lootkeep.mcp.tool import Tool
from lootkeep.services import receivers as receivers_service
from lootkeep.storage import coupons as coupons_db, emails as emails_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import waiting as waiting_db
from lootkeep.storage.products import lists as product_lists_db
from lootkeep.storage.webhooks import log as log_db
from lootkeep.views import webhooks as webhooks_views

_STOCK_FIELDS = ("id", "name", "sku", "delivery_type", "stock", "sales_count")


class Period(Arguments):
    period: Annotated[PeriodName | None, Field(description="A named period; `last_30_days` by default.")] = None
    since: Annotated[Day | None, Field(description="The first day, with `until` instead of `period`.")] = None
    until: Annotated[Day | None, Field(description="The last day, inclusive.")] = None
    timezone: Annotated[str, Field(max_length=64, description="The time zone of the days: an IANA name.")] = "UTC"
    product_id: Annotated[int | None, Field(ge=1, description="Only this product.")] = None

    def query(self) -> dict[str, Any]:
        fields = self.model_dump(exclude={"since", "until"})
        return {**fields, "from": self.since, "to": self.until, "compare": True}


class Stock(ByPage):
    at_most: Annotated[int, Field(ge=0, le=1_000_000, description="Products with at most this stock.")] = 5


class Card(Arguments):
    gift_card_id: Annotated[int | None, Field(ge=1, description="The gift card; or send `code`.")] = None
    code: Annotated[ShortText | None, Field(description="The code as the customer typed it.")] = None


class Code(Arguments):
    code: Annotated[ShortText, Field(description="The code of the coupon.")]


async def figures(caller: Caller, arguments: Period) -> Any:
    sales = await caller.read("/analytics/sales", **arguments.query())
    return {
        "revenue": await caller.read("/analytics/revenue", **arguments.query()),
        "sales": {"totals": sales.totals, "previous": sales.previous, "by_status": sales.by_status},
    }


async def best_sellers(caller: Caller, arguments: Period) -> Any:
    sales = await caller.read("/analytics/sales", **arguments.query())
    names = ("period", "top_products", "top_customers", "by_country", "by_payment_method")
    return {name: getattr(sales, name) for name in names}


async def what_failed(caller: Caller, _: Nothing) -> Any:
    may = caller.token.may
    async with caller.deps.for_reading().db.read(slow=True) as tx:
        answer = {
            **await _failed_webhooks(caller, tx),
            "paid_lines_that_wait_for_a_key": await waiting_db.count(tx) if may("products:read") else None,
            "failed_emails": await _failed_emails(tx) if may("customers:read") else None,
        }
    return answer | {"failed_commands": await caller.part("/commands", status="failed", per_page=PAGE_SIZE)}


async def _failed_webhooks(caller: Caller, tx: Transaction) -> dict[str, Any]:
    request = ListRequest(PageRequest(1, PAGE_SIZE), {"status": "failed"})
    deliveries, total = await log_db.LISTING.page(tx, request)
    failing = await receivers_service.failing(tx, caller.deps.clock.now())
    return {
        "failing_receivers": [
            {
                "webhook_id": receiver.id,
                "receiver": receiver.name,
                "since": iso(receiver.failing_since) if receiver.failing_since else None,
                "deliveries_that_wait": receiver.waiting,
                "reason": receiver.last_answer,
            }
            for receiver in failing
        ],
        "failed_deliveries": [webhooks_views.delivery(delivery) for delivery in deliveries],
        "failed_deliveries_total": total,
    }


async def _failed_emails(tx: Transaction) -> list[dict[str, Any]]:
    return [
        {
            "kind": email.kind,
            "email": email.to_email,
            "recipient_name": email.to_name,
            "at": iso(email.created_at),
            "reason": email.reason,
        }
        for email in await emails_db.newest(tx, "failed", PAGE_SIZE)
    ]


async def low_stock(caller: Caller, arguments: Stock) -> Any:
    filters = {"status": "active", "out_of_stock": arguments.at_most}
    request = ListRequest(PageRequest(arguments.page, PAGE_SIZE), filters, "stock", "asc")
    async with caller.deps.for_reading().db.read(slow=True) as tx:
        products, total = await product_lists_db.LISTING.page(tx, request)
        waiting = await waiting_db.count(tx)
    rows = [{name: getattr(product, name) for name in _STOCK_FIELDS} for product in products]
    return {"products": rows, "total": total, "page": arguments.page, "paid_lines_that_wait_for_a_key": waiting}


async def gift_card(caller: Caller, arguments: Card) -> Any:
    if (arguments.gift_card_id is None) == (arguments.code is None):
        raise invalid("gift_card_id", "The gift card id field or the code field is required, but not both.")
    card_id = arguments.gift_card_id
    if card_id is None:
        answer = (await caller.call("POST", "/gift-cards/validate", {"code": arguments.code})).data
        card_id = existing(answer.gift_card, "Gift card").id
    return await caller.read(f"/gift-cards/{card_id}")


async def read_coupon(caller: Caller, arguments: Code) -> Any:
    async with caller.deps.for_reading().db.read() as tx:
        row = existing(await coupons_db.ROWS.find_one(tx, code=plain_code(arguments.code)), "Coupon")
    coupon = await caller.read(f"/coupons/{row.id}")
    return {"coupon": coupon, **await caller.page("uses", f"/coupons/{row.id}/uses")}


async def unmatched_payments(caller: Caller, arguments: ByPage) -> Any:
    return await caller.page("events", "/payment-events", status="unmatched", page=arguments.page)


async def health(caller: Caller, _: Nothing) -> Any:
    return [finding._asdict() for finding in await caller.options.examine(caller.deps)]


TOOLS = (
    Tool(
        "figures",
        "Revenue, orders, refunds and customers of a period, compared with the period before.",
        "analytics:read",
        Period,
        figures,
    ),
    Tool(
        "best_sellers",
        "The best products, customers, countries and payment methods of a period.",
        "analytics:read",
        Period,
        best_sellers,
    ),
    Tool(
        "what_failed",
        "What did not arrive: failing receivers, deliveries, commands, keys that are missing, e-mails.",
        "webhooks:read",
        Nothing,
        what_failed,
    ),
    Tool("low_stock", "Products and keys that run out, the lowest stock first.", "products:read", Stock, low_stock),
    Tool("gift_card", "A gift card with its balance and every transaction.", "gift-cards:read", Card, gift_card),
    Tool(
        "coupon",
        "A coupon: whether it can be used, how often it was, and by which orders.",
        "coupons:read",
        Code,
        read_coupon,
    ),
    Tool(
        "unmatched_payments",
        "What payment providers reported that fits no order.",
        "payments:read",
        ByPage,
        unmatched_payments,
    ),
    Tool("health", "What `lootkeep doctor` finds: each line says what to do.", "metrics:read", Nothing, health),
)
