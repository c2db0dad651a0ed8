"""What reviewers decide: one order, a ring of them at once, and whose case it is."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from lootkeep.console import forms, fraud_case
from lootkeep.console.formats import label
from lootkeep.console.page import Answer, Done, Visit, change, url
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.review import OUTCOMES, ReviewedAs
from lootkeep.domain.orders import Order, order_number
from lootkeep.kernel.errors import existing, invalid
from lootkeep.kernel.wording import plural
from lootkeep.services import fraud as fraud_service, fraud_queue as fraud_queue_service
from lootkeep.services.fraud_lists import BLOCKED
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import checks as fraud_checks_db
from lootkeep.storage.orders import rows as orders_db

MAX_RING = 200

# By the button: the outcome, whether the e-mail is trusted from now on, and what is said of the order.
_DECISIONS: dict[str, tuple[ReviewedAs, bool, str]] = {
    "approve": ("legitimate", False, "is approved"),
    "trust": ("legitimate", True, "is approved, and its e-mail is trusted from now on"),
    "reject": ("fraud", False, "is rejected as fraud"),
    "undecided": ("inconclusive", False, "is noted as inconclusive"),
}
assert {outcome for outcome, _, _ in _DECISIONS.values()} == set(OUTCOMES)
_DECIDED: dict[ReviewedAs, str] = {
    "legitimate": "approved",
    "fraud": "rejected",
    "inconclusive": "noted as inconclusive",
}
# By the button: the outcome of all orders of a ring, whether their buyers are blocked, and the verb.
_RING: dict[str, tuple[ReviewedAs, bool, str]] = {
    "approve": ("legitimate", False, "Approve"),
    "reject": ("fraud", False, "Reject"),
    "block": ("fraud", True, "Reject"),
}
NOTES = forms.Field("notes", "Note", forms.text(1000))
_BLOCK = (
    "The order is cancelled where it still can be. Account, mailbox, device, card and player of its buyer are blocked "
    "from now on, the IP address for 30 days."
)


async def review(visit: Visit) -> Answer:
    decision = _DECISIONS.get(visit.form.get("decision", ""))
    if decision is None:
        raise invalid("", "Choose whether to approve or to reject the order.")
    return await _decide(visit, *decision)


async def block(visit: Visit) -> Answer:
    return await _decide(visit, "fraud", False, "is rejected as fraud, and its buyer is blocked", is_blocking=True)


async def _decide(
    visit: Visit, outcome: ReviewedAs, is_trusted: bool, what: str, *, is_blocking: bool = False
) -> Answer:
    notes = forms.read(visit, [NOTES])["notes"]
    async with visit.deps.db.write() as tx:
        check = existing(await fraud_checks_db.ROWS.lock(tx, visit.id), "Fraud check")
        before = existing(await orders_db.ROWS.get(tx, check.order_id), "Order")
        if visit.form.get("version", "") not in ("", str(fraud_case.version(check, before))):
            return Done(_after_review(visit), await _moved_on(visit, tx, check, before), tone="bad")
    blocked = tuple(BLOCKED) if is_blocking else ()
    reviewed = await fraud_service.review(
        visit.deps, check.id, outcome, notes, visit.user.id, whitelist_email=is_trusted, block=blocked
    )
    async with visit.deps.db.read() as tx:
        after = await orders_db.ROWS.get(tx, check.order_id) or before
    also = ({"trusted_email": reviewed.email} if is_trusted else {}) | ({"blocked": blocked} if blocked else {})
    old, new = _audited(check, before), _audited(reviewed, after) | also
    return Done(_after_review(visit), f"{before.number} {what}.", f"order:{before.id}", old, new)


async def _moved_on(visit: Visit, tx: Transaction, check: FraudCheck, order: Order) -> str:
    """Why a decision on an older state of the case is not recorded: who decided and when, or what the order is now."""
    if check.review_outcome is None or check.reviewed_by is None or check.reviewed_at is None:
        state = label(order.status).lower()
        return f"{order.number} has changed since you opened it: it is {state} now. Your decision was not recorded."
    person = await access_db.USERS.get(tx, check.reviewed_by)
    who, when = person.name if person else "Someone", visit.formats.time(check.reviewed_at)
    return f"{order.number} was {_DECIDED[check.review_outcome]} by {who}, {when}. Your decision was not recorded."


async def ask_ring(visit: Visit) -> tuple[str, str]:
    """The question before a decision on a ring, and its button."""
    outcome, is_blocking, verb = _ring_decision(visit)
    async with visit.deps.db.read() as tx:
        checks = [existing(await fraud_checks_db.get(tx, check_id), "Fraud check") for check_id in _ring_ids(visit)]
        orders = [existing(await orders_db.ROWS.get(tx, check.order_id), "Order") for check in checks]
    currencies = dict.fromkeys(order.currency for order in orders)
    sums = {name: sum(order.total for order in orders if order.currency == name) for name in currencies}
    total = " and ".join(visit.formats.money(value, name) for name, value in sums.items())
    buyers = len({order.customer_id for order in orders})
    submit = f"{verb} {plural(len(orders), 'order')}" + (f", block {plural(buyers, 'buyer')}" if is_blocking else "")
    effect = "They are released." if outcome == "legitimate" else "They are cancelled and count as confirmed fraud."
    numbers = ", ".join(order.number for order in orders)
    return f"{submit}? {total} of {plural(buyers, 'account')}: {numbers}. {effect}", submit


async def decide_ring(visit: Visit) -> Answer:
    outcome, is_blocking, _ = _ring_decision(visit)
    check_ids, notes = _ring_ids(visit), forms.read(visit, [NOTES])["notes"]
    async with visit.deps.db.write() as tx:
        for check_id in check_ids:
            check = existing(await fraud_checks_db.ROWS.lock(tx, check_id), "Fraud check")
            if check.review_outcome is not None:
                order = existing(await orders_db.ROWS.get(tx, check.order_id), "Order")
                return Done(_after_review(visit), await _moved_on(visit, tx, check, order), tone="bad")
    blocked = tuple(BLOCKED) if is_blocking else ()
    reviewed = await fraud_service.review_ring(visit.deps, check_ids, outcome, notes, visit.user.id, block=blocked)
    also = f", and {plural(len({check.customer_id for check in reviewed}), 'buyer')} blocked" if blocked else ""
    message = f"{plural(len(reviewed), 'order')} {_DECIDED[outcome]}{also}."
    new: dict[str, Any] = {"review": outcome, "ring": [order_number(check.order_id) for check in reviewed]}
    first = next(check for check in reviewed if check.id == visit.id)
    return Done(_after_review(visit), message, f"order:{first.order_id}", after=new | {"blocked": blocked})


def _ring_decision(visit: Visit) -> tuple[ReviewedAs, bool, str]:
    decision = _RING.get(visit.form.get("decision", ""))
    if decision is None:
        raise invalid("", "Choose whether to approve or to reject the orders.")
    return decision


def _ring_ids(visit: Visit) -> list[int]:
    """The ticked checks, and the one that the form is on."""
    ids = [inputs_rules.integer(word) for word in visit.form.get("check_ids", "").split()]
    if None in ids or len(ids) > MAX_RING:
        raise invalid("", "These orders cannot be decided together.")
    return sorted({visit.id, *(check_id for check_id in ids if check_id is not None)})


async def take(visit: Visit) -> Answer:
    """Whose case it is from now on: the visitor's, or nobody's again."""
    owner_id = visit.user.id if visit.form.get("take") == "yes" else None
    async with visit.deps.db.read() as tx:
        before = existing(await fraud_checks_db.get(tx, visit.id), "Fraud check")
    await fraud_queue_service.assign(visit.deps, visit.id, {"owner_id": owner_id})
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
    change("/fraud/checks/{id}/review", "fraud:write", "Review order", review),
    change("/fraud/checks/{id}/block", "fraud:write", "Reject and block the buyer", block, _BLOCK),
    change("/fraud/checks/{id}/ring", "fraud:write", "Decide a ring", decide_ring, ask_ring),
    change("/fraud/checks/{id}/take", "fraud:write", "Take a case", take),
)
