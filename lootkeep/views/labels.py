"""What people read for each status, and its tone: ok, warn, bad, info or quiet."""

from __future__ import annotations

from typing import Any, get_args

LABELS = {
    "on_hold": "Held",
    "partially_refunded": "Partly refunded",
    "verification_required": "Held",
    "read_only": "Read-only",
    "one_time": "Paid once",
    "signup": "Somebody signs up",
    "first_purchase": "They pay for a first order",
    "percentage_discount": "Percent off",
    "fixed_discount": "Amount off",
    "percentage": "Percent off",
    "fixed": "Amount off",
}
TONES = {
    **dict.fromkeys(("paid", "delivered", "active", "allowed", "legitimate", "successful", "resolved", "sent"), "ok"),
    **dict.fromkeys(
        ("on_hold", "medium", "flagged", "verification_required", "high", "scheduled", "low_stock"), "warn"
    ),
    **dict.fromkeys(("critical", "blocked", "failed", "fraud", "urgent", "revoked", "out_of_stock", "failing"), "bad"),
    **dict.fromkeys(("completed", "open", "sending"), "info"),
}


def label(status: str) -> str:
    return LABELS.get(status) or status.replace("_", " ").capitalize()


def options(statuses: Any) -> dict[str, str]:
    """The values of a Literal type, each with what people read."""
    return {name: label(name) for name in get_args(statuses)}
