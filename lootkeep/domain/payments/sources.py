"""Sources: accounts at payment providers that send their events to the inbox."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from lootkeep.kernel.clock import DAY, MINUTE, Instant
from lootkeep.kernel.errors import Unprocessable, invalid

Provider = Literal["stripe", "paypal"]

PROVIDER_NAMES: dict[Provider, str] = {"stripe": "Stripe", "paypal": "PayPal"}
MAX_SOURCES = 20
INBOX = "/inbox/"
# Events of the sandbox have no test token: the word in their URL says where they belong.
TEST_SLUG = "test-"
# The purpose that the seal of a secret is bound to.
SECRET_PURPOSE = "payment source"  # noqa: S105
# Both secrets count after a rotation, so that no event is lost while the provider is changed.
SECRET_OVERLAP = DAY
# `last_event_at` is worth one write in this time, not one for each event.
SEEN_EVERY = MINUTE

# What a secret looks like, and where it is found.
_SECRETS: dict[Provider, tuple[str, str]] = {
    "stripe": (r"whsec_[A-Za-z0-9+/=_-]{8,200}", "the whole signing secret of the endpoint, which starts with whsec_"),
    "paypal": (r"[A-Za-z0-9]{1,50}", "the webhook id that PayPal shows"),
}


class PaymentSource(msgspec.Struct, frozen=True):
    """A source; its secrets are sealed."""

    id: int
    provider: Provider
    name: str
    # The unguessable word of its URL.
    slug: str
    secret: str
    created_at: Instant
    updated_at: Instant
    is_active: bool = True
    # Whether events of the provider's test mode are applied.
    is_test: bool = False
    previous_secret: str | None = None
    previous_secret_until: Instant | None = None
    last_event_at: Instant | None = None
    deleted_at: Instant | None = None

    @property
    def path(self) -> str:
        return INBOX + self.slug

    def is_worth_noting(self, now: Instant) -> bool:
        return self.last_event_at is None or now - self.last_event_at >= SEEN_EVERY


def check_secret(provider: Provider, secret: str) -> None:
    form, where = _SECRETS[provider]
    if not re.fullmatch(form, secret):
        raise invalid("secret", f"The secret field must be {where}.")


def require_room(count: int) -> None:
    if count >= MAX_SOURCES:
        raise Unprocessable("too_many_sources", f"A store can have at most {MAX_SOURCES} payment sources.")
