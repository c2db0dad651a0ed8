"""Fraud review: the queue, every check, and what reviewers decide."""

from __future__ import annotations

from statistics import median
from urllib.parse import quote

from markupsafe import escape

from lootkeep.console import forms, fraud_case, lists
from lootkeep.console.columns import AGO, BADGE, NAME, ORDER, RISK, Cell, Column, amount
from lootkeep.console.formats import options, reasons
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.analytics import named
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.fraud.review import OUTCOMES, ReviewedAs, detected_signals
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.domain.orders import Order
from lootkeep.kernel.errors import existing, invalid
from lootkeep.services import fraud as fraud_service, fraud_queue as fraud_queue_service
from lootkeep.services.fraud_named_lists import BLOCKED
from lootkeep.storage import (
    fraud_checks as fraud_checks_db,
    fraud_lists as fraud_lists_db,
    fraud_queue as fraud_queue_db,
    orders as orders_db,
    settings as settings_db,
)

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
    choices=(
        lists.Choice("action_taken", "Was", {name: text for name, text in _ACTIONS.items() if name != "allowed"}),
        _LEVELS,
    ),
    has_dates=False,
    order="asc",
)
# What the order of the queue is called, and how the address says it.
ORDERS = {
    "Held first, then the oldest": {"sort": None, "order": None},
    "Highest expected loss first": {"sort": "expected_loss", "order": "desc"},
    "Due first": {"sort": "due_at", "order": "asc"},
    "Highest score first": {"sort": "risk_score", "order": "desc"},
    "Oldest first": {"sort": "created_at", "order": "asc"},
    "Newest first": {"sort": "created_at", "order": "desc"},
}
CHECKS = lists.ListPage(
    listing=fraud_lists_db.LISTING,
    columns=(
        Column("Order", "order_id", ORDER),
        Column("Customer", "customer_name", NAME),
        Column("Risk", "itself", RISK),
        Column("Was", "action_taken", BADGE),
        Column("Review", "review_outcome", BADGE),
        Column("Checked", "created_at", AGO, "created_at"),
    ),
    link=lambda check: f"/fraud/checks/{check.id}",
    empty="Every order is checked as it is placed, and its check appears here.",
    choices=(
        lists.Choice("action_taken", "Was", _ACTIONS, is_open=True),
        _LEVELS,
        lists.Choice("is_reviewed", "Reviewed", {"yes": "Reviewed", "no": "Not reviewed"}, lists.is_yes),
    ),
)
# By the button: the outcome, whether the e-mail is trusted from now on, and what is said of the order.
_DECISIONS: dict[str, tuple[ReviewedAs, bool, str]] = {
    "approve": ("legitimate", False, "is approved"),
    "trust": ("legitimate", True, "is approved, and its e-mail is trusted from now on"),
    "reject": ("fraud", False, "is rejected as fraud"),
    "block": ("fraud", False, "is rejected as fraud, and everything of its buyer is blocked"),
    "undecided": ("inconclusive", False, "is noted as inconclusive"),
}
assert {outcome for outcome, _, _ in _DECISIONS.values()} == set(OUTCOMES)
NOTES = forms.Field("notes", "Note", forms.text(1000))


async def show_queue(visit: Visit) -> Answer:
    answer = await lists.show(visit, QUEUE)
    queue: lists.Shown = answer["list"]
    # The check that the address names, or the first that waits.
    shown_id = inputs_rules.integer(visit.query.get("check", "")) or (queue.rows[0].id if queue.rows else None)
    begin = named("today", visit.now, visit.options.timezone).start
    async with visit.deps.db.read() as tx:
        decisions = await fraud_case.decisions(tx, visit.now)
        case = await fraud_case.load(tx, shown_id, decisions) if shown_id else None
        _, held_total = await fraud_queue_db.held(tx)
        budget = (await settings_db.get(tx, SETTINGS, Policy)).fraud_review_daily_budget
        riskiest = await fraud_queue_db.riskiest(tx, begin, budget)
    times = [decision.reviewed_at - decision.checked_at for decision in decisions if decision.reviewed_at >= begin]
    next_id = _next(shown_id, queue)
    return answer | {
        "case": case,
        "held_total": held_total,
        "decision_time": int(median(times)) if times else None,
        "next_url": queue.url(check=next_id) if next_id else None,
        "back": queue.url(check=next_id)[1:],
        "orders": ORDERS,
        "riskiest": riskiest,
        "live": None if case else 30,
    }


def _next(shown_id: int | None, queue: lists.Shown) -> int | None:
    """The check after the one that is shown, and after the last one the first."""
    ids = [check.id for check in queue.rows]
    index = ids.index(shown_id) + 1 if shown_id in ids else 0
    others = [check_id for check_id in ids[index:] + ids[:index] if check_id != shown_id]
    return others[0] if others else None


async def show_check(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        case = await fraud_case.load(tx, visit.id, await fraud_case.decisions(tx, visit.now))
    return {"case": case, "title": f"Check of {case['sale'].order.number}"}


async def review(visit: Visit) -> Answer:
    outcome, is_trusted, what = _DECISIONS.get(visit.form.get("decision", ""), (None, False, ""))
    notes = forms.read(visit, [NOTES])["notes"]
    if outcome is None:
        raise invalid("", "Choose whether to approve or to reject the order.")
    async with visit.deps.db.write() as tx:
        check = existing(await fraud_checks_db.get_for_update(tx, visit.id), "Fraud check")
        before = existing(await orders_db.ROWS.get(tx, check.order_id), "Order")
    visit.check_unchanged(f"order:{before.id}", fraud_case.version(check, before))
    block = tuple(BLOCKED) if visit.form.get("decision") == "block" else ()
    reviewed = await fraud_service.review(
        visit.deps, check.id, outcome, notes, visit.user.id, whitelist_email=is_trusted, block=block
    )
    async with visit.deps.db.read() as tx:
        after = await orders_db.ROWS.get(tx, check.order_id) or before
    also = ({"trusted_email": reviewed.email} if is_trusted else {}) | ({"blocked": block} if block else {})
    old, new = _audited(check, before), _audited(reviewed, after) | also
    return Done(_after_review(visit), f"{before.number} {what}.", f"order:{before.id}", old, new)


async def take(visit: Visit) -> Answer:
    """Whose case it is from now on: the visitor's, or nobody's again."""
    owner_id = visit.user.id if visit.form.get("take") == "yes" else None
    async with visit.deps.db.read() as tx:
        before = existing(await fraud_checks_db.get(tx, visit.id), "Fraud check")
    await fraud_queue_service.assign(visit.deps, visit.id, owner_id, None, has_due_at=False)
    message = "The case is yours." if owner_id else "The case is nobody’s again."
    record = f"order:{before.order_id}"
    return Done(_after_review(visit), message, record, {"owner_id": before.owner_id}, {"owner_id": owner_id})


def _after_review(visit: Visit) -> str:
    """The next case of the queue as it was filtered, or the page of the check."""
    back = visit.form.get("back")
    if back is None:
        return url(f"/fraud/checks/{visit.id}")
    return url("/fraud") + ("?" + quote(back, safe="=&%+") if back else "")


def _audited(check: FraudCheck, order: Order) -> dict[str, object]:
    return {"status": order.status, "review": check.review_outcome, "review_notes": check.review_notes}


PAGES = (
    Page("GET", "/fraud", "read_only", "Fraud review", show_queue, "fraud.html", group="Protect"),
    lists.page("/fraud/checks", "Fraud checks", CHECKS),
    Page("GET", "/fraud/checks/{id}", "read_only", "Fraud check", show_check, "fraud_check.html"),
    change("/fraud/checks/{id}/review", "Review order", review),
    change("/fraud/checks/{id}/take", "Take a case", take),
)
