"""What people read for each status, and its tone: ok, warn, bad, info or quiet."""

from __future__ import annotations

LABELS = {
    "on_hold": "Held",
    "partially_refunded": "Partly refunded",
    "verification_required": "Held",
    "read_only": "Read-only",
}
TONES = {
    **dict.fromkeys(("paid", "delivered", "active", "allowed", "legitimate", "successful", "resolved", "sent"), "ok"),
    **dict.fromkeys(("on_hold", "medium", "flagged", "verification_required", "high", "scheduled"), "warn"),
    **dict.fromkeys(("critical", "blocked", "failed", "fraud", "urgent", "revoked", "failing"), "bad"),
    **dict.fromkeys(("completed", "open", "sending"), "info"),
}


def label(status: str) -> str:
    return LABELS.get(status) or status.replace("_", " ").capitalize()
