"""Fraud detection over HTTP: the dashboard, checks and their reviews."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from lootkeep.api.external import fraud_lists, fraud_queue, fraud_reports, fraud_rings, fraud_rules, fraud_settings
from lootkeep.api.external.fraud_rings import ReviewNotes
from lootkeep.api.http.fields import QueryBoolean, QueryDate, QueryInteger, field
from lootkeep.api.http.pages import MAX_PAGE, PageQuery, answer_page, days
from lootkeep.api.http.routes import Call, ExtensionRoute, Group, Reply, Route, many, paged, single
from lootkeep.api.http.validation import Body
from lootkeep.domain.disputes import JUDGED_AFTER
from lootkeep.domain.fraud.calibration import SETTINGS as BASE_ODDS, BaseOdds
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.kernel.clock import instant, utc
from lootkeep.kernel.errors import existing, invalid
from lootkeep.services import fraud as fraud_service
from lootkeep.services.fraud_lists import BLOCKED, BlockKind
from lootkeep.storage import settings as settings_db
from lootkeep.storage.fraud import check_lists as fraud_check_lists_db, checks as fraud_checks_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.views import fraud as fraud_views


class CheckQuery(PageQuery):
    """Filters of the list."""

    per_page: Annotated[QueryInteger, field("The number of items per page.", ge=1, le=MAX_PAGE)] = 20
    risk_level: Annotated[RiskLevel | None, field("Only checks with this level.")] = None
    action_taken: Annotated[Action | None, field("Only checks with this action.")] = None
    is_reviewed: Annotated[QueryBoolean | None, field("Only checks with, or without, a review.")] = None
    start_date: Annotated[QueryDate | None, field("The first UTC day.")] = None
    end_date: Annotated[QueryDate | None, field("The last UTC day, inclusive.")] = None


class ReviewBody(Body):
    """The outcome of the review."""

    outcome: Annotated[ReviewedAs, field("The outcome of the order.", "legitimate")]
    notes: ReviewNotes = None
    whitelist_ip: Annotated[
        bool, field("With `legitimate`: trust the IP address from now on. An extension.", False)
    ] = False
    whitelist_email: Annotated[
        bool, field("With `legitimate`: trust the e-mail address from now on. An extension.", True)
    ] = False
    block: Annotated[
        list[BlockKind],
        field(
            "With `fraud`: what to block from now on. An extension.",
            ["customer", "email", "device"],
            default_factory=list,
            max_length=len(BLOCKED),
        ),
    ]


async def get_fraud_dashboard(call: Call[None, None]) -> Reply:
    today = utc(call.deps.clock.now()).replace(hour=0, minute=0, second=0, microsecond=0)
    tomorrow = instant(today + timedelta(days=1))
    monday, first = today - timedelta(days=today.weekday()), today.replace(day=1)
    # Banks report late: a month is judged when it is old enough.
    judged_until = (today - timedelta(microseconds=JUDGED_AFTER)).replace(day=1)
    judged = instant((judged_until - timedelta(days=1)).replace(day=1)), instant(judged_until)
    async with call.deps.db.read(slow=True) as tx:
        figures = fraud_views.dashboard(
            today=await fraud_check_lists_db.made_between(tx, instant(today), tomorrow),
            week=await fraud_check_lists_db.made_between(tx, instant(monday), tomorrow),
            month=await fraud_check_lists_db.made_between(tx, instant(first), tomorrow),
            pending_review=await fraud_check_lists_db.pending_review(tx),
            judged=fraud_views.judged_month(
                judged[0],
                await fraud_check_lists_db.made_between(tx, *judged),
                await fraud_check_lists_db.frauds_between(tx, *judged),
            ),
        )
    return Reply(figures)


async def list_fraud_checks(call: Call[None, CheckQuery]) -> Reply:
    query = call.query
    first, last = query.start_date, query.end_date
    if first is not None and last is not None and first > last:
        raise invalid("start_date", "The start date field must not be after end date.")
    dates = {"start_date": None, "end_date": None, **days(first, last)}
    return await answer_page(call, fraud_check_lists_db.LISTING, fraud_views.check_entry, **dates)


async def get_fraud_check(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        check = existing(await fraud_checks_db.get(tx, call.id), "Fraud check")
        policy = await fraud_checks_db.policy_of(tx, check.policy_version)
        base = await settings_db.get(tx, BASE_ODDS, BaseOdds)
    return Reply(fraud_views.check(check, policy, base.odds))


async def list_fraud_reviews(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        check = existing(await fraud_checks_db.ROWS.get(tx, call.id), "Fraud check")
        reviews = await fraud_checks_db.reviews_of(tx, check.order_id)
    return Reply([fraud_views.review(review) for review in reviews])


async def review_fraud_check(call: Call[ReviewBody, None]) -> Reply:
    body = call.body
    check = await fraud_service.review(
        call.deps,
        call.id,
        body.outcome,
        body.notes,
        call.token.user_id,
        whitelist_ip=body.whitelist_ip,
        whitelist_email=body.whitelist_email,
        block=body.block,
    )
    async with call.deps.db.read() as tx:
        order = existing(await orders_db.ROWS.get(tx, check.order_id), "Order")
    return Reply(fraud_views.reviewed_check(check, order))


GROUP = Group(
    name="Fraud detection",
    description="Every order is judged when it is placed: signals, actions and reviews.",
    routes=(
        Route(
            "GET",
            "/fraud/dashboard",
            get_fraud_dashboard,
            "fraud:read",
            "Read the fraud dashboard",
            single(fraud_views.FraudDashboardView),
            description="UTC days, ISO weeks, calendar months.",
        ),
        Route(
            "GET",
            "/fraud/checks",
            list_fraud_checks,
            "fraud:read",
            "List fraud checks",
            paged(fraud_views.FraudCheckView),
            description="Newest first.",
        ),
        Route(
            "GET",
            "/fraud/checks/{id}",
            get_fraud_check,
            "fraud:read",
            "Read a fraud check",
            single(fraud_views.CheckAnswerView),
            description="Includes every signal, the order, the customer and the latest review.",
        ),
        Route(
            "POST",
            "/fraud/checks/{id}/review",
            review_fraud_check,
            "fraud:write",
            "Review a fraud check",
            single(fraud_views.ReviewedCheckView, "Fraud check marked as reviewed"),
            description="`legitimate` releases an order on hold, `fraud` cancels an unpaid one. Can be repeated: the "
            "last outcome counts.",
        ),
        ExtensionRoute(
            "GET",
            "/fraud/checks/{id}/reviews",
            list_fraud_reviews,
            "fraud:read",
            "List the reviews of a fraud check",
            many(fraud_views.CheckReviewView),
            description="All reviews of the order, also of its other checks, oldest first.",
        ),
        *fraud_settings.ROUTES,
        *fraud_reports.ROUTES,
        *fraud_rules.ROUTES,
        *fraud_lists.ROUTES,
        *fraud_rings.ROUTES,
        *fraud_queue.ROUTES,
    ),
)
