"""The methods of `analytics`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Rows
from lootkeep_client.parameters import analytics as takes


class Analytics:
    """`client.analytics`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def revenue(self, **query: Unpack[takes.GetRevenue]) -> types.Revenue:
        """Read revenue figures."""
        return self._core.one(types.Revenue, "GET", "/api/external/v1/analytics/revenue", query=query)

    def sales(self, **query: Unpack[takes.GetSales]) -> types.Sales:
        """Read sales figures."""
        return self._core.one(types.Sales, "GET", "/api/external/v1/analytics/sales", query=query)

    def tax(self, **query: Unpack[takes.GetTaxes]) -> Rows[types.TaxSum]:
        """Read the tax report."""
        return self._core.many(types.TaxSum, "GET", "/api/external/v1/analytics/tax", query=query)
