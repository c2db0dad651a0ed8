"""What both APIs share about customers: how to show and how to change them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from pydantic import AfterValidator, Field

from lootkeep.api.http.fields import Country, EmailAddress, Name, distinct, field, not_blank
from lootkeep.api.http.routes import Call, Reply
from lootkeep.api.http.validation import Body, partial
from lootkeep.api.records.players import Identities, identities_of
from lootkeep.domain.customers import MAX_NOTE_LENGTH, MAX_TAG_LENGTH, MAX_TAGS, Customer, CustomerStatus, MailboxStatus
from lootkeep.kernel.errors import existing
from lootkeep.services import customers as customers_service, fraud_reports as fraud_reports_service
from lootkeep.storage.customers import lists as customer_lists_db, rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.views import customers as customers_views

Tag = Annotated[str, Field(min_length=1, max_length=MAX_TAG_LENGTH), AfterValidator(not_blank)]
CustomerNote = Annotated[str, Field(max_length=MAX_NOTE_LENGTH)]


class _CustomerFields(Body):
    """The fields of a customer to change; fields that are not sent do not change."""

    email: Annotated[EmailAddress, field("Unique in the store.", "jun@example.com")]
    name: Annotated[Name, field("The customer's name.", "Jun Park")]
    username: Annotated[Name | None, field("The name in the game.", "junp")]
    external_id: Annotated[Name | None, field("The id of the customer in the store's own system.")]
    country: Annotated[Country | None, field("ISO 3166-1 alpha-2.", "KR")]
    accepts_marketing: Annotated[
        bool, field("Whether the customer accepts campaigns; the time of a change is recorded.", False)
    ]
    email_status: Annotated[MailboxStatus, field("Whether e-mails arrive; set `ok` after a bounce was resolved.", "ok")]
    tags: Annotated[
        Annotated[list[Tag], Field(max_length=MAX_TAGS), AfterValidator(distinct)],
        field("Tags to find customers by; replaced as a whole.", ["vip"]),
    ]
    identities: Annotated[Identities, field("Extension: who they are in games, one per game; replaced as a whole.", [])]
    note: Annotated[CustomerNote | None, field("For staff only.", "Prefers e-mail.")]
    status: Annotated[CustomerStatus, field("A blocked customer cannot order.", "blocked")]
    status_reason: Annotated[
        CustomerNote | None, field("The reason; required to block a customer.", "Charged back three orders.")
    ]


CustomerChanges = partial(_CustomerFields, "CustomerChanges")


async def read(call: Call[Any, Any]) -> Reply:
    async with call.deps.db.read() as tx:
        customer = existing(await customers_db.ROWS.get(tx, call.id), "Customer")
        return Reply((await _views(tx, [customer]))[0])


async def answer_page(call: Call[None, Any], **changed: Any) -> Reply:
    request = call.query.request(**changed)
    async with call.deps.db.read(slow=request.is_slow) as tx:
        customers, total = await customer_lists_db.LISTING.page(tx, request)
        return Reply(await _views(tx, customers), page=request.page, total=total)


async def change(call: Call[Body, None]) -> Reply:
    changes = call.body.sent()
    if "tags" in changes:
        changes["tags"] = msgspec.json.encode(changes["tags"]).decode()
    if "identities" in changes:
        changes["identities"] = identities_of(changes["identities"])
    customer = await customers_service.change(call.deps, call.id, changes)
    is_activated = changes.get("status") == "active"
    would_stop = await fraud_reports_service.would_stop(call.deps, customer) if is_activated else None
    async with call.deps.db.read() as tx:
        return Reply(customers_views.changed((await _views(tx, [customer]))[0], would_stop))


async def _views(tx: Transaction, customers: Sequence[Customer]) -> list[customers_views.CustomerView]:
    """Each customer with their referrer."""
    referrers = await customer_lists_db.referrers(tx, customers)
    return [customers_views.customer(customer, referrers.get(customer.referred_by_id or 0)) for customer in customers]
