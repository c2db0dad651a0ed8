"""Passkeys of the console's users: where they work, and for how long a browser may take to use one."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import msgspec

from lootkeep.kernel.clock import MINUTE, Instant

# From the page with the challenge to its answer.
CHALLENGE_LIFETIME = 10 * MINUTE
MAX_PASSKEYS = 20
_NAME = re.compile(r"([a-z0-9-]+\.)*[a-z][a-z0-9-]*")


class Passkey(msgspec.Struct, frozen=True):
    """The public half of a key pair; the private one never leaves the user's device."""

    id: int
    user_id: int
    name: str
    # Both in base64url.
    credential_id: str
    public_key: str
    sign_count: int
    created_at: Instant
    last_used_at: Instant | None = None

    def accepts(self, issued_at: Instant, now: Instant) -> bool:
        """A challenge that is not too old, and from after the last use: an answer works once."""
        is_new = self.last_used_at is None or issued_at > self.last_used_at
        return is_new and is_fresh(issued_at, now)


class RelyingParty(msgspec.Struct, frozen=True):
    """The site that browsers bind a passkey to."""

    # The host; a passkey works there only.
    id: str
    origin: str


def is_fresh(issued_at: Instant, now: Instant) -> bool:
    return issued_at <= now < issued_at + CHALLENGE_LIFETIME


def relying_party(public_url: str) -> RelyingParty | None:
    """None where browsers have no passkeys: over http, other than on localhost, and at a bare IP address."""
    parts = urlsplit(public_url)
    host = parts.hostname or ""
    is_secure = parts.scheme == "https" or host == "localhost"
    return RelyingParty(host, f"{parts.scheme}://{parts.netloc}") if is_secure and _NAME.fullmatch(host) else None
