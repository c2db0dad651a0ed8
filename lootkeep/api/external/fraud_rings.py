"""Beyond the specification: linked accounts, and one decision for all orders of a ring."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lootkeep.api.http.fields import field
from lootkeep.api.http.routes import Call, ExtensionRoute, Reply, many, single
from lootkeep.api.http.validation import Body
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.kernel.errors import existing
from lootkeep.services import fraud as fraud_service
from lootkeep.services.fraud_lists import BLOCKED, BlockKind
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.fraud import checks as fraud_checks_db, linked_accounts as linked_accounts_db
from lootkeep.views import fraud as fraud_views, linked_accounts as linked_accounts_views

MAX_RING = 200

ReviewNotes = Annotated[
    Annotated[str, Field(max_length=1000)] | None, field("Notes, stored with the review.", "Called the customer.")
]


class RingReviewBody(Body):
    """One decision for several checks."""

    check_ids: Annotated[list[int], field("The checks.", [17, 21], min_length=1, max_length=MAX_RING)]
    outcome: Annotated[ReviewedAs, field("The outcome of the orders.", "fraud")]
    notes: ReviewNotes = None
    block: Annotated[
        list[BlockKind],
        field("With `fraud`: what to block from now on.", ["customer", "device"], max_length=len(BLOCKED)),
    ] = []  # noqa: RUF012  never changed


async def linked_to_check(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        check = existing(await fraud_checks_db.get(tx, call.id), "Fraud check")
        return Reply(linked_accounts_views.linked(await linked_accounts_db.walk(tx, check.customer_id)))


async def linked_to_customer(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        customer = existing(await customers_db.ROWS.get(tx, call.id), "Customer")
        return Reply(linked_accounts_views.linked(await linked_accounts_db.walk(tx, customer.id)))


async def review_ring(call: Call[RingReviewBody, None]) -> Reply:
    body = call.body
    checks = await fraud_service.review_ring(
        call.deps, body.check_ids, body.outcome, body.notes, call.token.user_id, block=body.block
    )
    return Reply([fraud_views.reviewed(check) for check in checks])


_LINKED = (
    "Accounts linked by device, IP address, mailbox, payment instrument or referral, up to two links away and at "
    "most 200. Anything that more than 20 accounts share is listed in `hubs` and not followed."
)

ROUTES = (
    ExtensionRoute(
        "GET",
        "/fraud/checks/{id}/linked",
        linked_to_check,
        "fraud:read",
        "List the accounts linked to the buyer of a check",
        single(linked_accounts_views.LinkedAccountsView),
        description=_LINKED,
    ),
    ExtensionRoute(
        "GET",
        "/customers/{id}/linked",
        linked_to_customer,
        "customers:read",
        "List the accounts linked to a customer",
        single(linked_accounts_views.LinkedAccountsView),
        description=_LINKED,
    ),
    ExtensionRoute(
        "POST",
        "/fraud/reviews",
        review_ring,
        "fraud:write",
        "Review several fraud checks at once",
        many(fraud_views.ReviewedView),
        description="Reviews all of them or none: one that does not exist returns 404. Each order is released or "
        "cancelled as in a single review.",
        may_miss=True,
    ),
)
