"""`lootkeep orders`: an order on the terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
import typer

from lootkeep.cli.output import JsonFlag, TestFlag, fail, out, print_json, print_table
from lootkeep.cli.store import in_store
from lootkeep.console import orders as orders_page
from lootkeep.deps import Deps
from lootkeep.domain import goods as goods_rules
from lootkeep.kernel.clock import utc
from lootkeep.kernel.errors import existing
from lootkeep.storage.fraud import checks as fraud_checks_db
from lootkeep.storage.goods import owned as owned_db
from lootkeep.storage.orders import details as order_details_db, disputes as disputes_db
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.toolbox.webhooks.received import clean
from lootkeep.views import goods as goods_views, orders as orders_views, payments as payments_views
from lootkeep.views.goods import OrderGoodView
from lootkeep.views.orders import OrderView
from lootkeep.views.payments import PaymentEventView

app = typer.Typer(help="Print an order with everything that happened to it.", no_args_is_help=True)

_NUMBER = re.compile(r"(?:ORD-)?0*([1-9][0-9]{0,17})", re.IGNORECASE)


class StoryStep(msgspec.Struct):
    at: str
    what: str
    text: str


class OrderStory(msgspec.Struct):
    """Everything that is known of an order; keys and codes are masked."""

    order: OrderView
    goods: list[OrderGoodView]
    payment_events: list[PaymentEventView]
    story: list[StoryStep]


@app.callback()
def orders() -> None:
    """Print an order with everything that happened to it."""


@app.command()
def get(
    number: Annotated[str, typer.Argument(help="The order's number or id, such as ORD-000123 or 123.")],
    json: JsonFlag = False,
    is_test: TestFlag = False,
) -> None:
    """Print an order: its state, items, goods, payments, fraud check and story."""
    match = _NUMBER.fullmatch(number.strip())
    if match is None:
        fail("This is no number of an order. Write it as ORD-000123 or 123.", 2)
    order = in_store(lambda deps: _load(deps, int(match[1])), is_test=is_test)
    if json:
        print_json(order)
        return
    _print(order)


async def _load(deps: Deps, order_id: int) -> OrderStory:
    async with deps.db.read() as tx:
        details = existing(await order_details_db.get(tx, order_id), "Order")
        check = await fraud_checks_db.get(tx, details.check.id) if details.check else None
        moments = await orders_page.story(tx, details, check, await disputes_db.of_order(tx, order_id))
        owned = goods_rules.goods_of(await owned_db.of_order(tx, order_id), deps.clock.now())
        events = await payment_events_db.of_order(tx, order_id)
    return OrderStory(
        orders_views.order(details),
        [goods_views.good(good) for good in owned],
        [payments_views.event(event) for event in events],
        [StoryStep(_time(utc(moment.at)), moment.title, moment.text) for moment in moments],
    )


def _print(story: OrderStory) -> None:
    order = story.order
    total = f"{order.total} {order.currency}"
    facts = {
        "Status": order.status + (f": {order.cancel_reason}" if order.cancel_reason else ""),
        "Customer": f"{order.customer.name} <{order.customer.email}>, id {order.customer.id}",
        "Total": total + (f", {order.refunded_total} refunded" if order.refunded_total != "0.00" else ""),
        "Payment": " ".join(filter(None, (order.payment_method, order.transaction_id))) or "–",
        "Fraud": _fraud(order),
        "Placed": _time(order.created_at),
    }
    out.print(f"[bold]{order.order_number}[/]\n")
    for name, value in facts.items():
        out.print(f"{name:<10}{clean(value)}", markup=False)
    items = [(str(it.quantity), clean(it.product_name), it.price, f"{it.fulfilled_quantity}") for it in order.items]
    _table("Items", ("Quantity", "Product", "Price", "Delivered"), items)
    goods = [(good.kind, good.state, good.masked or "–", _time(good.delivered_at)) for good in story.goods]
    _table("Goods", ("Kind", "State", "Code", "Delivered"), goods)
    events = [(_time(it.created_at), it.type, it.status, it.reason or "–") for it in story.payment_events]
    _table("Payment events", ("Time", "Type", "Status", "Reason"), events)
    _table("Story", ("Time", "What", ""), [(it.at, clean(it.what), clean(it.text)) for it in story.story])


def _table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    if rows:
        out.print(f"\n[bold]{title}[/]")
        print_table(columns, rows)


def _fraud(order: OrderView) -> str:
    if order.fraud is None:
        return "not checked"
    return f"{order.fraud.risk_level} risk, score {order.fraud.risk_score}: {order.fraud.action_taken}"


def _time(at: Any) -> str:
    return "–" if at is None else f"{at:%Y-%m-%dT%H:%M:%SZ}"
