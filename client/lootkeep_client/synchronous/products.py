"""The methods of `products`; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client.cores import Core
from lootkeep_client.pages import Data, Pages
from lootkeep_client.parameters import products as takes


class Products:
    """`client.products`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListProducts]) -> Pages:
        """List products."""
        return self._core.pages("GET", "/api/external/v1/products", query=query)

    def get(self, product_id: int) -> Data:
        """Read a product."""
        return self._core.one("GET", "/api/external/v1/products/{id}", product_id)
