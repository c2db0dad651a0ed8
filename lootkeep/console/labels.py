"""What people read for each status, and its tone: ok, warn, bad, info or quiet."""

from __future__ import annotations

from functools import lru_cache

from markupsafe import Markup

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


@lru_cache(maxsize=1024)
def badge(status: str, text: str | None = None, tone: str | None = None) -> Markup:
    """A word in the tone of its status; `text` overrides the status's own label."""
    shown = tone or TONES.get(status, "quiet")
    return Markup('<span class="badge {}">{}</span>').format(shown, text or label(status))


def label(status: str) -> str:
    return LABELS.get(status) or status.replace("_", " ").capitalize()
