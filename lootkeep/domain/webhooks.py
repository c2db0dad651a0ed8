"""Webhooks: the rules for a receiver's URL, and the event types it can subscribe to."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from lootkeep.domain import webhook_filters, webhook_headers
from lootkeep.domain.addresses import IpNetwork, is_public
from lootkeep.domain.events import EVENT_TYPES, SPECIFIED_TYPES
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import InvalidFields, invalid
from lootkeep.kernel.redaction import without_query_values
from lootkeep.kernel.words import did_you_mean

MAX_WEBHOOKS = 100
# The purpose that the seal of a secret is bound to.
SECRET_PURPOSE = "webhook secret"  # noqa: S105
# Both secrets sign after a rotation, so a receiver can switch without losing a delivery.
SECRET_OVERLAP = DAY
TEST_EVENT = "webhook.test"
# The group of the store's settings with the mode.
SETTINGS = "webhooks"
# `*` is every type of the specification, `order.*` every type of orders; extensions are subscribed to by name.
EVENT_PATTERNS: Mapping[str, Sequence[str]] = {
    "*": tuple(SPECIFIED_TYPES),
    **{
        f"{family}.*": tuple(name for name in SPECIFIED_TYPES if name.startswith(f"{family}."))
        for family in dict.fromkeys(name.partition(".")[0] for name in SPECIFIED_TYPES)
    },
}
LOOPBACK: tuple[IpNetwork, ...] = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))

_MAX_URL_LENGTH = 2048
# The maximum length of the displayed name: one line, wherever it is shown.
_MAX_NAME_LENGTH = 60
_PRIVATE = "must not point to a private address"
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?", re.IGNORECASE)
# Notations that some resolvers read as an IPv4 address: a number, hex, octal, fewer than four parts.
_NUMERIC_HOST = re.compile(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+))*\.?", re.IGNORECASE)


class Webhook(msgspec.Struct, frozen=True):
    """A receiver; its secrets are sealed."""

    id: int
    url: str
    events: str
    is_active: bool
    secret: str
    previous_secret: str | None
    previous_secret_until: Instant | None
    created_at: Instant
    updated_at: Instant
    # JSON: a list, and the sealed values by name.
    header_names: str = "[]"
    sealed_headers: str | None = None
    # In the language of rules; None for every event of its types.
    filter: str | None = None

    @property
    def name(self) -> str:
        """Its display name: host and path, shortened in the middle if it is long."""
        parts = urlsplit(self.url)
        name = f"{parts.netloc}{parts.path.rstrip('/')}"
        return name if len(name) <= _MAX_NAME_LENGTH else f"{name[: _MAX_NAME_LENGTH - 20]}…{name[-19:]}"

    @property
    def without_secrets(self) -> Webhook:
        """For people who cannot change it: many receivers expect a secret in the query of their URL."""
        return msgspec.structs.replace(self, url=without_query_values(self.url))

    @property
    def event_types(self) -> list[str]:
        types: list[str] = msgspec.json.decode(self.events)
        return types

    @property
    def headers(self) -> list[str]:
        """The names of the additional headers."""
        names: list[str] = msgspec.json.decode(self.header_names)
        return names

    def wants(self, event_type: str) -> bool:
        return self.is_active and event_type in self.event_types

    def fits(self, data: str) -> bool:
        return self.filter is None or webhook_filters.fits(self.filter, data)


def new(url: str, events: str, sealed_secret: str, now: Instant, **options: Any) -> Webhook:
    """An active webhook; its id is assigned when it is stored."""
    return Webhook(0, url, events, True, sealed_secret, None, None, now, now, **options)


class WebhookVersion(msgspec.Struct, frozen=True):
    """The subscription of a webhook from a time on."""

    events: str
    is_active: bool
    filter: str | None

    def reason_against(self, event_type: str, data: str) -> str | None:
        """Why the webhook did not get an event; None if it did."""
        if not self.is_active:
            return "this webhook was inactive at that time"
        types: list[str] = msgspec.json.decode(self.events)
        if event_type not in types:
            return "it was not subscribed to this event at that time"
        is_wanted = self.filter is None or webhook_filters.fits(self.filter, data)
        return None if is_wanted else "the filter that it had at that time does not fit this event"


class Replay(msgspec.Struct, frozen=True):
    """Recorded events that are sent again to one webhook."""

    id: int
    webhook_id: int
    since: Instant
    event_types: str
    last_event_id: int
    cursor: int
    total: int
    done: int
    created_at: Instant
    finished_at: Instant | None


class WebhookRules(msgspec.Struct, frozen=True):
    """What the operator permits in addition to HTTPS and public addresses."""

    allow_insecure: bool = False
    allowed_networks: Sequence[IpNetwork] = ()
    # How to permit `http` and loopback, for the error messages of a store in development.
    insecure_hint: str = ""


class WebhookMode(msgspec.Struct, frozen=True):
    """What the running service permits, so the command line next to it permits the same."""

    allow_insecure: bool = False


def checked(fields: dict[str, Any], rules: WebhookRules) -> dict[str, Any]:
    """The fields as they are stored, or all validation errors. Host names are resolved when connecting."""
    errors = {}
    if "url" in fields and (error := check_url(fields["url"], rules)):
        errors["url"] = [f"The url field {error}."]
    if "events" in fields and (error := check_events(fields["events"])):
        errors["events"] = [f"The events field {error}."]
    if "headers" in fields and (error := webhook_headers.check(fields["headers"])):
        errors["headers"] = [f"The headers field {error}."]
    if fields.get("filter") is not None and (error := webhook_filters.check(fields["filter"])):
        errors["filter"] = [f"The filter field {error}."]
    if errors:
        raise InvalidFields(errors)
    return fields | {"events": _as_text(fields["events"])} if "events" in fields else fields


def checked_replay(webhook: Webhook, types: Sequence[str] | None) -> str:
    """Which types to send again: the webhook's whole subscription, unless some types are given."""
    if types is None:
        return webhook.events
    error = check_events(types)
    if error is None and not set(expanded(types)) <= set(webhook.event_types):
        error = "contains a type that the webhook is not subscribed to"
    if error:
        raise invalid("event_types", f"The event types field {error}.")
    return _as_text(types)


def check_events(types: Sequence[str]) -> str | None:
    unknown = [name for name in types if not expanded([name])]
    if unknown:
        all_types = [*EVENT_TYPES, *EVENT_PATTERNS]
        return f"contains an unknown event type{did_you_mean(unknown, all_types)}; known types: {', '.join(all_types)}"
    return "must not contain the same event type twice" if len(set(types)) != len(types) else None


def expanded(types: Iterable[str]) -> list[str]:
    """The types that match these names and patterns, each once, in the order of the table."""
    wanted = {name for pattern in types for name in EVENT_PATTERNS.get(pattern, (pattern,))}
    return [name for name in EVENT_TYPES if name in wanted]


def _as_text(types: Sequence[str]) -> str:
    """Stored expanded: types added by later versions are not sent to receivers that do not know them."""
    is_exact = all(name in EVENT_TYPES for name in types)
    return msgspec.json.encode(list(types) if is_exact else expanded(types)).decode()


def check_url(url: str, rules: WebhookRules) -> str | None:
    if len(url) > _MAX_URL_LENGTH:
        return f"must not be greater than {_MAX_URL_LENGTH} characters"
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        return "must be a valid URL"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "must be a valid URL"
    schemes = ("https", "http") if rules.allow_insecure else ("https",)
    if parts.scheme not in schemes:
        return f"must be an HTTPS URL{rules.insecure_hint if parts.scheme == 'http' else ''}"
    if parts.username is not None or parts.password is not None:
        return "must not contain credentials"
    if "#" in url:
        return "must not contain a fragment"
    if port == 0:
        return "must have a port between 1 and 65535"
    return _check_host(parts.hostname or "", rules)


def _check_host(host: str, rules: WebhookRules) -> str | None:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        if not _HOST.fullmatch(host) or len(host) > 253:
            return "must name a host"
        if _NUMERIC_HOST.fullmatch(host):
            return "must write an IP address in its ordinary form"
        is_local = host.rstrip(".").lower() == "localhost" or host.rstrip(".").lower().endswith(".localhost")
        return _PRIVATE + rules.insecure_hint if is_local and not rules.allow_insecure else None
    if is_public(host, reachable(rules)):
        return None
    return _PRIVATE + rules.insecure_hint if is_public(host, LOOPBACK) else _PRIVATE


def reachable(rules: WebhookRules) -> Sequence[IpNetwork]:
    """Networks that are not public but may be reached."""
    return (*rules.allowed_networks, *LOOPBACK) if rules.allow_insecure else rules.allowed_networks
