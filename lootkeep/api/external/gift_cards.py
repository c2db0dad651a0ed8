"""Gift cards over HTTP: the list, figures, checking a code, redeeming, revoking, sending, changing."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from lootkeep.api.http.fields import (
    Currency,
    EmailAddress,
    Name,
    PositiveMoney,
    QueryDate,
    QueryInteger,
    Time,
    field,
    not_blank,
)
from lootkeep.api.http.pages import PageQuery, SortDirection, answer_page
from lootkeep.api.http.routes import Call, Group, Reply, Route, paged, single
from lootkeep.api.http.validation import Body, partial
from lootkeep.domain.gift_cards import MAX_MESSAGE_LENGTH, MAX_NOTE_LENGTH, MAX_REFERENCE_LENGTH, GiftCardStatus
from lootkeep.kernel.errors import existing
from lootkeep.services import gift_cards as gift_cards_service
from lootkeep.storage.gift_cards import lists as gift_card_lists_db, rows as gift_cards_db
from lootkeep.views import gift_cards as gift_cards_views

GiftMessage = Annotated[str, Field(max_length=MAX_MESSAGE_LENGTH)]
CardNote = Annotated[str, Field(max_length=MAX_NOTE_LENGTH)]
Reference = Annotated[str, Field(min_length=1, max_length=MAX_REFERENCE_LENGTH), AfterValidator(not_blank)]


class GiftCardQuery(PageQuery):
    """Filters of the list."""

    status: Annotated[GiftCardStatus | None, field("Only cards in this state.")] = None
    currency: Annotated[Currency | None, field("Only cards in this currency.")] = None
    recipient_email: Annotated[EmailAddress | None, field("Only cards for this e-mail address.")] = None
    customer_id: Annotated[QueryInteger | None, field("Only cards of this customer.")] = None
    order_id: Annotated[QueryInteger | None, field("Only cards bought in this order.")] = None
    search: Annotated[
        str | None, field("Part of the recipient's name or e-mail address, or the end of the code.", max_length=255)
    ] = None
    from_: Annotated[QueryDate | None, field("Cards created on this UTC day or later.", alias="from")] = None
    to: Annotated[QueryDate | None, field("Cards created on this UTC day or earlier.")] = None
    sort: Annotated[Literal["id", "created_at", "balance", "expires_at"], field("The sort field.")] = "created_at"
    order: SortDirection = "desc"


class ValidateBody(Body):
    """A code as typed by a customer, and the amount to pay."""

    code: Annotated[
        str, field("Case, spaces and hyphens do not matter.", "7KQ2-M9XW-4TRB-7K2P", min_length=1, max_length=255)
    ]
    amount: Annotated[PositiveMoney | None, field("The amount to pay.", "5.00")] = None


class RedeemBody(Body):
    """The amount to redeem."""

    amount: Annotated[PositiveMoney, field("At most the balance of the card.", "5.00")]
    order_id: Annotated[Annotated[int, Field(ge=1)] | None, field("The order it is for; only recorded.")] = None
    reference: Annotated[
        Reference | None, field("The reference of the caller; makes it safe to repeat the call.", "till-7-0042")
    ] = None


class RevokeBody(Body):
    """Why the card is revoked."""

    reason: Annotated[GiftMessage | None, field("Why it is revoked.", "lost")] = None


class ResendBody(Body):
    """The recipient of the e-mail."""

    email: Annotated[
        EmailAddress | None, field("By default the e-mail address of the recipient.", "jun@example.com")
    ] = None


class GiftCardBody(Body):
    """The fields to change."""

    recipient_email: Annotated[EmailAddress | None, field("The recipient.", "jun@example.com")]
    recipient_name: Annotated[Name | None, field("The recipient's name.", "Jun Park")]
    message: Annotated[GiftMessage | None, field("The message of the sender.", "Happy birthday!")]
    expires_at: Annotated[Time | None, field("In the future; null means never.", "2027-11-15T10:30:00Z")]
    note: Annotated[CardNote | None, field("A note for the staff.")]


GiftCardChanges = partial(GiftCardBody, "GiftCardChanges")


async def list_gift_cards(call: Call[None, GiftCardQuery]) -> Reply:
    now = call.deps.clock.now()
    if call.query.status is not None:
        await gift_cards_service.settle(call.deps)
    return await answer_page(call, gift_card_lists_db.LISTING, lambda card: gift_cards_views.gift_card(card, now))


async def get_gift_card(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        card = existing(await gift_cards_db.ROWS.get(tx, call.id), "Gift card")
        entries = await gift_cards_db.ENTRIES.find(tx, gift_card_id=card.id)
    return Reply(gift_cards_views.gift_card_detail(card, entries, call.deps.clock.now()))


async def get_gift_card_statistics(call: Call[None, None]) -> Reply:
    await gift_cards_service.settle(call.deps)
    async with call.deps.db.read() as tx:
        counts, values = await gift_cards_db.figures(tx)
    return Reply(gift_cards_views.statistics(counts, values))


async def validate_gift_card(call: Call[ValidateBody, None]) -> Reply:
    card, is_disputed = await gift_cards_service.find_by_code(call.deps, call.token.id, call.body.code)
    now = call.deps.clock.now()
    return Reply(gift_cards_views.validation(card, call.body.amount, now, is_disputed=is_disputed))


async def redeem_gift_card(call: Call[RedeemBody, None]) -> Reply:
    body = call.body
    return Reply(
        gift_cards_views.redeemed(
            *await gift_cards_service.redeem(call.deps, call.id, body.amount, body.order_id, body.reference)
        )
    )


async def revoke_gift_card(call: Call[RevokeBody, None]) -> Reply:
    card = await gift_cards_service.revoke(call.deps, call.id, call.body.reason)
    return Reply(gift_cards_views.gift_card(card, call.deps.clock.now()))


async def resend_gift_card(call: Call[ResendBody, None]) -> Reply:
    return Reply(gift_cards_views.sent(*await gift_cards_service.send(call.deps, call.id, call.body.email)))


async def update_gift_card(call: Call[Body, None]) -> Reply:
    card = await gift_cards_service.change(call.deps, call.id, call.body.sent())
    return Reply(gift_cards_views.gift_card(card, call.deps.clock.now()))


GROUP = Group(
    name="Gift cards",
    description="Prepaid cards: balances with every transaction, redeeming, revoking and sending.",
    routes=(
        Route(
            "GET",
            "/gift-cards",
            list_gift_cards,
            "gift-cards:read",
            "List gift cards",
            paged(gift_cards_views.GiftCardView),
            description="Newest first by default.",
        ),
        Route(
            "GET",
            "/gift-cards/statistics",
            get_gift_card_statistics,
            "gift-cards:read",
            "Read gift card statistics",
            single(gift_cards_views.GiftCardStatisticsView),
            description="Exact at this moment. Amounts in different currencies are never mixed.",
        ),
        Route(
            "GET",
            "/gift-cards/{id}",
            get_gift_card,
            "gift-cards:read",
            "Read a gift card with its transactions",
            single(gift_cards_views.GiftCardDetailView),
            description="Includes every change of its balance; the code is masked.",
        ),
        Route(
            "POST",
            "/gift-cards/validate",
            validate_gift_card,
            "gift-cards:read",
            "Check a gift card's code and balance",
            single(gift_cards_views.GiftCardValidationView),
            description="An unknown code is not an error: `valid` is false and `reason` is `not_found`. After ten "
            "unknown codes in a minute the token gets a 429.",
        ),
        Route(
            "POST",
            "/gift-cards/{id}/redeem",
            redeem_gift_card,
            "gift-cards:write",
            "Redeem an amount",
            single(gift_cards_views.RedeemedGiftCardView, "Gift card redeemed successfully"),
            description="Sending the same `reference` and amount again redeems nothing more and returns the same "
            "response.",
            may_conflict=True,
        ),
        Route(
            "POST",
            "/gift-cards/{id}/revoke",
            revoke_gift_card,
            "gift-cards:write",
            "Revoke a gift card",
            single(gift_cards_views.GiftCardView, "Gift card revoked"),
            description="Permanently removes the remaining balance. Revoking again changes nothing.",
        ),
        Route(
            "POST",
            "/gift-cards/{id}/resend-email",
            resend_gift_card,
            "gift-cards:write",
            "Resend a gift card by e-mail",
            single(gift_cards_views.SentGiftCardView, "Gift card sent"),
            description="At most five times an hour. Returns 409 `no_mail_server` if there is none.",
            may_conflict=True,
        ),
        Route(
            "PUT",
            "/gift-cards/{id}",
            update_gift_card,
            "gift-cards:write",
            "Update a gift card",
            single(gift_cards_views.GiftCardView, "Gift card updated successfully"),
            body=GiftCardChanges,
            description="Changes only the fields that are sent. A later `expires_at` makes an expired card valid "
            "again. On a revoked card only the note can be changed.",
            may_conflict=True,
        ),
    ),
)
