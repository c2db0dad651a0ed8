"""What the methods of `commands` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Literal, TypedDict

from lootkeep_client import types


class ListCommands(TypedDict, total=False):
    """List commands."""

    page: int
    per_page: int
    status: types.CommandStatus
    server_id: int
    order_id: int
    customer_id: int
    sort: Literal["id"]
    order: types.SortDirection
