"""The methods of `servers`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import AsyncCore
from lootkeep_client.pages import Rows
from lootkeep_client.parameters import servers as takes


class Servers:
    """`client.servers`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def list(self) -> Rows[types.Server]:
        """List servers."""
        return await self._core.many(types.Server, "GET", "/api/external/v1/servers")

    async def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateServer]
    ) -> types.NewServer:
        """Create a server."""
        return await self._core.one(types.NewServer, "POST", "/api/external/v1/servers", body=body, key=idempotency_key)

    async def get(self, server_id: int) -> types.Server:
        """Read a server."""
        return await self._core.one(types.Server, "GET", "/api/external/v1/servers/{id}", server_id)

    async def update(self, server_id: int, **body: Unpack[takes.UpdateServer]) -> types.Server:
        """Update a server."""
        return await self._core.one(types.Server, "PUT", "/api/external/v1/servers/{id}", server_id, body=body)

    async def delete(self, server_id: int) -> str:
        """Delete a server."""
        return await self._core.message("DELETE", "/api/external/v1/servers/{id}", server_id)

    async def rotate_token(self, server_id: int, *, idempotency_key: str | None = None) -> types.ServerToken:
        """Replace the token of a server."""
        return await self._core.one(
            types.ServerToken, "POST", "/api/external/v1/servers/{id}/rotate-token", server_id, key=idempotency_key
        )

    async def resync(
        self, server_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.ResyncServer]
    ) -> types.Resync:
        """Send a server everything again."""
        return await self._core.one(
            types.Resync, "POST", "/api/external/v1/servers/{id}/resync", server_id, body=body, key=idempotency_key
        )
