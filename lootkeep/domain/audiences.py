"""Whom a campaign is for: everyone, the customers who match filters, or a list."""

from __future__ import annotations

from typing import Literal

import msgspec

from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths

AudienceType = Literal["all", "segment", "customers"]

MAX_CUSTOMERS = 10_000


class SegmentFilters(msgspec.Struct, frozen=True, omit_defaults=True):
    """The filters of a segment; None means no filter."""

    countries: tuple[str, ...] | None = None
    min_total_spent: Hundredths | None = None
    min_orders: int | None = None
    last_order_before: Instant | None = None
    last_order_after: Instant | None = None
    registered_from: Instant | None = None
    registered_to: Instant | None = None
    product_ids: tuple[int, ...] | None = None
    tags: tuple[str, ...] | None = None
    is_referrer: bool | None = None


class Audience(msgspec.Struct, frozen=True, omit_defaults=True):
    """The audience of a campaign, before excluding those who must not get e-mails."""

    type: AudienceType = "all"
    customer_ids: tuple[int, ...] = ()
    filters: SegmentFilters = SegmentFilters()


def check(audience: Audience) -> dict[str, list[str]]:
    if audience.type == "customers" and not audience.customer_ids:
        return {"audience.customer_ids": ["The audience customer ids field is required when the type is customers."]}
    if audience.type == "segment" and audience.filters == SegmentFilters():
        return {"audience.filters": ["The audience filters field needs at least one filter when the type is segment."]}
    if audience.type == "segment":
        return {f"audience.filters.{name}": sentences for name, sentences in reversed_ranges(audience.filters).items()}
    return {}


def reversed_ranges(filters: SegmentFilters) -> dict[str, list[str]]:
    """The filters that begin after their end, which nobody could match."""
    errors = {}
    after, before = filters.last_order_after, filters.last_order_before
    if after is not None and before is not None and after >= before:
        errors["last_order_after"] = ["The last order after field must be before last order before."]
    first, last = filters.registered_from, filters.registered_to
    if first is not None and last is not None and first > last:
        errors["registered_from"] = ["The registered from field must not be after registered to."]
    return errors


def plain(audience: Audience) -> Audience:
    """Only the fields that its type uses."""
    ids = tuple(dict.fromkeys(audience.customer_ids)) if audience.type == "customers" else ()
    return Audience(audience.type, ids, audience.filters if audience.type == "segment" else SegmentFilters())
