"""The kept figures of the tickets counted again from tickets and messages, and mended where they differ."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Select, and_, case, cast, func, literal, or_, select, union_all, update
from sqlalchemy.sql import literal_column

from lootkeep.domain.ticket_figures import NOBODY
from lootkeep.kernel.clock import DAY, SECOND
from lootkeep.storage import ticket_counts as kept
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import HoldTables
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import support_tickets, ticket_counts, ticket_figures, ticket_messages

_HOLD = Query(HoldTables("support_tickets", "ticket_figures", "ticket_counts"))

_tickets = support_tickets.c
_agent = func.coalesce(_tickets.assigned_to_id, literal_column(str(NOBODY), BigInteger))
_response = (_tickets.first_response_at - _tickets.created_at) // SECOND
_resolution = (_tickets.resolved_at - _tickets.created_at) // SECOND


def _summed(value: Any) -> Any:
    return cast(func.coalesce(func.sum(value), 0), BigInteger)


_public = (
    select(
        ticket_messages.c.ticket_id,
        func.count().label("messages_count"),
        func.max(ticket_messages.c.id).label("last_id"),
    )
    .where(ticket_messages.c.is_internal.is_(False))
    .group_by(ticket_messages.c.ticket_id)
    .subquery()
)
_of_messages = (
    select(
        _public.c.ticket_id,
        _public.c.messages_count,
        ticket_messages.c.created_at.label("last_message_at"),
        ticket_messages.c.author_type.label("last_message_by"),
    )
    .join(ticket_messages, ticket_messages.c.id == _public.c.last_id)
    .subquery()
)
_NAMES = ("messages_count", "last_message_at", "last_message_by")
_MEND_TICKETS = Query(
    update(support_tickets)
    .where(_tickets.id == _of_messages.c.ticket_id, or_(*(_tickets[name] != _of_messages.c[name] for name in _NAMES)))
    .values({name: _of_messages.c[name] for name in _NAMES})
    .returning(_tickets.id)
)

_cells = select(
    _agent.label("agent"),
    _tickets.status,
    _tickets.priority,
    _tickets.category,
    literal(1).label("tickets"),
    case((_response.is_not(None), 1), else_=0).label("responded"),
    func.coalesce(_response, 0).label("response_seconds"),
    case((_resolution.is_not(None), 1), else_=0).label("resolved"),
    func.coalesce(_resolution, 0).label("resolution_seconds"),
)
_taken = select(
    *(ticket_figures.c[name] for name in kept.CELL), *((-ticket_figures.c[name]).label(name) for name in kept.SUMS)
)
_both = union_all(_cells, _taken).subquery()
_sums = [_summed(_both.c[name]) for name in kept.SUMS]
_WRONG_FIGURES = Query(
    select(*(_both.c[name] for name in kept.CELL), *_sums)
    .group_by(*(_both.c[name] for name in kept.CELL))
    .having(or_(*(total != 0 for total in _sums)))
)


def _counted(name: Any, bucket: Any, where: Any = None) -> Select[Any]:
    query = select(name.label("name"), bucket.label("bucket"), literal(1).label("value")).select_from(support_tickets)
    return query if where is None else query.where(where)


def _took(name: kept.Took, seconds: Any) -> list[Select[Any]]:
    return [_counted(literal(f"{name}.{width}"), seconds // width, seconds.is_not(None)) for width in kept.WIDTHS]


_day = _tickets.created_at // DAY
_counts = union_all(
    _counted(literal(kept.ALL), _day),
    *(_counted(literal(f"{name}.").concat(_tickets[name]), _day) for name in ("status", "priority", "category")),
    _counted(literal("agent.").concat(cast(_agent, support_tickets.c.subject.type)), _day),
    _counted(literal(kept.CLOSED), _tickets.closed_at // DAY, _tickets.closed_at.is_not(None)),
    *_took("response", _response),
    *_took("resolution", _resolution),
    select(ticket_counts.c.name, ticket_counts.c.bucket, (-ticket_counts.c.value).label("value")),
).subquery()
_WRONG_COUNTS = Query(
    select(_counts.c.name, _counts.c.bucket, _summed(_counts.c.value))
    .group_by(_counts.c.name, _counts.c.bucket)
    .having(and_(_summed(_counts.c.value) != 0))
)


async def mend(tx: Transaction) -> dict[str, int]:
    """How many figures of each kind were wrong; in this transaction they are right now."""
    await tx.run(_HOLD)
    tickets = len(await tx.all(_MEND_TICKETS))
    figures = await tx.all(_WRONG_FIGURES)
    for row in figures:
        await kept.add_figures(tx, row[: len(kept.CELL)], row[len(kept.CELL) :])
    counts = await tx.all(_WRONG_COUNTS)
    for name, bucket, difference in counts:
        await kept.add_count(tx, name, bucket, difference)
    return {"support tickets": tickets, "ticket figures": len(figures) + len(counts)}
