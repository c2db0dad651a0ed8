"""The Python client of Lootkeep: every endpoint, sync and async, with pages, retries and webhook verification."""

from lootkeep_client.clients import AsyncClient, Client
from lootkeep_client.errors import (
    ApiError,
    Conflict,
    ConnectionFailed,
    FieldsIgnored,
    Forbidden,
    Invalid,
    LootkeepError,
    NotFound,
    RateLimited,
    ServerError,
    Unauthorized,
    WebhookNotVerified,
)
from lootkeep_client.pages import AsyncPages, Page, Pages
from lootkeep_client.retrying import Retry
from lootkeep_client.webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AsyncClient",
    "AsyncPages",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "FieldsIgnored",
    "Forbidden",
    "Invalid",
    "LootkeepError",
    "NotFound",
    "Page",
    "Pages",
    "RateLimited",
    "Retry",
    "ServerError",
    "Unauthorized",
    "WebhookNotVerified",
    "verify_webhook",
]
