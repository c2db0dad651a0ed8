"""E-mails: their content, what their headers may contain, and their state after an attempt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from urllib.parse import quote

import msgspec

from lootkeep.domain import colours
from lootkeep.domain.settlement import Settlement
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.kernel.errors import Conflict

# `outbox`: no mail server is configured, so it was never sent; it can be read.
EmailStatus = Literal["queued", "sending", "sent", "failed", "outbox"]

# The delay after each temporary failure; after the last one the e-mail has failed.
RETRY_SECONDS = (60, 300, 1800, 7200, 21600)
# For one e-mail, from connecting to the server's last response.
DEADLINE_SECONDS = 30
# After this time a worker that has not settled has lost its claim. Longer than the deadline; otherwise two could send
# at once.
LEASE = 90 * SECOND

INTERRUPTED = "the worker stopped before it could record the response"


class StoreIdentity(msgspec.Struct, frozen=True):
    """The store as its e-mails show it, from the operator's settings."""

    name: str = "Lootkeep"
    # The public URL of this service.
    public_url: str = "http://127.0.0.1:8000"
    # The URL of the shop.
    url: str | None = None
    logo_url: str | None = None
    postal_address: str | None = None
    # Why customers get campaigns, as a sentence; None means the default.
    mail_reason: str | None = None
    # Without one, e-mails stay in the outbox.
    has_mail_server: bool = False
    # Without one, orders have no page: its link would lead nowhere.
    has_public_url: bool = False
    # Of the pages of buyers, such as `#b45309`.
    colour: str | None = None
    # Whether a payment sends the link to the buyer's page.
    sends_order_emails: bool = False
    # The path of the logo that was uploaded.
    logo: str | None = None

    @property
    def button_colour(self) -> str:
        """Of buttons in e-mails, with white on it."""
        return colours.on_light(self.colour) if self.colour else "#18181b"

    @property
    def dark_button_colour(self) -> str:
        """The same in the dark scheme, with black on it."""
        return colours.on_dark(self.colour) if self.colour else "#f4f4f5"

    def referral_link(self, code: str) -> str:
        """The referral URL of a customer; only the operator sets its host."""
        url = self.url or self.public_url
        return f"{url}{'&' if '?' in url else '?'}ref={quote(code, safe='')}"


class NotAHeaderError(ValueError):
    """A line break in a header would let an attacker add headers or recipients."""


class NewEmail(msgspec.Struct, frozen=True):
    """An e-mail as a use case writes it. The sender's email is the operator's setting; `from_name` may go before it."""

    # Its purpose in a word: `gift_card`, `ticket_reply`.
    kind: str
    to_email: str
    to_name: str
    subject: str
    text: str
    html: str
    from_name: str | None = None
    reply_to: str | None = None

    def __post_init__(self) -> None:
        for name in ("to_email", "to_name", "subject", "from_name", "reply_to"):
            refuse_line_breaks(name, getattr(self, name))


class QueuedEmail(msgspec.Struct, frozen=True):
    """An e-mail as it is stored; both bodies are sealed together."""

    id: int
    kind: str
    to_email: str
    to_name: str
    from_name: str | None
    reply_to: str | None
    subject: str
    body: str
    due_at: Instant
    created_at: Instant
    status: EmailStatus = "queued"
    attempts_count: int = 0
    failures: int = 0
    # It was sent again although an earlier attempt may have arrived.
    perhaps_twice: bool = False
    reason: str | None = None
    finished_at: Instant | None = None

    @property
    def message_id(self) -> str:
        """The same for all attempts, so a recipient of two copies can recognise them."""
        return f"mail.{self.id}.{self.created_at}"


class Email(msgspec.Struct, frozen=True):
    """What is sent, before it is encoded. The sender's domain completes its id."""

    to_email: str
    to_name: str
    from_name: str | None
    reply_to: str | None
    subject: str
    text: str
    html: str
    message_id: str
    headers: tuple[tuple[str, str], ...] = ()


class SendResult(msgspec.Struct, frozen=True):
    """What one attempt came to.

    `refused` is for good, `deferred` concerns this e-mail, `unreachable` the server and so every e-mail.
    """

    kind: Literal["sent", "refused", "deferred", "unreachable", "outbox"]
    reason: str | None = None
    # The server's own words when it accepted the e-mail.
    answer: str = ""
    # The connection ended after the e-mail was sent and before the server responded.
    perhaps_sent: bool = False
    # The mailbox does not exist.
    is_bounce: bool = False


def require_server(is_there: bool) -> None:
    """For what is pointless if nobody gets the e-mail."""
    if not is_there:
        raise Conflict(
            "no_mail_server",
            "No mail server is set, so nothing was sent. An owner sets it in the console under Settings.",
        )


def settle(
    outcome: SendResult,
    failures: int,
    now: Instant,
    *,
    delays: Sequence[int] = RETRY_SECONDS,
    was_doubtful: bool = False,
) -> Settlement:
    """Sent, in the outbox, due again after the next delay, or failed for good."""
    if outcome.kind in ("sent", "outbox"):
        return Settlement("sent" if outcome.kind == "sent" else "outbox", now, failures, None, was_doubtful)
    is_doubtful = was_doubtful or outcome.perhaps_sent
    failures += 1
    if outcome.kind == "refused" or failures > len(delays):
        return Settlement("failed", now, failures, outcome.reason, is_doubtful)
    return Settlement("queued", Instant(now + delays[failures - 1] * SECOND), failures, outcome.reason, is_doubtful)


def one_line(text: str) -> str:
    """A name or a subject from the store's own data, made safe for a header."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def holds_line_break(text: str) -> bool:
    """Any character that some program treats as the end of a line, or that a header must not contain."""
    return any(ord(character) < 32 or character in "\x7f\x85\u2028\u2029" for character in text)


def refuse_line_breaks(name: str, value: str | None) -> None:
    if value is not None and holds_line_break(value):
        raise NotAHeaderError(f"{name} must be on one line")
