"""The figures of the support tickets in public."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, get_args

import msgspec

from lootkeep.domain.ticket_figures import NOBODY, TicketFigures, TicketStats
from lootkeep.domain.tickets import TicketCategory, TicketPriority, TicketStatus
from lootkeep.views.fields import field
from lootkeep.views.tickets import AgentView


class AgentFiguresView(msgspec.Struct, frozen=True):
    user: AgentView
    assigned: Annotated[int, field("Tickets assigned to this user.", 9)]
    by_status: Annotated[
        dict[str, int], field("These tickets by status.", {"open": 2, "pending": 1, "resolved": 1, "closed": 5})
    ]
    average_first_response_minutes: Annotated[float | None, field("Of these tickets.", 14.5)]
    average_resolution_minutes: Annotated[float | None, field("Of these tickets.", 240.25)]


class TicketStatsView(msgspec.Struct, frozen=True):
    total: Annotated[int, field("All tickets.", 12)]
    by_status: Annotated[
        dict[str, int], field("Tickets by status.", {"open": 3, "pending": 2, "resolved": 1, "closed": 6})
    ]
    by_priority: Annotated[
        dict[str, int], field("Tickets by priority.", {"low": 1, "normal": 9, "high": 1, "urgent": 1})
    ]
    by_category: Annotated[
        dict[str, int],
        field(
            "Tickets by category.",
            {"order": 2, "payment": 1, "delivery": 6, "account": 1, "refund": 1, "technical": 0, "other": 1},
        ),
    ]
    unassigned: Annotated[int, field("Unassigned tickets.", 3)]
    created_today: Annotated[int, field("Tickets opened on this UTC day.", 2)]
    closed_today: Annotated[int, field("Tickets closed on this UTC day that still are.", 1)]
    average_first_response_minutes: Annotated[float | None, field("From opening to the first reply.", 14.5)]
    median_first_response_minutes: Annotated[float | None, field("The median of the same time.", 9.0)]
    average_resolution_minutes: Annotated[float | None, field("From opening to being resolved or closed.", 240.25)]
    median_resolution_minutes: Annotated[float | None, field("The median of the same time.", 180.5)]
    by_agent: list[AgentFiguresView]


def stats(record: TicketStats) -> TicketStatsView:
    cells = record.figures
    return TicketStatsView(
        total=sum(cell.tickets for cell in cells),
        by_status=_by(cells, TicketStatus, lambda cell: cell.status),
        by_priority=_by(cells, TicketPriority, lambda cell: cell.priority),
        by_category=_by(cells, TicketCategory, lambda cell: cell.category),
        unassigned=sum(cell.tickets for cell in cells if cell.agent == NOBODY),
        created_today=record.created_today,
        closed_today=record.closed_today,
        average_first_response_minutes=_average_response(cells),
        median_first_response_minutes=_minutes(record.median_response_seconds),
        average_resolution_minutes=_average_resolution(cells),
        median_resolution_minutes=_minutes(record.median_resolution_seconds),
        by_agent=[
            _agent(AgentView(agent, name), [cell for cell in cells if cell.agent == agent])
            for agent, name in record.agents.items()
            if any(cell.agent == agent and cell.tickets for cell in cells)
        ],
    )


def _agent(user: AgentView, cells: Sequence[TicketFigures]) -> AgentFiguresView:
    return AgentFiguresView(
        user=user,
        assigned=sum(cell.tickets for cell in cells),
        by_status=_by(cells, TicketStatus, lambda cell: cell.status),
        average_first_response_minutes=_average_response(cells),
        average_resolution_minutes=_average_resolution(cells),
    )


def _by(cells: Sequence[TicketFigures], words: Any, of: Callable[[TicketFigures], str]) -> dict[str, int]:
    """Every word is present, even without tickets."""
    counts = dict.fromkeys(get_args(words), 0)
    for cell in cells:
        counts[of(cell)] += cell.tickets
    return counts


def _average_response(cells: Sequence[TicketFigures]) -> float | None:
    count = sum(cell.responded for cell in cells)
    return _minutes(sum(cell.response_seconds for cell in cells) / count) if count else None


def _average_resolution(cells: Sequence[TicketFigures]) -> float | None:
    count = sum(cell.resolved for cell in cells)
    return _minutes(sum(cell.resolution_seconds for cell in cells) / count) if count else None


def _minutes(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds / 60, 2)
