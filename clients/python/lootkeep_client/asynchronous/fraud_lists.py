"""The methods of `fraud_lists`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import AsyncCore
from lootkeep_client.pages import AsyncPages, Rows
from lootkeep_client.parameters import fraud_lists as takes


class FraudLists:
    """`client.fraud_lists`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def list(self) -> Rows[types.FraudList]:
        """List the store's own lists."""
        return await self._core.many(types.FraudList, "GET", "/api/external/v1/fraud/lists")

    async def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateFraudList]
    ) -> types.FraudList:
        """Create a list."""
        return await self._core.one(
            types.FraudList, "POST", "/api/external/v1/fraud/lists", body=body, key=idempotency_key
        )

    async def delete(self, list_id: int) -> str:
        """Delete a list."""
        return await self._core.message("DELETE", "/api/external/v1/fraud/lists/{id}", list_id)

    def entries(self, list_id: int, **query: Unpack[takes.ListFraudListEntries]) -> AsyncPages[types.ListEntry]:
        """List the entries of a list."""
        return self._core.pages(
            types.ListEntry, "GET", "/api/external/v1/fraud/lists/{id}/entries", list_id, query=query
        )

    async def add_entries(
        self, list_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.AddFraudListEntries]
    ) -> str:
        """Add entries to a list."""
        return await self._core.message(
            "POST", "/api/external/v1/fraud/lists/{id}/entries", list_id, body=body, key=idempotency_key
        )

    async def remove_entry(self, list_id: int, **body: Unpack[takes.RemoveFraudListEntry]) -> str:
        """Remove an entry from a list."""
        return await self._core.message("DELETE", "/api/external/v1/fraud/lists/{id}/entries", list_id, body=body)
