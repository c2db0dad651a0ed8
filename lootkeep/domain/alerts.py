"""Alerts: what notifies staff, where, how often at most, and with which message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from lootkeep.domain import inputs
from lootkeep.domain.emails import RETRY_SECONDS, SendResult
from lootkeep.domain.settlement import Settlement
from lootkeep.domain.webhooks import WebhookRules, check_url
from lootkeep.kernel.clock import HOUR, SECOND, Instant
from lootkeep.kernel.errors import Conflict, Unprocessable, invalid
from lootkeep.kernel.money import Hundredths

AlertChannel = Literal["discord", "slack", "email", "webhook"]
AlertTrigger = Literal[
    "order_held",
    "order_blocked",
    "order_disputed",
    "payment_unmatched",
    "keys_missing",
    "low_stock",
    "command_failed",
    "ticket_created",
    "receiver_failing",
    "backlog",
    "server_silent",
]

# What can cause an alert. An operation raises its own in its transaction; a task looks for the last three each minute.
TRIGGERS: dict[AlertTrigger, str] = {
    "order_held": "An order is held for review",
    "order_blocked": "An order is blocked",
    "order_disputed": "An order is disputed",
    "payment_unmatched": "A payment event fits no order",
    "keys_missing": "A paid order waits for keys",
    "low_stock": "A product is low in stock",
    "command_failed": "A command failed on a game server",
    "ticket_created": "A ticket is opened",
    "receiver_failing": "A webhook's receiver fails",
    "backlog": "Deliveries, e-mails or payment events are late",
    "server_silent": "A game server has been silent for an hour",
}
TARGET_PURPOSE = "alert target"
MAX_ALERTS = 50
# Limits of one message; what exceeds them is only counted.
MAX_LINES = 10


class Alert(msgspec.Struct, frozen=True):
    """What to send and where. The row is also its queue entry: one message at a time, with everything that waits."""

    id: int
    name: str
    channel: AlertChannel
    # Sealed: anyone who has the URL of a channel can write to it.
    target: str
    triggers: str
    # The minimum total of an order.
    amount: Hundredths | None
    # How long a receiver must fail, or work must be late, before a message is sent.
    minutes: int
    limit_per_hour: int
    muted_until: Instant | None
    created_at: Instant
    updated_at: Instant
    attempts_count: int = 0
    failures: int = 0
    perhaps_twice: bool = False
    # Why the last attempt failed.
    reason: str | None = None
    # The hour in which messages are counted, and how many were sent in it.
    hour_started_at: Instant = Instant(0)
    sent_in_hour: int = 0
    # When the last message was sent.
    finished_at: Instant | None = None

    @property
    def trigger_names(self) -> list[AlertTrigger]:
        names: list[AlertTrigger] = msgspec.json.decode(self.triggers)
        return names


class Notice(msgspec.Struct, frozen=True):
    """One thing that happened and waits to be sent."""

    id: int
    trigger: str
    text: str
    # The page of the console that shows it.
    path: str
    created_at: Instant


def checked(fields: dict[str, Any], rules: WebhookRules) -> dict[str, Any]:
    """All fields of an alert as they are stored, before sealing; or the error of the target."""
    target = fields["target"].strip()
    if fields["channel"] == "email":
        try:
            target = inputs.email(target)
        except ValueError:
            raise invalid("target", "The target field must be a valid e-mail address.") from None
    elif error := check_url(target, rules):
        raise invalid("target", f"The target field {error}.")
    triggers = [name for name in TRIGGERS if name in fields["triggers"]]
    return fields | {"target": target, "triggers": msgspec.json.encode(triggers).decode()}


def require_room(count: int) -> None:
    if count >= MAX_ALERTS:
        raise Unprocessable("too_many_alerts", f"A store has at most {MAX_ALERTS} alerts.")


def require_heard(alert: Alert, now: Instant) -> None:
    if alert.muted_until and alert.muted_until > now:
        raise Conflict("alert_muted", "The alert is muted. Unmute it to send a test.")


def next_allowed(alert: Alert, now: Instant) -> Instant | None:
    """When the alert may be sent; None if now. Everything that waits until then is sent as one message."""
    if alert.muted_until and alert.muted_until > now:
        return alert.muted_until
    if alert.sent_in_hour >= alert.limit_per_hour and 0 <= now - alert.hour_started_at < HOUR:
        return Instant(alert.hour_started_at + HOUR)
    return None


def settle(outcome: SendResult, alert: Alert, now: Instant) -> Settlement:
    """Sent, or due again: nothing is dropped, because everything that waits fits into the next message."""
    if outcome.kind == "sent":
        return Settlement("idle", now, 0, None, outcome.perhaps_sent)
    delay = RETRY_SECONDS[min(alert.failures, len(RETRY_SECONDS) - 1)]
    reason = outcome.reason or "no mail server is configured"
    return Settlement("queued", Instant(now + delay * SECOND), alert.failures + 1, reason, alert.perhaps_twice)


def counted(alert: Alert, now: Instant) -> tuple[Instant, int]:
    """The hour and its count after one more message."""
    if 0 <= now - alert.hour_started_at < HOUR:
        return alert.hour_started_at, alert.sent_in_hour + 1
    return now, 1


def title(notices: Sequence[Notice]) -> str:
    return notices[0].text if len(notices) == 1 else f"{len(notices)} alerts"
