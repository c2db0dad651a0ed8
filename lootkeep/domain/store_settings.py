"""The settings that an owner can change in the console while the service runs."""

from __future__ import annotations

import hashlib

import msgspec

from lootkeep.domain.emails import SendResult, StoreIdentity
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.redaction import ShownSetting

# The names of the stored documents.
SETTINGS = "store"
MAIL_TEST = "mail test"
LOGO = "logo"
MAX_LOGO_BYTES = 256 * 1024
# How files begin, by their type: those that every mail program shows. A drawing (SVG) could run scripts.
_FILE_STARTS = {"png": b"\x89PNG\r\n\x1a\n", "jpeg": b"\xff\xd8\xff"}


class StoredSettings(msgspec.Struct, frozen=True):
    """What was set in the console: the texts of settings by their names, those with secrets sealed."""

    values: dict[str, str] = {}


class Logo(msgspec.Struct, frozen=True):
    """The uploaded logo; without a name there is none."""

    # Another name for another content, so a browser may store it for good.
    name: str = ""
    content: bytes = b""

    @property
    def media_type(self) -> str:
        return f"image/{self.name.rpartition('.')[2]}"


def make_logo(content: bytes) -> Logo:
    """What the file begins with decides, whatever it is called."""
    kind = next((kind for kind, start in _FILE_STARTS.items() if content.startswith(start)), None)
    if not content:
        raise invalid("logo", "Choose a file first.")
    if kind is None:
        raise invalid("logo", "The logo must be a PNG or JPEG file.")
    if len(content) > MAX_LOGO_BYTES:
        raise invalid("logo", f"The logo must have at most {MAX_LOGO_BYTES // 1024} KB.")
    return Logo(f"{hashlib.sha256(content).hexdigest()[:16]}.{kind}", content)


class StoreSettings(msgspec.Struct, frozen=True):
    """What is in effect: of the environment, else of the console, else the default."""

    identity: StoreIdentity = StoreIdentity()
    currency: str = "USD"
    # Days begin and times are shown in this zone.
    timezone: str = "UTC"
    events_kept_days: int = 30
    mails_kept_days: int = 30
    campaign_mails_per_minute: int = 300
    campaign_tracking: bool = True
    # Those of the console as texts, without secrets; empty is not set.
    texts: dict[str, str] = {}
    # Every setting of the service, in the order of its table.
    shown: tuple[ShownSetting, ...] = ()


class MailTest(msgspec.Struct, frozen=True):
    """The last test of the mail server; a change of the server or sender takes it away."""

    to_email: str = ""
    tested_at: Instant | None = None
    milliseconds: int = 0
    is_accepted: bool = False
    # What the server said, or why it could not be asked.
    answer: str = ""
    # What to do about a failure.
    advice: str = ""


def tested(result: SendResult, to_email: str, milliseconds: int, now: Instant) -> MailTest:
    if result.kind == "sent":
        return MailTest(to_email, now, milliseconds, True, result.answer)
    reason = result.reason or "no mail server is set"
    return MailTest(to_email, now, milliseconds, False, reason, _advice(reason))


# By what a reason contains, the first that fits.
_ADVICE = (
    ("certificate", "Enter the server under the name that its certificate has."),
    ("TLS", "Try port 465 with TLS from the start, or port 587 with STARTTLS."),
    ("did not answer", "Check server and port. Many networks block port 25: try 587 or 465."),
    ("cannot be reached", "Check server and port, and that a firewall lets this machine out."),
    ("closed the connection", "Check that the port fits the security: 465 is TLS from the start, 587 is STARTTLS."),
    ("answered 534", "The provider asks for a password of its own for programs: create one there."),
    ("answered 535", "User or password is wrong. Some providers ask for a password of its own for programs."),
    ("answered 530", "The server asks for a user and a password: enter both."),
    ("answered 421", "The server is busy or has had enough of this machine for now. Try again in some minutes."),
    ("answered 4", "The server asks to try again later. If it stays so, its operator can say why."),
    ("answered 5", "The server refuses this sender or recipient. Send from an address of a domain it sends for."),
)


def _advice(reason: str) -> str:
    return next((advice for part, advice in _ADVICE if part in reason), "Check the server, the port and the sender.")
