"""Who may sign in to the console: roles, passwords, sessions, one-time codes, and the log of changes."""

from __future__ import annotations

import base64
import hmac
import struct
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from lootkeep.domain import roles as roles_rules
from lootkeep.domain.access import User
from lootkeep.domain.roles import PRESET_NAMES, PRESETS, Permissions
from lootkeep.kernel.clock import DAY, HOUR, SECOND, Instant
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.money import Hundredths

MIN_PASSWORD_LENGTH = 12
# The time to hash a password grows with this.
MAX_PASSWORD_LENGTH = 1024

LINK_LIFETIME = DAY
# A session ends after this time without a request, and in any case after this time since sign-in.
IDLE_LIMIT = 12 * HOUR
ABSOLUTE_LIMIT = 30 * DAY

TOTP_STEP_SECONDS = 30
# How long a secret that was shown for an authenticator can be turned on.
TOTP_SETUP_LIFETIME = HOUR
_TOTP_DIGITS = 6
RECOVERY_CODES = 10
# Fifty bits: with the pauses between attempts nobody guesses one.
_RECOVERY_CODE_BYTES = 7
_RECOVERY_CODE_LENGTH = 10
# The clocks of phones are not exact: the previous and the next step are accepted too.
_TOTP_DRIFT = 1


class Account(msgspec.Struct, frozen=True):
    """The role of a user in the console, and how they prove their identity."""

    user_id: int
    # A preset, or `custom` with the id of a role that an owner made.
    role: str
    created_at: Instant
    updated_at: Instant
    password_hash: str | None = None
    totp_secret: str | None = None
    totp_step: int | None = None
    role_id: int | None = None
    # Until a new one-time link is used: nobody else lets them in, not a provider of sign-ins either.
    disabled_at: Instant | None = None

    @property
    def role_key(self) -> str:
        """The role as forms send it."""
        return self.role if self.role_id is None else str(self.role_id)


class Person(User, frozen=True):
    """A user who has an account."""

    role: str
    # Of a role that an owner made.
    role_name: str | None = None
    scopes: str | None = None
    refund_limit: Hundredths | None = None
    masks_emails: bool | None = None
    hides_revenue: bool | None = None

    @property
    def permissions(self) -> Permissions:
        if self.scopes is None:
            return PRESETS[self.role]
        return roles_rules.permissions(
            self.scopes, self.refund_limit, bool(self.masks_emails), bool(self.hides_revenue)
        )

    @property
    def role_title(self) -> str:
        return self.role_name or PRESET_NAMES[self.role]

    def may(self, scope: str) -> bool:
        return self.permissions.may(scope)


class ListedUser(msgspec.Struct, frozen=True):
    """A user, with the account if there is one."""

    id: int
    email: str
    name: str
    created_at: Instant
    role: str | None
    role_name: str | None
    has_password: bool
    has_second_factor: bool
    is_disabled: bool
    updated_at: Instant | None

    @property
    def role_title(self) -> str | None:
        return self.role_name or (PRESET_NAMES[self.role] if self.role else None)

    @property
    def state(self) -> str:
        """Whether the user can sign in."""
        if self.role is None:
            return "no_access"
        if self.is_disabled:
            return "disabled"
        return "active" if self.has_password else "no_password"


class Session(msgspec.Struct, frozen=True):
    """One signed-in browser."""

    id: int
    user_id: int
    created_at: Instant
    last_seen_at: Instant
    expires_at: Instant
    ip_address: str | None
    user_agent: str | None
    revoked_at: Instant | None = None

    def is_valid(self, now: Instant) -> bool:
        return self.revoked_at is None and now < self.expires_at and now - self.last_seen_at < IDLE_LIMIT


class SignInFigures(msgspec.Struct, frozen=True):
    """How many people have a password, how many of them a second factor, and the browsers that are signed in."""

    with_password: int
    with_second_factor: int
    sessions: int


# How someone reached the store to change something.
AuditChannel = Literal["console", "token", "command_line"]


class AuditEntry(msgspec.Struct, frozen=True):
    """A change that someone made."""

    id: int
    user_id: int | None
    action: str
    record: str
    before: str
    after: str
    ip_address: str | None
    channel: AuditChannel
    created_at: Instant
    user_name: str | None

    @property
    def who(self) -> str:
        """Nobody is signed in on the command line, or when a sign-in fails."""
        return self.user_name or ("The command line" if self.channel == "command_line" else "Someone")

    @property
    def values(self) -> dict[str, Any]:
        """Of the record after the change; of one that is gone, before."""
        values: dict[str, Any] = msgspec.json.decode(self.before) | msgspec.json.decode(self.after)
        return values

    @property
    def changes(self) -> list[tuple[str, object, object]]:
        """Each field that changed, with its value before and after."""
        before, after = msgspec.json.decode(self.before), msgspec.json.decode(self.after)
        return [
            (name, _written(before.get(name)), _written(after.get(name)))
            for name in dict.fromkeys((*before, *after))
            if before.get(name) != after.get(name)
        ]


def _written(value: object) -> object:
    """A list as people write one."""
    return ", ".join(str(part) for part in value) if isinstance(value, list) else value


def check_password(password: str) -> None:
    if not MIN_PASSWORD_LENGTH <= len(password) <= MAX_PASSWORD_LENGTH:
        raise invalid("password", f"The password must have at least {MIN_PASSWORD_LENGTH} characters.")


def totp_code(secret: str, step: int) -> str:
    """RFC 6238: the six digits of a time step, for a secret in base32."""
    key = base64.b32decode(secret)
    digest = hmac.digest(key, struct.pack(">Q", step), "sha1")
    offset = digest[-1] & 0x0F
    number = int.from_bytes(digest[offset : offset + 4]) & 0x7FFFFFFF
    return f"{number % 10**_TOTP_DIGITS:0{_TOTP_DIGITS}d}"


def recovery_code(random_bytes: Callable[[int], bytes]) -> str:
    """Ten letters and digits in two groups, which people can read out and type."""
    letters = base64.b32encode(random_bytes(_RECOVERY_CODE_BYTES)).decode().lower()[:_RECOVERY_CODE_LENGTH]
    return f"{letters[:5]}-{letters[5:]}"


def plain_code(code: str) -> str:
    """The letters and digits alone, however they were typed."""
    return "".join(character for character in code.lower() if character.isalnum())


def accepted_step(secret: str, code: str, now: Instant, last_step: int | None) -> int | None:
    """The time step of this code; None if the code is wrong or was used before."""
    current = now // SECOND // TOTP_STEP_SECONDS
    for step in range(current - _TOTP_DRIFT, current + _TOTP_DRIFT + 1):
        is_new = last_step is None or step > last_step
        if is_new and hmac.compare_digest(totp_code(secret, step).encode(), code.encode()):
            return step
    return None
