"""Lists of support tickets, each with its customer and its agent."""

from __future__ import annotations

import re
from typing import Any

from lootkeep.domain.ticket_figures import NOBODY
from lootkeep.domain.tickets import TicketEntry
from lootkeep.kernel.search import folded
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.filters import Filter, contains, contains_short, equals, equals_each, term_filters, within
from lootkeep.storage.lists import Join, Listing, Sort, Values
from lootkeep.storage.schema import customers, support_tickets, users
from lootkeep.storage.tickets import figures as ticket_figures
from lootkeep.storage.tickets.rows import ENTRY
from lootkeep.storage.totals.declared import TICKETS

_NUMBER = re.compile(r"tkt-0*([1-9][0-9]{0,17})")


def _search(term: str) -> dict[str, Any]:
    match = _NUMBER.fullmatch(folded(term))
    return {"number": int(match[1])} if match else term_filters(term)


async def _total(tx: Transaction, values: Values) -> int | None:
    cell = dict(values)
    if cell.pop("unassigned", False) and cell.setdefault("agent", NOBODY) != NOBODY:
        return 0
    return await ticket_figures.total(tx, cell) if cell.keys() <= set(TICKETS.key) else None


# The indexes of the sorts contain the columns that are filtered without an index.
LISTING = Listing(
    support_tickets,
    TicketEntry,
    {
        "number": equals(support_tickets.c.id, "number", "unsorted"),
        "order_id": equals(support_tickets.c.order_id, "order_id", "unsorted"),
        "customer_id": equals(support_tickets.c.customer_id, "customer_id"),
        "search": contains(support_tickets.c.search_text),
        "search_masked": contains(support_tickets.c.search_text, "search_masked"),
        "search_short": contains_short(support_tickets.c.search_text),
        "search_short_masked": contains_short(support_tickets.c.search_text, "search_short_masked"),
        "agent": equals(support_tickets.c.assigned_to_id, "agent", None),
        "unassigned": Filter(lambda agent: agent.is_(None), support_tickets.c.assigned_to_id, None),
        **equals_each(support_tickets, "status", "priority", "category", index=None),
        **within(support_tickets.c.created_at),
    },
    {
        "created_at": Sort(support_tickets.c.created_at),
        "id": Sort(support_tickets.c.id),
        "last_message_at": Sort(support_tickets.c.last_message_at),
    },
    _total,
    columns=ENTRY,
    joins=(
        Join(customers, customers.c.id == support_tickets.c.customer_id),
        Join(users, users.c.id == support_tickets.c.assigned_to_id, is_optional=True),
    ),
    search=_search,
)
