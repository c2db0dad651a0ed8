"""What the methods of `analytics` take; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Literal, TypedDict


class GetRevenue(TypedDict, total=False):
    """Read revenue figures."""

    period: Literal[
        "today", "yesterday", "last_7_days", "last_30_days", "last_90_days", "this_month", "last_month", "this_year"
    ]
    from_: str
    to: str
    interval: Literal["hour", "day", "week", "month"]
    timezone: str
    product_id: int
    compare: bool


class GetSales(TypedDict, total=False):
    """Read sales figures."""

    period: Literal[
        "today", "yesterday", "last_7_days", "last_30_days", "last_90_days", "this_month", "last_month", "this_year"
    ]
    from_: str
    to: str
    interval: Literal["hour", "day", "week", "month"]
    timezone: str
    product_id: int
    compare: bool
