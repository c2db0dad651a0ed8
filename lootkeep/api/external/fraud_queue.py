"""Beyond the specification: the review queue, its assignments, and the riskiest orders of the day."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lootkeep.api.http.fields import QueryInteger, Time, field
from lootkeep.api.http.pages import MAX_PAGE, PageQuery, SortDirection, answer_page
from lootkeep.api.http.routes import Call, ExtensionRoute, Reply, paged, single
from lootkeep.api.http.validation import Body
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.services import fraud_queue as fraud_queue_service
from lootkeep.storage import settings as settings_db
from lootkeep.storage.fraud import queue as fraud_queue_db
from lootkeep.views import fraud as fraud_views


class QueueQuery(PageQuery):
    """Filters of the queue, and its order."""

    per_page: Annotated[QueryInteger, field("The number of items per page.", ge=1, le=MAX_PAGE)] = 20
    risk_level: Annotated[RiskLevel | None, field("Only checks with this level.")] = None
    action_taken: Annotated[Action | None, field("Only checks with this action.")] = None
    owner_id: Annotated[QueryInteger | None, field("Only checks assigned to this user.")] = None
    sort: Annotated[Literal["expected_loss", "due_at", "risk_score", "created_at"], field("The sort field.")] = (
        "expected_loss"
    )
    order: SortDirection = "desc"


class AssignmentBody(Body):
    """The reviewer and due time of a check."""

    owner_id: Annotated[Annotated[int, Field(ge=1)] | None, field("A user, or null for nobody.", 1)]
    due_at: Annotated[Time | None, field("The due time; by default it does not change.", "2026-11-16T10:30:00Z")] = None


async def list_review_queue(call: Call[None, QueueQuery]) -> Reply:
    return await answer_page(call, fraud_queue_db.QUEUE, fraud_views.queued)


async def list_riskiest(call: Call[None, None]) -> Reply:
    today = Instant(call.deps.clock.now() // DAY * DAY)
    async with call.deps.db.read(slow=True) as tx:
        budget = (await settings_db.get(tx, SETTINGS, Policy)).fraud_review_daily_budget
        checks = await fraud_queue_db.riskiest(tx, today, budget)
    return Reply(fraud_views.RiskiestView(budget, [fraud_views.queued(check) for check in checks]))


async def assign_check(call: Call[AssignmentBody, None]) -> Reply:
    return Reply(fraud_views.assigned(await fraud_queue_service.assign(call.deps, call.id, call.body.sent())))


ROUTES = (
    ExtensionRoute(
        "GET",
        "/fraud/queue",
        list_review_queue,
        "fraud:read",
        "List the review queue",
        paged(fraud_views.QueuedCheckView),
        description="Checks that were not allowed and have no review; by default the highest expected loss first.",
    ),
    ExtensionRoute(
        "GET",
        "/fraud/queue/today",
        list_riskiest,
        "fraud:read",
        "List the riskiest allowed orders of the day",
        single(fraud_views.RiskiestView),
        description="Orders of the current UTC day without a review, at most `fraud_review_daily_budget`.",
    ),
    ExtensionRoute(
        "PUT",
        "/fraud/checks/{id}/assignment",
        assign_check,
        "fraud:write",
        "Assign a fraud check",
        single(fraud_views.AssignedView, "Fraud check assigned"),
        description="`fraud_review_when_due` decides what happens to a held order without a review at its due time.",
    ),
)
