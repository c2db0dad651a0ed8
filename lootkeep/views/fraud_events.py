"""Fraud checks as webhooks carry them."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.review import ReviewedAs, detected_signals
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.domain.orders import Order, OrderCheck, OrderStatus
from lootkeep.kernel.money import text
from lootkeep.views.fields import field

# By what was done with the order; what was allowed is not announced.
EVENTS: dict[Action, str] = {
    "flagged": "fraud.flagged",
    "verification_required": "fraud.held",
    "blocked": "fraud.blocked",
}


class FraudData(msgspec.Struct, frozen=True):
    check_id: Annotated[int, field("Identifies the fraud check.", 17)]
    order_id: Annotated[int, field("The order that was judged.", 123)]
    order_number: Annotated[str, field("What customers see.", "ORD-000123")]
    order_status: Annotated[OrderStatus, field("The order's status after the event.", "pending")]
    total: Annotated[str, field("What the order costs, after discounts.", "19.99")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    customer_id: Annotated[int, field("The customer.", 31)]
    risk_score: Annotated[int, field("0 to 100.", 55)]
    risk_level: Annotated[RiskLevel, field("The risk level.", "medium")]
    action_taken: Annotated[Action, field("The action that was taken.", "flagged")]
    detected_signals: Annotated[list[str], field("Labels of the signals, the heaviest first.", ["Datacenter address"])]


class FraudReviewedData(FraudData, frozen=True):
    review_outcome: Annotated[
        ReviewedAs | None, field("The outcome of the review; null if it was overdue.", "legitimate")
    ]
    reviewed_by: Annotated[int | None, field("The reviewer; null if the review was overdue.", 1)]


def judged(order: Order, check: OrderCheck) -> FraudData:
    return FraudData(**_common(order, check))


def reviewed(order: Order, check: FraudCheck) -> FraudReviewedData:
    return FraudReviewedData(
        **_common(order, check), review_outcome=check.review_outcome, reviewed_by=check.reviewed_by
    )


def _common(order: Order, check: OrderCheck | FraudCheck) -> dict[str, Any]:
    return {
        "check_id": check.id,
        "order_id": order.id,
        "order_number": order.number,
        "order_status": order.status,
        "total": text(order.total),
        "currency": order.currency,
        "customer_id": order.customer_id,
        "risk_score": check.risk_score,
        "risk_level": check.risk_level,
        "action_taken": check.action_taken,
        "detected_signals": detected_signals(msgspec.json.decode(check.signals, type=dict[str, int])),
    }
