"""Gift cards over the Store API: creating them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lootkeep.api.external.gift_cards import CardNote, GiftMessage
from lootkeep.api.http.fields import Currency, EmailAddress, Name, PositiveMoney, Time, field
from lootkeep.api.http.routes import Call, Group, Reply, Route, single
from lootkeep.api.http.validation import Body
from lootkeep.domain.gift_cards import GiftCardTerms
from lootkeep.services import gift_cards as gift_cards_service
from lootkeep.views import gift_cards as gift_cards_views


class NewGiftCardBody(Body):
    """A new gift card."""

    initial_balance: Annotated[PositiveMoney, field("0.01 to 10000.00.", "25.00")]
    currency: Annotated[Currency | None, field("By default the store's currency.", "USD")] = None
    recipient_email: Annotated[EmailAddress | None, field("The recipient.", "jun@example.com")] = None
    recipient_name: Annotated[Name | None, field("The recipient's name.", "Jun Park")] = None
    sender_name: Annotated[Name | None, field("The sender.", "Mina")] = None
    message: Annotated[GiftMessage | None, field("The message of the sender.", "Happy birthday!")] = None
    customer_id: Annotated[Annotated[int, Field(ge=1)] | None, field("The customer it belongs to.")] = None
    starts_at: Annotated[Time | None, field("When it becomes valid; by default immediately.")] = None
    expires_at: Annotated[Time | None, field("When it expires; by default never.", "2027-11-15T10:30:00Z")] = None
    note: Annotated[CardNote | None, field("A note for the staff.")] = None
    code: Annotated[
        Annotated[str, Field(max_length=255)] | None,
        field("A custom code: 8 to 64 letters and digits with hyphens between them. By default generated."),
    ] = None


async def create_gift_card(call: Call[NewGiftCardBody, None]) -> Reply:
    fields: dict[str, Any] = {name: getattr(call.body, name) for name in type(call.body).model_fields}
    own_code = fields.pop("code")
    fields["currency"] = fields["currency"] or call.deps.currency
    card, code = await gift_cards_service.create(call.deps, GiftCardTerms(**fields, order_id=None), own_code)
    return Reply(gift_cards_views.gift_card_with_code(card, code, call.deps.clock.now()))


GROUP = Group(
    name="Store: gift cards",
    description="Gift cards created by the store's back end.",
    prefix="/api/store/v1",
    routes=(
        Route(
            "POST",
            "/gift-cards",
            create_gift_card,
            "store:write",
            "Create a gift card",
            single(gift_cards_views.GiftCardWithCodeView, "Gift card created successfully", status=201),
            description="The full `code` is shown only here and in the e-mail to the recipient.",
        ),
    ),
)
