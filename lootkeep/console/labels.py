"""What people read for each status, and its tone: ok, warn, bad, info or quiet."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, get_args

from markupsafe import Markup

from lootkeep.domain.fraud.review import detected_signals

LABELS = {
    "on_hold": "Held",
    "partially_refunded": "Partly refunded",
    "verification_required": "Held",
    "read_only": "Read-only",
    "one_time": "Paid once",
    "signup": "Someone signs up",
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


@lru_cache(maxsize=1024)
def badge(status: str, text: str | None = None, tone: str | None = None) -> Markup:
    """A word in the tone of its status; `text` overrides the status's own label."""
    shown = tone or TONES.get(status, "quiet")
    return Markup('<span class="badge {}">{}</span>').format(shown, text or label(status))


def reasons(points: Mapping[str, int]) -> str:
    """The two heaviest reasons of a score."""
    return " · ".join(detected_signals(points)[:2])
