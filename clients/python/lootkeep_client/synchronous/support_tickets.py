"""The methods of `support_tickets`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Pages
from lootkeep_client.parameters import support_tickets as takes


class SupportTickets:
    """`client.support_tickets`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListSupportTickets]) -> Pages[types.Ticket]:
        """List support tickets."""
        return self._core.pages(types.Ticket, "GET", "/api/external/v1/support-tickets", query=query)

    def stats(self) -> types.TicketStats:
        """Read support statistics."""
        return self._core.one(types.TicketStats, "GET", "/api/external/v1/support-tickets/stats")

    def get(self, support_ticket_id: int, **query: Unpack[takes.GetSupportTicket]) -> types.TicketDetail:
        """Read a support ticket with its messages."""
        return self._core.one(
            types.TicketDetail, "GET", "/api/external/v1/support-tickets/{id}", support_ticket_id, query=query
        )

    def set_status(self, support_ticket_id: int, **body: Unpack[takes.SetSupportTicketStatus]) -> types.Ticket:
        """Set a support ticket's status."""
        return self._core.one(
            types.Ticket, "PUT", "/api/external/v1/support-tickets/{id}/status", support_ticket_id, body=body
        )

    def add_message(
        self,
        support_ticket_id: int,
        *,
        idempotency_key: str | None = None,
        **body: Unpack[takes.AddSupportTicketMessage],
    ) -> types.PostedMessage:
        """Add a staff message to a support ticket."""
        return self._core.one(
            types.PostedMessage,
            "POST",
            "/api/external/v1/support-tickets/{id}/messages",
            support_ticket_id,
            body=body,
            key=idempotency_key,
        )

    def close(
        self, support_ticket_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.CloseSupportTicket]
    ) -> types.Ticket:
        """Close a support ticket."""
        return self._core.one(
            types.Ticket,
            "POST",
            "/api/external/v1/support-tickets/{id}/close",
            support_ticket_id,
            body=body,
            key=idempotency_key,
        )

    def assign(
        self, support_ticket_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.AssignSupportTicket]
    ) -> types.Ticket:
        """Assign a support ticket."""
        return self._core.one(
            types.Ticket,
            "POST",
            "/api/external/v1/support-tickets/{id}/assign",
            support_ticket_id,
            body=body,
            key=idempotency_key,
        )
