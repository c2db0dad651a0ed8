"""The statistics of support tickets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from lootkeep.domain.tickets import TicketCategory, TicketPriority, TicketStatus

# Nobody, as a key in place of an agent.
NOBODY = 0


class TicketFigures(msgspec.Struct, frozen=True):
    """The totals of the tickets of one kind and one agent."""

    agent: int
    status: TicketStatus
    priority: TicketPriority
    category: TicketCategory
    tickets: int
    responded: int
    response_seconds: int
    resolved: int
    resolution_seconds: int


class TicketStats(msgspec.Struct, frozen=True):
    """All statistics of the tickets."""

    figures: Sequence[TicketFigures]
    # Names of the users, by id.
    agents: Mapping[int, str]
    created_today: int
    closed_today: int
    median_response_seconds: float | None
    median_resolution_seconds: float | None
