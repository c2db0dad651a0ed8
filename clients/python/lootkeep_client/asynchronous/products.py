"""The methods of `products`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import AsyncCore
from lootkeep_client.pages import AsyncPages, Rows
from lootkeep_client.parameters import products as takes


class ProductsKeys:
    """`client.products.keys`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def add(
        self, product_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.AddKeys]
    ) -> types.KeysAdded:
        """Add keys to a product."""
        return await self._core.one(
            types.KeysAdded, "POST", "/api/external/v1/products/{id}/keys", product_id, body=body, key=idempotency_key
        )

    def list(self, product_id: int, **query: Unpack[takes.ListKeys]) -> AsyncPages[types.ProductKey]:
        """List the keys of a product."""
        return self._core.pages(types.ProductKey, "GET", "/api/external/v1/products/{id}/keys", product_id, query=query)

    async def batches(self, product_id: int) -> Rows[types.KeyBatch]:
        """List the batches of keys."""
        return await self._core.many(types.KeyBatch, "GET", "/api/external/v1/products/{id}/key-batches", product_id)

    async def withdraw(
        self, product_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.WithdrawKeys]
    ) -> types.KeysWithdrawn:
        """Withdraw keys."""
        return await self._core.one(
            types.KeysWithdrawn,
            "POST",
            "/api/external/v1/products/{id}/keys/withdraw",
            product_id,
            body=body,
            key=idempotency_key,
        )

    async def reveal(self, product_id: int, key_id: int, *, idempotency_key: str | None = None) -> types.RevealedKey:
        """Show a whole key."""
        return await self._core.one(
            types.RevealedKey,
            "POST",
            "/api/external/v1/products/{id}/keys/{key_id}/reveal",
            product_id,
            key_id,
            key=idempotency_key,
        )


class Products:
    """`client.products`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core
        self.keys = ProductsKeys(core)

    def list(self, **query: Unpack[takes.ListProducts]) -> AsyncPages[types.Product]:
        """List products."""
        return self._core.pages(types.Product, "GET", "/api/external/v1/products", query=query)

    async def get(self, product_id: int) -> types.Product:
        """Read a product."""
        return await self._core.one(types.Product, "GET", "/api/external/v1/products/{id}", product_id)
