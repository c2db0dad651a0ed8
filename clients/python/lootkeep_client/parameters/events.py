"""What the methods of `events` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import TypedDict


class ListEvents(TypedDict, total=False):
    """Read the event feed."""

    after: int
    limit: int
    wait: int
