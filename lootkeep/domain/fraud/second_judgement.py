"""The second judgement: an order is judged again when its payment brings facts that the first did not have."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.facts import History, OrderFacts, Payment
from lootkeep.domain.fraud.score import STOPPING, Verdict
from lootkeep.kernel.clock import Instant

# By now the order itself is part of these: they stay as they were when it was placed.
_BEFORE_THE_ORDER = (
    *("address_orders", "mailbox_orders", "customer_orders_in_day"),
    *("has_older_order", "device_known_since"),
    *("paid_orders", "first_paid_at", "old_paid_orders"),
)


def payment_with(before: Payment, reported: Payment) -> Payment | None:
    """What is known of the payment now; None if nothing is new."""
    values: dict[str, Any] = {name: getattr(reported, name) for name in Payment.__struct_fields__}
    after = replace(before, **{name: value for name, value in values.items() if value is not None})
    return None if after == before else after


def facts_with(
    first: OrderFacts, payment: Payment, history: History, at: Instant, *, is_payer_disposable: bool
) -> OrderFacts:
    """The facts of the first judgement with those of the payment."""
    before: dict[str, Any] = {name: getattr(first.history, name) for name in _BEFORE_THE_ORDER}
    mail = first.mail
    if is_payer_disposable and not mail.is_disposable:
        mail = replace(mail, is_disposable=True, is_payer_disposable=True)
    return replace(first, at=at, payment=payment, mail=mail, history=replace(history, **before))


def is_stopped(verdict: Verdict) -> bool:
    return verdict.action_taken in STOPPING


def is_approved(first: FraudCheck, verdict: Verdict) -> bool:
    """What staff have approved stays approved, unless it looks worse now."""
    return first.review_outcome == "legitimate" and verdict.risk_score <= first.risk_score
