"""Support tickets over HTTP: the list, a ticket with its messages, figures, and what staff do."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from lootkeep.api.http.fields import QueryDate, QueryInteger, field, not_blank, refuse
from lootkeep.api.http.pages import MAX_PAGE, PageQuery, SortDirection, answer_page
from lootkeep.api.http.routes import MAX_LARGE_BODY, Call, Group, Reply, Route, paged, single
from lootkeep.api.http.validation import Body, QueryParameters
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.ticket_figures import TicketStats
from lootkeep.domain.tickets import MAX_MESSAGE_LENGTH, TicketCategory, TicketPriority, TicketStatus
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import existing
from lootkeep.services import tickets as tickets_service
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.tickets import figures as ticket_figures_db, lists as ticket_lists_db, rows as tickets_db
from lootkeep.views import ticket_stats as ticket_stats_views, tickets as tickets_views


def _agent(value: str) -> int | str:
    if value in ("me", "none"):
        return value
    number = inputs_rules.integer(value)
    if number is None or number < 1:
        raise refuse("must be the id of a user, `me` or `none`")
    return number


Agent = Annotated[
    int | Literal["me", "none"],
    BeforeValidator(_agent),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "enum": ["me", "none"]}]}),
]
MessageText = Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE_LENGTH), AfterValidator(not_blank)]


class TicketQuery(PageQuery):
    """Filters of the list."""

    status: Annotated[TicketStatus | None, field("Only tickets in this state.")] = None
    priority: Annotated[TicketPriority | None, field("Only tickets of this priority.")] = None
    category: Annotated[TicketCategory | None, field("Only tickets of this category.")] = None
    assigned_to: Annotated[Agent | None, field("A user's id, `me` (the token's user) or `none`.", "me")] = None
    customer_id: Annotated[QueryInteger | None, field("Only tickets of this customer.", ge=1)] = None
    order_id: Annotated[QueryInteger | None, field("Only tickets about this order.", ge=1)] = None
    from_: Annotated[QueryDate | None, field("Opened on this UTC day or later.", alias="from")] = None
    to: Annotated[QueryDate | None, field("Opened on this UTC day or earlier.")] = None
    search: Annotated[
        str | None,
        field("A ticket number, or part of a subject, name or e-mail address, case-insensitive.", max_length=255),
    ] = None
    sort: Annotated[Literal["id", "created_at", "last_message_at"], field("The sort field.")] = "created_at"
    order: SortDirection = "desc"


class MessagesQuery(QueryParameters):
    """Which of a ticket's messages to answer."""

    before: Annotated[QueryInteger | None, field("The `earlier_before` of the previous response.", ge=1)] = None
    limit: Annotated[QueryInteger, field("The number of messages to return.", ge=1, le=MAX_PAGE)] = 50


class StatusBody(Body):
    """The new status of the ticket."""

    status: Annotated[TicketStatus, field("The new state.", "resolved")]


class MessageBody(Body):
    """A message of the staff."""

    message: Annotated[MessageText, field("Plain text.", "Here is a new key.")]
    is_internal: Annotated[bool, field("A note only for staff.")] = False


class CloseBody(Body):
    """An optional closing message."""

    message: Annotated[MessageText | None, field("Sent to the customer before closing.", "Enjoy your game!")] = None


class AssignBody(Body):
    """The user a ticket is assigned to."""

    user_id: Annotated[Annotated[int, Field(ge=1)] | None, field("A user, or null for nobody.", 2)]


async def list_support_tickets(call: Call[None, TicketQuery]) -> Reply:
    query = call.query
    agent = call.token.user_id if query.assigned_to == "me" else query.assigned_to
    return await answer_page(
        call,
        ticket_lists_db.LISTING,
        tickets_views.ticket,
        assigned_to=None,
        agent=None if agent == "none" else agent,
        unassigned=True if agent == "none" else None,
    )


async def get_support_ticket_stats(call: Call[None, None]) -> Reply:
    today = Instant(call.deps.clock.now() // DAY * DAY)
    tomorrow = Instant(today + DAY)
    async with call.deps.db.read(slow=True) as tx:
        figures = await ticket_figures_db.figures(tx)
        stats = TicketStats(
            figures=figures,
            agents={user.id: user.name for user in await access_db.USERS.find(tx)},
            created_today=await ticket_figures_db.created(tx, today, tomorrow),
            closed_today=await ticket_figures_db.closed(tx, today, tomorrow),
            median_response_seconds=await ticket_figures_db.median_response(
                tx, sum(figure.responded for figure in figures)
            ),
            median_resolution_seconds=await ticket_figures_db.median_resolution(
                tx, sum(figure.resolved for figure in figures)
            ),
        )
    return Reply(ticket_stats_views.stats(stats))


async def get_support_ticket(call: Call[None, MessagesQuery]) -> Reply:
    query = call.query
    async with call.deps.db.read() as tx:
        entry = existing(await tickets_db.get(tx, call.id), "Support ticket")
        # One more row than requested shows whether there are earlier messages.
        messages = await tickets_db.messages(tx, call.id, query.before, query.limit + 1)
    latest = messages[-query.limit :]
    return Reply(tickets_views.detail(entry, latest, latest[0].id if len(messages) > len(latest) else None))


async def set_support_ticket_status(call: Call[StatusBody, None]) -> Reply:
    return Reply(
        tickets_views.ticket(await tickets_service.set_status(call.deps, call.id, call.token.user_id, call.body.status))
    )


async def add_support_ticket_message(call: Call[MessageBody, None]) -> Reply:
    operation = tickets_service.note if call.body.is_internal else tickets_service.answer
    posted = await operation(call.deps, call.id, call.token.user_id, call.body.message)
    is_mailed = call.body.is_internal or call.deps.sends_emails
    return Reply(tickets_views.posted(*posted), message=None if is_mailed else tickets_service.NOT_MAILED)


async def close_support_ticket(call: Call[CloseBody, None]) -> Reply:
    return Reply(
        tickets_views.ticket(await tickets_service.close(call.deps, call.id, call.token.user_id, call.body.message))
    )


async def assign_support_ticket(call: Call[AssignBody, None]) -> Reply:
    return Reply(
        tickets_views.ticket(await tickets_service.assign(call.deps, call.id, call.token.user_id, call.body.user_id))
    )


GROUP = Group(
    name="Support tickets",
    description="Questions of customers, replies of the staff, and response times.",
    routes=(
        Route(
            "GET",
            "/support-tickets",
            list_support_tickets,
            "support-tickets:read",
            "List support tickets",
            paged(tickets_views.TicketView),
            description="Newest first by default. Filters can be combined.",
        ),
        Route(
            "GET",
            "/support-tickets/stats",
            get_support_ticket_stats,
            "support-tickets:read",
            "Read support statistics",
            single(ticket_stats_views.TicketStatsView),
            description="Times are in minutes, exact to the second, or null if there is nothing to measure.",
        ),
        Route(
            "GET",
            "/support-tickets/{id}",
            get_support_ticket,
            "support-tickets:read",
            "Read a support ticket with its messages",
            single(tickets_views.TicketDetailView),
            description="Returns the newest messages, including internal notes. Send `earlier_before` as `before` to "
            "get earlier ones.",
        ),
        Route(
            "PUT",
            "/support-tickets/{id}/status",
            set_support_ticket_status,
            "support-tickets:write",
            "Set a support ticket's status",
            single(tickets_views.TicketView, "Support ticket status updated successfully"),
            may_conflict=True,
            description="A change that is not allowed returns 409 `ticket_step_not_allowed` with the allowed ones. "
            "Setting the current status changes nothing.",
        ),
        Route(
            "POST",
            "/support-tickets/{id}/messages",
            add_support_ticket_message,
            "support-tickets:write",
            "Add a staff message to a support ticket",
            single(tickets_views.PostedMessageView, "Message added successfully", status=201),
            max_body=MAX_LARGE_BODY,
            description="A public message is e-mailed to the customer and changes `open` to `pending`; on a closed "
            "ticket it returns 409 `ticket_closed`. Without a mail server the `message` of the response says that it "
            "was not e-mailed. An internal note changes nothing.",
        ),
        Route(
            "POST",
            "/support-tickets/{id}/close",
            close_support_ticket,
            "support-tickets:write",
            "Close a support ticket",
            single(tickets_views.TicketView, "Support ticket closed successfully"),
            max_body=MAX_LARGE_BODY,
            description="Closing again changes nothing and sends nothing.",
        ),
        Route(
            "POST",
            "/support-tickets/{id}/assign",
            assign_support_ticket,
            "support-tickets:write",
            "Assign a support ticket",
            single(tickets_views.TicketView, "Support ticket assigned successfully"),
            description="Assigns it to a user, or to nobody with null.",
        ),
    ),
)
