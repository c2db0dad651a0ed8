"""Creators over HTTP: their codes, balances, ledgers and payouts."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from lootkeep.api.external.coupons import CodeText
from lootkeep.api.http.fields import Currency, Money, Name, PositiveMoney, field, not_blank, refuse
from lootkeep.api.http.pages import PageQuery
from lootkeep.api.http.routes import Call, ExtensionRoute, Group, Reply, paged, single
from lootkeep.api.http.validation import Body, partial
from lootkeep.domain.creators import HOLD_DAYS, MAX_HOLD_DAYS, MAX_REFERENCE_LENGTH, Creator
from lootkeep.domain.referrals import WHOLE_PERCENTAGE, DiscountType
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import existing
from lootkeep.kernel.money import Hundredths
from lootkeep.services import creators as creators_service
from lootkeep.storage import creators as creators_db
from lootkeep.views import creators as creators_views


def _share(value: Hundredths) -> Hundredths:
    if value > WHOLE_PERCENTAGE:
        raise refuse("must not be greater than 100")
    return value


class CreatorBody(Body):
    """A creator and the code."""

    name: Annotated[Name, field("The name, for staff.", "Luna Plays")]
    code: Annotated[CodeText, field("A coupon is made for it.", "LUNA")]
    commission_percent: Annotated[Money, AfterValidator(_share), field("The share of an order's total.", "10.00")]
    discount_type: Annotated[DiscountType | None, field("What the code takes off; null: nothing.")] = None
    discount_value: Annotated[PositiveMoney | None, field("Percent, or an amount.")] = None
    hold_days: Annotated[int, field("How long a commission is held.", ge=0, le=MAX_HOLD_DAYS)] = HOLD_DAYS
    customer_id: Annotated[
        Annotated[int, Field(ge=1)] | None, field("The creator as a customer: own purchases earn nothing.")
    ] = None
    is_active: Annotated[bool, field("Whether the code can be used.")] = True


class PayoutBody(Body):
    """What was paid outside."""

    amount: Annotated[PositiveMoney, field("At most what is due.", "48.50")]
    reference: Annotated[
        Annotated[str, Field(min_length=1, max_length=MAX_REFERENCE_LENGTH)],
        AfterValidator(not_blank),
        field("Of the transfer; makes it safe to repeat the call.", "transfer-2026-11"),
    ]
    currency: Annotated[Currency | None, field("By default the store's.")] = None


CreatorChanges = partial(CreatorBody, "CreatorChanges")


async def list_creators(call: Call[None, PageQuery]) -> Reply:
    request = call.query.request()
    async with call.deps.db.read(slow=True) as tx:
        rows, total = await creators_db.LISTING.page(tx, request)
        accounts = await creators_db.accounts(tx, rows, call.deps.clock.now())
    data = [creators_views.creator(account, call.deps.currency) for account in accounts]
    return Reply(data, page=request.page, total=total)


async def create_creator(call: Call[CreatorBody, None]) -> Reply:
    body, never = call.body, Instant(0)
    new = Creator(0, body.name, 0, body.commission_percent, body.hold_days, body.customer_id, never, never)
    creator, _ = await creators_service.create(
        call.deps, new, body.code, body.discount_type, body.discount_value, is_active=body.is_active
    )
    return await _answer(call, creator.id)


async def get_creator(call: Call[None, None]) -> Reply:
    return await _answer(call, call.id)


async def update_creator(call: Call[Body, None]) -> Reply:
    changes = call.body.sent()
    if "commission_percent" in changes:
        changes["commission"] = changes.pop("commission_percent")
    await creators_service.change(call.deps, call.id, changes)
    return await _answer(call, call.id)


async def read_ledger(call: Call[None, PageQuery]) -> Reply:
    request = call.query.request(creator_id=call.id)
    async with call.deps.db.read(slow=True) as tx:
        existing(await creators_db.ROWS.get(tx, call.id), "Creator")
        if call.is_csv_asked:
            return Reply(csv=creators_views.statement(await creators_db.ENTRIES.find(tx, creator_id=call.id)))
        rows, total = await creators_db.LEDGER.page(tx, request)
    return Reply([creators_views.entry(row) for row in rows], page=request.page, total=total)


async def pay_creator(call: Call[PayoutBody, None]) -> Reply:
    body = call.body
    entry, is_new = await creators_service.pay_out(call.deps, call.id, body.amount, body.currency, body.reference)
    return Reply(creators_views.entry(entry), is_repeated=not is_new)


async def _answer(call: Call[Any, Any], creator_id: int) -> Reply:
    """With the balances at this moment."""
    async with call.deps.db.read() as tx:
        creator = existing(await creators_db.ROWS.get(tx, creator_id), "Creator")
        (account,) = await creators_db.accounts(tx, [creator], call.deps.clock.now())
    return Reply(creators_views.creator(account, call.deps.currency))


GROUP = Group(
    name="Creators",
    description="Creators, their codes, and what they earn. An extension of the specification.",
    routes=(
        ExtensionRoute(
            "GET",
            "/creators",
            list_creators,
            "creators:read",
            "List creators",
            paged(creators_views.CreatorView),
            description="Newest first, with their balances at this moment.",
        ),
        ExtensionRoute(
            "POST",
            "/creators",
            create_creator,
            "creators:write",
            "Create a creator",
            single(creators_views.CreatorView, "Creator created successfully", status=201),
            description="With a coupon for the code, which anyone can use any number of times.",
        ),
        ExtensionRoute(
            "GET",
            "/creators/{id}",
            get_creator,
            "creators:read",
            "Read a creator",
            single(creators_views.CreatorView),
            description="With the balances at this moment.",
        ),
        ExtensionRoute(
            "PUT",
            "/creators/{id}",
            update_creator,
            "creators:write",
            "Update a creator",
            single(creators_views.CreatorView, "Creator updated successfully"),
            body=CreatorChanges,
            description="Changes only the fields that are sent. A new share counts for later payments. 409 if an order "
            "has the code and it, or its discount, would change.",
            may_conflict=True,
        ),
        ExtensionRoute(
            "GET",
            "/creators/{id}/ledger",
            read_ledger,
            "creators:read",
            "Read the ledger of a creator",
            paged(creators_views.CreatorEntryView),
            description="Newest first. With the header `Accept: text/csv` all entries, oldest first: the statement.",
        ),
        ExtensionRoute(
            "POST",
            "/creators/{id}/payouts",
            pay_creator,
            "creators:write",
            "Book a payout to a creator",
            single(
                creators_views.CreatorEntryView,
                "Payout booked successfully",
                status=201,
                repeated="The payout had been booked before",
            ),
            description="What was paid outside: no money moves here. 422 above what is due. The same reference again "
            "returns the same entry, with another amount it is 409.",
            may_conflict=True,
        ),
    ),
)
