"""What the methods of `game` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Required, TypedDict

from lootkeep_client import types


class TakeCommands(TypedDict, total=False):
    """Take commands."""

    limit: int
    wait: int
    online: str


class ReportResults(TypedDict, total=False):
    """Report results."""

    results: Required[Sequence[types.ResultBody]]
