"""Payments that providers report: sources, the inbox, and what its events do to orders."""

from lootkeep.services.payments.apply import apply, find_orders, leave, match
from lootkeep.services.payments.inbox import REJECTIONS, body_of, receive, report_of
from lootkeep.services.payments.sources import change, create, delete

__all__ = [
    "REJECTIONS",
    "apply",
    "body_of",
    "change",
    "create",
    "delete",
    "find_orders",
    "leave",
    "match",
    "receive",
    "report_of",
]
