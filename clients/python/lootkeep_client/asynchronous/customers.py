"""The methods of `customers`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import AsyncCore
from lootkeep_client.pages import AsyncPages
from lootkeep_client.parameters import customers as takes


class Customers:
    """`client.customers`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def linked(self, customer_id: int) -> types.LinkedAccounts:
        """List the accounts linked to a customer."""
        return await self._core.one(types.LinkedAccounts, "GET", "/api/external/v1/customers/{id}/linked", customer_id)

    def list(self, **query: Unpack[takes.ListCustomers]) -> AsyncPages[types.Customer]:
        """List customers."""
        return self._core.pages(types.Customer, "GET", "/api/external/v1/customers", query=query)

    async def get(self, customer_id: int) -> types.Customer:
        """Read a customer."""
        return await self._core.one(types.Customer, "GET", "/api/external/v1/customers/{id}", customer_id)

    async def update(self, customer_id: int, **body: Unpack[takes.UpdateCustomer]) -> types.ChangedCustomer:
        """Change a customer."""
        return await self._core.one(
            types.ChangedCustomer, "PUT", "/api/external/v1/customers/{id}", customer_id, body=body
        )
