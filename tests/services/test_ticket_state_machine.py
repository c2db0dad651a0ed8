"""Any sequence of operations on tickets: each is as a small model says, and every figure is the sum of the tickets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, initialize, invariant, rule
from sqlalchemy import select

from lootkeep.domain.sign_up import SignUp
from lootkeep.domain.tickets import STEPS, Ticket, TicketEntry, TicketForm, TicketMessage, TicketStatus
from lootkeep.kernel.clock import DAY, MINUTE, SECOND
from lootkeep.kernel.errors import Conflict, InvalidFields
from lootkeep.services import (
    access as access_service,
    customers as customers_service,
    recount as recount_service,
    tickets as tickets_service,
)
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import support_tickets, ticket_messages
from lootkeep.storage.tickets import figures as ticket_figures_db
from tests.services.machines import TIME_TO_SHRINK, Machine, on_postgresql, on_sqlite, play

R = TypeVar("R")

OWNER = 1
SETTLED = ("resolved", "closed")
STATUSES: tuple[TicketStatus, ...] = ("open", "pending", "resolved", "closed")

_TICKETS = Query(select(*(support_tickets.c[name] for name in Ticket.__struct_fields__)), Ticket)
_MESSAGES = Query(
    select(*(ticket_messages.c[name] for name in TicketMessage.__struct_fields__)).order_by(ticket_messages.c.id),
    TicketMessage,
)


class TicketModel:
    """A ticket as it should be."""

    def __init__(self, now: int) -> None:
        self.status: TicketStatus = "open"
        self.opened = now
        self.public: list[tuple[str, str, int]] = []
        self.notes = 0
        self.first_response: int | None = None
        self.resolved: int | None = None
        self.closed: int | None = None
        self.reopened = 0
        self.agent: int | None = None

    def write(self, by: str, body: str, now: int) -> None:
        self.public.append((by, body, now))
        if by == "staff":
            self.first_response = self.first_response or now

    def move(self, status: TicketStatus, now: int) -> None:
        if self.status in SETTLED and status not in SETTLED:
            self.reopened += 1
        self.resolved = (self.resolved or now) if status in SETTLED else None
        self.closed = now if status == "closed" else None
        self.status = status


class TicketMachine(Machine):
    """A customer and two agents."""

    opened: Bundle[int] = Bundle("opened")

    def __init__(self) -> None:
        super().__init__()
        self.models: dict[int, TicketModel] = {}
        self.words = count(1)

    @property
    def now(self) -> int:
        return self.world.clock.now()

    @initialize(target=opened)
    def open_the_desk(self) -> int:
        self.run(customers_service.sign_up(self.deps, SignUp("jun@example.com", "Jun")))
        self.run(access_service.add_user(self.deps, "mira@store.example", "Mira"))
        return self._open("normal", "other")

    @rule(time=st.sampled_from([SECOND, MINUTE, 7 * MINUTE, DAY, 13 * DAY, 15 * DAY]))
    def wait(self, time: int) -> None:
        self.world.clock.advance(time)

    @rule(target=opened, priority=st.sampled_from(["low", "urgent"]), category=st.sampled_from(["order", "other"]))
    def open_a_ticket(self, priority: Any, category: Any) -> int:
        return self._open(priority, category)

    def _open(self, priority: Any, category: Any) -> int:
        form = TicketForm(1, "Subject", self._word(), priority, category)
        message, entry = self.run(tickets_service.open_ticket(self.deps, form))
        self.models[entry.id] = TicketModel(self.now)
        self.models[entry.id].write("customer", message.body, self.now)
        return entry.id

    @rule()
    def open_one_for_nobody(self) -> None:
        form = TicketForm(99, "Subject", "Text", order_id=99)
        assert isinstance(self.rejection(tickets_service.open_ticket(self.deps, form)), InvalidFields)

    @rule(ticket=opened)
    def the_customer_writes(self, ticket: int) -> None:
        model, word = self.models[ticket], self._word()
        operation = tickets_service.ask(self.deps, ticket, word)
        if model.closed is not None and self.now - model.closed > 14 * DAY:
            assert isinstance(self.rejection(operation), Conflict)
            return
        _, entry = self.run(operation)
        model.write("customer", word, self.now)
        if model.status in SETTLED:
            model.notes += 1
        if model.status != "open":
            model.move("open", self.now)
        self._compare(entry)

    @rule(ticket=opened)
    def staff_write(self, ticket: int) -> None:
        model, word = self.models[ticket], self._word()
        operation = tickets_service.answer(self.deps, ticket, OWNER, word)
        if model.status == "closed":
            assert isinstance(self.rejection(operation), Conflict)
            return
        _, entry = self.run(operation)
        model.write("staff", word, self.now)
        if model.status == "open":
            model.move("pending", self.now)
        self._compare(entry)

    @rule(ticket=opened)
    def staff_note(self, ticket: int) -> None:
        before = self.run(tickets_service.assign(self.deps, ticket, OWNER, self.models[ticket].agent))
        _, entry = self.run(tickets_service.note(self.deps, ticket, OWNER, self._word()))
        self.models[ticket].notes += 1
        assert entry == before

    @rule(ticket=opened, status=st.sampled_from(STATUSES))
    def staff_move(self, ticket: int, status: TicketStatus) -> None:
        model = self.models[ticket]
        operation = tickets_service.set_status(self.deps, ticket, OWNER, status)
        if status != model.status and status not in STEPS[model.status]:
            assert ", ".join(STEPS[model.status]) in self.rejection(operation).message
            return
        entry = self.run(operation)
        if status != model.status:
            model.move(status, self.now)
            model.notes += 1
        self._compare(entry)

    @rule(ticket=opened, has_word=st.booleans())
    def staff_close(self, ticket: int, has_word: bool) -> None:
        model, word = self.models[ticket], self._word() if has_word else None
        entry = self.run(tickets_service.close(self.deps, ticket, OWNER, word))
        if model.status != "closed":
            if word:
                model.write("staff", word, self.now)
            model.move("closed", self.now)
            model.notes += 1
        self._compare(entry)

    @rule(ticket=opened, agent=st.sampled_from([None, 1, 2]))
    def staff_assign(self, ticket: int, agent: int | None) -> None:
        model = self.models[ticket]
        entry = self.run(tickets_service.assign(self.deps, ticket, OWNER, agent))
        model.notes += agent != model.agent
        model.agent = agent
        self._compare(entry)

    @rule(ticket=opened)
    def staff_assign_to_a_stranger(self, ticket: int) -> None:
        assert isinstance(self.rejection(tickets_service.assign(self.deps, ticket, OWNER, 99)), InvalidFields)

    def _word(self) -> str:
        return f"word {next(self.words)}"

    def _compare(self, entry: Ticket | TicketEntry) -> None:
        model = self.models[entry.id]
        last_by, _, last_at = model.public[-1]
        assert (entry.status, entry.assigned_to_id, entry.reopened_count) == (
            *(model.status, model.agent, model.reopened),
        )
        assert (entry.messages_count, entry.last_message_by, entry.last_message_at) == (
            *(len(model.public), last_by, last_at),
        )
        assert (entry.created_at, entry.first_response_at, entry.resolved_at, entry.closed_at) == (
            *(model.opened, model.first_response, model.resolved, model.closed),
        )

    # --- what must be true after each of them

    @invariant()
    def the_stored_tickets_are_as_the_model_has_them(self) -> None:
        stored = self.run(self._all(_TICKETS))
        assert len(stored) == len(self.models)
        for ticket in stored:
            self._compare(ticket)

    @invariant()
    def no_message_is_lost_and_none_is_shown_that_was_internal(self) -> None:
        written = self.run(self._all(_MESSAGES))
        for ticket_id, model in self.models.items():
            own = [message for message in written if message.ticket_id == ticket_id]
            public = [(m.author_type, m.body, m.created_at) for m in own if not m.is_internal]
            assert public == model.public
            assert len(own) == len(public) + model.notes

    @invariant()
    def the_maintained_figures_are_what_the_tickets_add_up_to(self) -> None:
        wrong = self.run(recount_service.check(self.deps))
        assert set(wrong.values()) <= {0}, wrong

    @invariant()
    def the_medians_are_exact(self) -> None:
        models = self.models.values()
        for stored, times in (
            (
                ticket_figures_db.median_response,
                [m.first_response - m.opened for m in models if m.first_response is not None],
            ),
            (ticket_figures_db.median_resolution, [m.resolved - m.opened for m in models if m.resolved is not None]),
        ):
            expected = median(time // SECOND for time in times) if times else None
            assert self.run(self._median(stored, len(times))) == expected

    async def _median(self, stored: Callable[[Any, int], Awaitable[float | None]], count: int) -> float | None:
        async with self.world.db.read() as tx:
            return await stored(tx, count)

    async def _all(self, query: Query[R]) -> list[R]:
        async with self.world.db.read() as tx:
            return await tx.all(query)


@pytest.mark.timeout(TIME_TO_SHRINK)
def test_any_sequence_of_ticket_operations_matches_the_model_on_sqlite(sqlite_template: Path, tmp_path: Path) -> None:
    play(TicketMachine, on_sqlite(sqlite_template, tmp_path), examples=50)


@pytest.mark.timeout(TIME_TO_SHRINK)
def test_any_sequence_of_ticket_operations_matches_the_model_on_postgresql(postgres_url: str) -> None:
    play(TicketMachine, on_postgresql(postgres_url), examples=12)
