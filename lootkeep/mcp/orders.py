"""Tools about orders, fraud checks and buyers."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lootkeep.console import orders as order_pages
from lootkeep.console.orders import Step
from lootkeep.console.sendings import Sending
from lootkeep.domain.fraud.expressions import MAX_LENGTH
from lootkeep.domain.fraud.rule import POINTS, RuleAction
from lootkeep.domain.fraud.score import RiskLevel
from lootkeep.domain.orders import OrderStatus
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import NotFound, existing, invalid
from lootkeep.mcp.arguments import Arguments, ByOrder, ByPage, Day, ShortText
from lootkeep.mcp.caller import Caller
from lootkeep.mcp.tool import Tool
from lootkeep.services import fraud_reports as fraud_reports_service
from lootkeep.storage.fraud import checks as fraud_checks_db
from lootkeep.storage.orders import details as order_details_db, disputes as disputes_db
from lootkeep.views import fraud_reports as fraud_reports_views

_NEWEST = 5


class FindOrders(ByPage):
    search: Annotated[
        ShortText | None,
        Field(description="A name, an e-mail address, an order number, an external id or a transaction id."),
    ] = None
    status: Annotated[OrderStatus | None, Field(description="Only orders in this state.")] = None
    risk_level: Annotated[RiskLevel | None, Field(description="Only orders with this risk level.")] = None
    customer_id: Annotated[int | None, Field(ge=1, description="Only orders of this customer.")] = None
    product_id: Annotated[int | None, Field(ge=1, description="Only orders with this product.")] = None
    since: Annotated[Day | None, Field(description="Placed on this UTC day or later.")] = None
    until: Annotated[Day | None, Field(description="Placed on this UTC day or earlier.")] = None


class Buyer(Arguments):
    customer_id: Annotated[int | None, Field(ge=1, description="The customer; or send `email`.")] = None
    email: Annotated[ShortText | None, Field(description="The whole e-mail address of the customer.")] = None


class TriedRule(Arguments):
    expression: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_LENGTH,
            description="The condition, in the language of fraud rules.",
            examples=["total > 100 and account_age < 1h"],
        ),
    ]
    action: Annotated[RuleAction, Field(description="What happens to orders that match.")]
    points: Annotated[int, Field(ge=POINTS[0], le=POINTS[1], description="With the action `points`.")] = 0
    days: Annotated[int, Field(ge=1, le=365, description="How many past days to judge again.")] = 30


async def find_orders(caller: Caller, arguments: FindOrders) -> Any:
    query = arguments.model_dump(exclude={"since", "until"})
    return await caller.page("orders", "/orders", **query, **{"from": arguments.since, "to": arguments.until})


async def order_story(caller: Caller, arguments: ByOrder) -> Any:
    async with caller.deps.for_reading().db.read() as tx:
        details = existing(await order_details_db.get(tx, arguments.order), "Order")
        may_judge = details.check is not None and caller.token.may("fraud:read")
        check = await fraud_checks_db.get(tx, details.check.id) if details.check and may_judge else None
        steps = await order_pages.story(tx, details, check, await disputes_db.of_order(tx, arguments.order))
    has_receivers = caller.token.may("webhooks:read")
    return {
        "order": await caller.read(f"/orders/{arguments.order}"),
        "story": [_step(step) for step in steps if has_receivers or step.part != "sendings"],
        "goods": await caller.read(f"/orders/{arguments.order}/goods"),
    }


def _step(step: Step) -> dict[str, Any]:
    entry: dict[str, Any] = {"at": iso(step.at), "what": step.title}
    if step.text:
        entry["note"] = step.text
    if step.part == "bars":
        entry["facts"] = {reason["label"]: f"{reason['points']:+} {reason['fact']}" for reason in step.values}
    if step.part == "sendings":
        entry["receivers"] = [_sending(sending) for sending in step.values]
    return entry


def _sending(sending: Sending) -> dict[str, Any]:
    entry = {"event": sending.event_type, "receiver": sending.receiver}
    if sending.sent is None:
        return entry | {"result": sending.reason}
    delivery = sending.sent.delivery
    return entry | {"delivery_id": delivery.public_id, "status": delivery.status, "reason": sending.sent.answer}


async def why_held(caller: Caller, arguments: ByOrder) -> Any:
    async with caller.deps.for_reading().db.read() as tx:
        details = existing(await order_details_db.get(tx, arguments.order), "Order")
    if details.check is None:
        raise NotFound("Fraud check of this order")
    path = f"/fraud/checks/{details.check.id}"
    answer = await caller.read(path)
    return {
        "check": answer.check,
        "reasons": answer.detected_signals,
        "waits_for": details.order.status,
        "reviews": await caller.read(f"{path}/reviews"),
    }


async def review_queue(caller: Caller, arguments: ByPage) -> Any:
    return await caller.page("checks", "/fraud/queue", page=arguments.page)


async def explain_buyer(caller: Caller, arguments: Buyer) -> Any:
    if (arguments.customer_id is None) == (arguments.email is None):
        raise invalid("customer_id", "The customer id field or the email field is required, but not both.")
    customer_id = arguments.customer_id
    if customer_id is None:
        customers = await caller.read("/customers", email=arguments.email)
        customer_id = customers[0].id if customers else 0
    customer = await caller.read(f"/customers/{customer_id}")
    newest = {"customer_id": customer.id, "per_page": _NEWEST}
    return {
        "customer": customer,
        "newest_orders": await caller.part("/orders", **newest),
        "newest_tickets": await caller.part("/support-tickets", **newest),
        "linked": await caller.read(f"/customers/{customer.id}/linked"),
        "an_order_now": await caller.part("/fraud/explain", email=customer.email) if not customer.erased_at else None,
    }


async def try_rule(caller: Caller, arguments: TriedRule) -> Any:
    rule = arguments.model_dump(exclude={"days"})
    comparison = await fraud_reports_service.backtest(caller.deps.for_reading(), {}, arguments.days, rule=rule)
    is_complete = comparison.checks < fraud_reports_service.MAX_CHECKS
    return fraud_reports_views.backtest(comparison, is_complete=is_complete, has_rule=True)


TOOLS = (
    Tool(
        "find_orders", "Find orders by a search, a status, a customer or days.", "orders:read", FindOrders, find_orders
    ),
    Tool(
        "order_story",
        "One order from placed to delivered: payment, checks, refunds, goods, and what each receiver got.",
        "orders:read",
        ByOrder,
        order_story,
    ),
    Tool(
        "why_held",
        "Why an order was flagged, held or blocked: signals with points, what each saw, rules and reviews.",
        "fraud:read",
        ByOrder,
        why_held,
    ),
    Tool(
        "review_queue",
        "Orders that wait for a fraud review, the highest expected loss first.",
        "fraud:read",
        ByPage,
        review_queue,
    ),
    Tool(
        "try_rule",
        "What a fraud rule would have done to past orders. Nothing is saved.",
        "fraud:read",
        TriedRule,
        try_rule,
    ),
    Tool(
        "explain_buyer",
        "A customer with their newest orders and tickets, linked accounts, and how an order would be judged now.",
        "customers:read",
        Buyer,
        explain_buyer,
    ),
)
