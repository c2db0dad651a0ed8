"""The methods of `creators`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Pages
from lootkeep_client.parameters import creators as takes


class Creators:
    """`client.creators`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListCreators]) -> Pages[types.Creator]:
        """List creators."""
        return self._core.pages(types.Creator, "GET", "/api/external/v1/creators", query=query)

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateCreator]) -> types.Creator:
        """Create a creator."""
        return self._core.one(types.Creator, "POST", "/api/external/v1/creators", body=body, key=idempotency_key)

    def get(self, creator_id: int) -> types.Creator:
        """Read a creator."""
        return self._core.one(types.Creator, "GET", "/api/external/v1/creators/{id}", creator_id)

    def update(self, creator_id: int, **body: Unpack[takes.UpdateCreator]) -> types.Creator:
        """Update a creator."""
        return self._core.one(types.Creator, "PUT", "/api/external/v1/creators/{id}", creator_id, body=body)

    def ledger(self, creator_id: int, **query: Unpack[takes.ReadLedger]) -> Pages[types.CreatorEntry]:
        """Read the ledger of a creator."""
        return self._core.pages(
            types.CreatorEntry, "GET", "/api/external/v1/creators/{id}/ledger", creator_id, query=query
        )

    def pay_out(
        self, creator_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.PayCreator]
    ) -> types.CreatorEntry:
        """Book a payout to a creator."""
        return self._core.one(
            types.CreatorEntry,
            "POST",
            "/api/external/v1/creators/{id}/payouts",
            creator_id,
            body=body,
            key=idempotency_key,
        )
