"""The methods of `customers`; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client.cores import Core
from lootkeep_client.pages import Data, Pages
from lootkeep_client.parameters import customers as takes


class Customers:
    """`client.customers`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def linked(self, customer_id: int) -> Data:
        """List the accounts linked to a customer."""
        return self._core.one("GET", "/api/external/v1/customers/{id}/linked", customer_id)

    def list(self, **query: Unpack[takes.ListCustomers]) -> Pages:
        """List customers."""
        return self._core.pages("GET", "/api/external/v1/customers", query=query)

    def get(self, customer_id: int) -> Data:
        """Read a customer."""
        return self._core.one("GET", "/api/external/v1/customers/{id}", customer_id)
