"""Fraud review: the queue with its cases, and every check."""

from __future__ import annotations

from statistics import median
from typing import Any

from markupsafe import escape

from lootkeep.console import fraud_case, lists
from lootkeep.console.columns import AGO, BADGE, NAME, ORDER, RISK, Cell, Column, amount
from lootkeep.console.formats import options, reasons
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.analytics import named
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.fraud.review import detected_signals
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import check_lists as fraud_check_lists_db, queue as fraud_queue_db

_REASONS = Cell(lambda points, *_: escape(reasons(points)), lambda points: ", ".join(detected_signals(points)))
_LEVELS = lists.Choice("risk_level", "Risk", options(RiskLevel))
_ACTIONS = options(Action)
# The page shows the queue as cards; a CSV file has these columns.
QUEUE = lists.ListPage(
    listing=fraud_queue_db.QUEUE,
    columns=(
        Column("Order", "order_id", ORDER, "held"),
        Column("Customer", "customer_name"),
        Column("Score", "risk_score", sort="risk_score"),
        Column("Reasons", "points", _REASONS),
        Column("Total", "order_total", amount("order_currency")),
        Column("Expected loss", "expected_loss", amount("order_currency"), "expected_loss"),
        Column("Owner", "owner_name"),
        Column("Due", "due_at", AGO, "due_at"),
        Column("Checked", "created_at", AGO, "created_at"),
    ),
    empty="Nothing waits for a review.",
    choices=(_LEVELS,),
    has_dates=False,
    order="asc",
)
# The parts of the queue: orders that wait for a decision come first.
VIEWS = {"decide": "To decide", "look": "To look at", "mine": "Mine"}
_EMPTY = {
    "decide": "No order waits for a decision. One that fraud detection holds appears here.",
    "look": "Orders that were flagged or blocked appear here until someone has looked at them.",
    "mine": "Take a case, and it appears here.",
}
# What the order of the queue is called, and how the address says it.
ORDERS = {
    "Oldest first": {"sort": None, "order": None},
    "Largest loss first": {"sort": "expected_loss", "order": "desc"},
    "Due first": {"sort": "due_at", "order": "asc"},
    "Highest score first": {"sort": "risk_score", "order": "desc"},
    "Newest first": {"sort": "created_at", "order": "desc"},
}
CHECKS = lists.ListPage(
    listing=fraud_check_lists_db.LISTING,
    columns=(
        Column("Order", "order_id", ORDER),
        Column("Customer", "customer_name", NAME),
        Column("Risk", "itself", RISK),
        Column("Was", "action_taken", BADGE),
        Column("Review", "review_outcome", BADGE),
        Column("Checked", "created_at", AGO, "created_at"),
    ),
    exported=(Column("Id", "id"), Column("Order id", "order_id")),
    link=lambda check: f"/fraud/checks/{check.id}",
    news="check",
    empty="Every order is checked as it is placed, and its check appears here.",
    choices=(
        lists.Choice("action_taken", "Was", _ACTIONS, is_open=True),
        _LEVELS,
        lists.Choice("is_reviewed", "Reviewed", {"yes": "Reviewed", "no": "Not reviewed"}, lists.is_yes),
    ),
    bulk="fraud",
    bulk_path="/fraud/checks/bulk",
)


async def show_queue(visit: Visit) -> Answer:
    asked = visit.query.get("view")
    view = asked if asked in VIEWS else "decide"
    filters = _filters(visit)
    answer = await lists.show(visit, QUEUE, **filters[view])
    queue: lists.Shown = answer["list"]
    # The check that the address names, or the first that waits.
    shown_id = inputs_rules.integer(visit.query.get("check", "")) or (queue.rows[0].id if queue.rows else None)
    begin = named("today", visit.now, visit.options.timezone).start
    async with visit.deps.db.read() as tx:
        decisions = await fraud_case.decisions(tx, visit.now)
        case = await fraud_case.load(tx, shown_id, decisions, visit.formats) if shown_id else None
        waiting = await fraud_queue_db.to_decide(tx)
        counts = {name: (await _count(tx, filters[name])) for name in VIEWS}
        budget = (await settings_db.get(tx, SETTINGS, Policy)).fraud_review_daily_budget
        riskiest = await fraud_queue_db.riskiest(tx, begin, budget)
    times = [decision.reviewed_at - decision.checked_at for decision in decisions if decision.reviewed_at >= begin]
    next_id = _next(shown_id, queue)
    return answer | {
        "case": case,
        "held": waiting,
        "view": view,
        "views": [(name, text, counts[name]) for name, text in VIEWS.items()],
        "empty": _EMPTY[view],
        "decision_time": int(median(times)) if times else None,
        "next_url": queue.url(check=next_id) if next_id else None,
        "back": queue.url(check=next_id)[1:],
        "orders": ORDERS,
        "riskiest": riskiest,
        "live": None if case else 30,
    }


def _filters(visit: Visit) -> dict[str, dict[str, Any]]:
    return {"decide": {"is_held": True}, "look": {"is_held": False}, "mine": {"owner_id": visit.user.id}}


async def _count(tx: Transaction, filters: dict[str, Any]) -> int:
    _, total = await fraud_queue_db.QUEUE.page(tx, ListRequest(PageRequest(1, 1), filters))
    return total


def _next(shown_id: int | None, queue: lists.Shown) -> int | None:
    """The check after the one that is shown, and after the last one the first."""
    ids = [check.id for check in queue.rows]
    index = ids.index(shown_id) + 1 if shown_id in ids else 0
    others = [check_id for check_id in ids[index:] + ids[:index] if check_id != shown_id]
    return others[0] if others else None


async def show_check(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        case = await fraud_case.load(tx, visit.id, await fraud_case.decisions(tx, visit.now), visit.formats)
    return {"case": case, "title": f"Check of {case['details'].order.number}"}


PAGES = (
    Page("GET", "/fraud", "fraud:read", "Fraud review", show_queue, "fraud.html", group="Protect"),
    lists.page("/fraud/checks", "fraud:read", "Fraud checks", CHECKS),
    Page("GET", "/fraud/checks/{id}", "fraud:read", "Fraud check", show_check, "fraud_check.html"),
)
