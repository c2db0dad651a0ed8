"""The methods of `products`; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Pages
from lootkeep_client.parameters import products as takes


class Products:
    """`client.products`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListProducts]) -> Pages[types.Product]:
        """List products."""
        return self._core.pages(types.Product, "GET", "/api/external/v1/products", query=query)

    def get(self, product_id: int) -> types.Product:
        """Read a product."""
        return self._core.one(types.Product, "GET", "/api/external/v1/products/{id}", product_id)
