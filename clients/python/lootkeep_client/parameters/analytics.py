"""What the methods of `analytics` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import TypedDict

from lootkeep_client import types


class GetRevenue(TypedDict, total=False):
    """Read revenue figures."""

    period: types.AnalyticsPeriod
    from_: str
    to: str
    interval: types.AnalyticsInterval
    timezone: str
    product_id: int
    compare: bool


class GetSales(TypedDict, total=False):
    """Read sales figures."""

    period: types.AnalyticsPeriod
    from_: str
    to: str
    interval: types.AnalyticsInterval
    timezone: str
    product_id: int
    compare: bool


class GetTaxes(TypedDict, total=False):
    """Read the tax report."""

    quarter: str
    from_: str
    to: str
