"""What the methods of `webhooks` take; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Required, TypedDict


class CreateWebhook(TypedDict, total=False):
    """Create a webhook."""

    url: Required[str]
    events: Required[
        Sequence[
            Literal[
                "order.created",
                "order.paid",
                "order.completed",
                "order.refunded",
                "subscription.created",
                "subscription.renewed",
                "subscription.cancelled",
                "product.created",
                "product.updated",
                "product.deleted",
                "order.disputed",
                "fraud.flagged",
                "fraud.held",
                "fraud.blocked",
                "fraud.reviewed",
                "*",
                "order.*",
                "subscription.*",
                "product.*",
            ]
        ]
    ]


class UpdateWebhook(TypedDict, total=False):
    """Update a webhook."""

    url: str
    events: Sequence[
        Literal[
            "order.created",
            "order.paid",
            "order.completed",
            "order.refunded",
            "subscription.created",
            "subscription.renewed",
            "subscription.cancelled",
            "product.created",
            "product.updated",
            "product.deleted",
            "order.disputed",
            "fraud.flagged",
            "fraud.held",
            "fraud.blocked",
            "fraud.reviewed",
            "*",
            "order.*",
            "subscription.*",
            "product.*",
        ]
    ]
    is_active: bool


class ListDeliveries(TypedDict, total=False):
    """List a webhook's deliveries."""

    page: int
    per_page: int
    status: Literal["pending", "delivered", "failed", "cancelled"]
    event_type: Literal[
        "order.created",
        "order.paid",
        "order.completed",
        "order.refunded",
        "subscription.created",
        "subscription.renewed",
        "subscription.cancelled",
        "product.created",
        "product.updated",
        "product.deleted",
        "order.disputed",
        "fraud.flagged",
        "fraud.held",
        "fraud.blocked",
        "fraud.reviewed",
    ]
    from_: str
    sort: Literal["created_at"]
    order: Literal["asc", "desc"]
    to: str


class ReplayEvents(TypedDict, total=False):
    """Send recorded events again."""

    since: Required[str]
    event_types: (
        Sequence[
            Literal[
                "order.created",
                "order.paid",
                "order.completed",
                "order.refunded",
                "subscription.created",
                "subscription.renewed",
                "subscription.cancelled",
                "product.created",
                "product.updated",
                "product.deleted",
                "order.disputed",
                "fraud.flagged",
                "fraud.held",
                "fraud.blocked",
                "fraud.reviewed",
                "*",
                "order.*",
                "subscription.*",
                "product.*",
            ]
        ]
        | None
    )
