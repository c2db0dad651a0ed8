"""No ticket query scans a large table, and each page holds exactly the right rows."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, get_args

import pytest

from bench import tickets
from bench.tickets import BEGIN
from lootkeep.domain.ticket_figures import NOBODY
from lootkeep.domain.tickets import TicketForm
from lootkeep.kernel.clock import DAY, SECOND, Instant
from lootkeep.kernel.paging import ListRequest, PageRequest, SortDirection
from lootkeep.services import tickets as tickets_service
from lootkeep.storage.engine.database import JoinedDatabase
from lootkeep.storage.tickets import figures as ticket_figures_db, lists as ticket_lists_db
from tests.storage.generated_store import GeneratedStore, Rollback, location_of, opened
from tests.storage.plans import QueryRecorder, QueryWork
from tests.world import World

SIZE = 20_000
LARGE = {"support_tickets", "ticket_messages"}
# Cells are as many as there are kinds of tickets and agents.
FIGURES = "FROM ticket_figures"

# For what is rare or far down, PostgreSQL may look at every row of a table that is no larger.
UNCHECKED = re.compile("urgent|(middle|far|last) page")
READINGS = {name: reading for name, reading in tickets.readings(SIZE).items() if not UNCHECKED.search(name)}


many_location = location_of(
    "tickets", partial(tickets.make_sqlite, size=SIZE), partial(tickets.make_postgres, size=SIZE)
)


@pytest.fixture(scope="module")
async def desk(many_location: Path | str) -> AsyncIterator[GeneratedStore]:
    """A store with many tickets, on each engine in turn."""
    async with opened(many_location) as store:
        assert store.large >= LARGE
        yield store


def is_small(desk: GeneratedStore, work: QueryWork) -> bool:
    if FIGURES in work.sql:
        return not work.scanned & {"support_tickets", "ticket_messages"}
    return desk.is_by_index(work)


@pytest.mark.parametrize("name", READINGS)
async def test_a_query_uses_an_index(desk: GeneratedStore, name: str) -> None:
    async with desk.engine.read() as tx:
        recorder = QueryRecorder(tx)
        await READINGS[name](recorder)
    assert [work for work in await desk.works(recorder) if not is_small(desk, work)] == []


async def test_operations_need_no_table_scan(desk: GeneratedStore, world: World) -> None:
    with suppress(Rollback):
        async with desk.engine.write() as tx:
            recorder = QueryRecorder(tx)
            deps = replace(world.deps, db=JoinedDatabase(recorder))
            _, ticket = await tickets_service.open_ticket(deps, TicketForm(1, "Subject", "Text"))
            await tickets_service.answer(deps, ticket.id, 1, "Text")
            await tickets_service.ask(deps, ticket.id, "Text")
            await tickets_service.note(deps, ticket.id, 1, "Text")
            await tickets_service.assign(deps, ticket.id, 1, 2)
            await tickets_service.set_status(deps, ticket.id, 1, "resolved")
            await tickets_service.close(deps, ticket.id, 1, None)
            raise Rollback
    works = await desk.works(recorder)
    assert len(works) > 30
    assert [work for work in works if not is_small(desk, work)] == []


async def test_every_page_of_every_filter_holds_the_right_rows(desk: GeneratedStore) -> None:
    everything = [ticket | {"agent": ticket["assigned_to_id"] or NOBODY} for ticket, _ in tickets.rows(SIZE)]
    days: tuple[dict[str, Any], ...] = ({}, {"from": BEGIN + 50 * DAY, "to": BEGIN + 900 * DAY})
    choices: dict[str, tuple[Any, ...]] = {
        "status": (None, "open", "closed"),
        "priority": (None, "normal", "urgent"),
        "category": (None, "refund"),
        "agent": (None, NOBODY, 1, tickets.AGENTS, 99),
    }
    async with desk.engine.read() as tx:
        for *values, within in product(*choices.values(), days):
            chosen = {name: value for name, value in zip(choices, values, strict=True) if value is not None}
            filters = {name: value for name, value in chosen.items() if value != NOBODY}
            if filters != chosen:
                filters["unassigned"] = True
            matching = [
                ticket["id"]
                for ticket in everything
                if all(ticket[name] == value for name, value in chosen.items())
                and within.get("from", 0) <= ticket["created_at"] < within.get("to", 2**62)
            ]
            for number in {1, len(matching) // 30 or 1, len(matching) // 15 + 1, len(matching) // 15 + 2}:
                page = PageRequest(number, 15)
                cut = slice(page.offset, page.offset + page.size)
                for order, expected in zip(get_args(SortDirection), (matching, matching[::-1]), strict=True):
                    request = ListRequest(page, {**filters, **within}, order=order)
                    listed, total = await ticket_lists_db.LISTING.page(tx, request)
                    assert (chosen, number, [entry.id for entry in listed], total) == (
                        *(chosen, number, expected[cut], len(matching)),
                    )


async def test_pages_by_last_message_are_in_order_and_complete(desk: GeneratedStore) -> None:
    async with desk.engine.read() as tx:
        filters: dict[str, Any]
        for filters in (
            {},
            {"status": "closed"},
            {"priority": "normal"},
            {"priority": "low", "category": "refund"},
            {"status": "closed", "agent": 2},
            {"from": BEGIN, "to": Instant(BEGIN + 300 * DAY)},
            {"customer_id": 7},
        ):
            entries = []
            for number in range(1, 5):
                request = ListRequest(PageRequest(number, 10), filters, "last_message_at")
                listed, total = await ticket_lists_db.LISTING.page(tx, request)
                entries += listed
            keys = [(entry.last_message_at, entry.id) for entry in entries]
            assert keys == sorted(set(keys), reverse=True)
            assert len(keys) == min(40, total)


async def test_the_medians_are_those_of_all_tickets(desk: GeneratedStore) -> None:
    everything = [ticket for ticket, _ in tickets.rows(SIZE)]
    async with desk.engine.read() as tx:
        for stored, name in (
            (ticket_figures_db.median_response, "first_response_at"),
            (ticket_figures_db.median_resolution, "resolved_at"),
        ):
            seconds = [(row[name] - row["created_at"]) // SECOND for row in everything if row[name] is not None]
            assert await stored(tx, len(seconds)) == median(seconds)
