"""Gift cards over the Store API: creating them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lootkeep.api.external.gift_cards import CardNote, GiftMessage
from lootkeep.api.http.fields import Currency, EmailAddress, Name, PositiveMoney, Time
from lootkeep.api.http.routes import Call, Group, Reply, Route, single
from lootkeep.api.http.validation import Body
from lootkeep.domain.gift_cards import GiftCardTerms
from lootkeep.services import gift_cards as gift_cards_service
from lootkeep.views import gift_cards as gift_cards_views


class NewGiftCardBody(Body):
    """A new gift card."""

    initial_balance: Annotated[PositiveMoney, Field(description="0.01 to 10000.00.", examples=["25.00"])]
    currency: Annotated[Currency | None, Field(description="By default the store's currency.", examples=["USD"])] = None
    recipient_email: Annotated[
        EmailAddress | None, Field(description="The recipient.", examples=["jun@example.com"])
    ] = None
    recipient_name: Annotated[Name | None, Field(description="The recipient's name.", examples=["Jun Park"])] = None
    sender_name: Annotated[Name | None, Field(description="The sender.", examples=["Mina"])] = None
    message: Annotated[
        GiftMessage | None, Field(description="The message of the sender.", examples=["Happy birthday!"])
    ] = None
    customer_id: Annotated[Annotated[int, Field(ge=1)] | None, Field(description="The customer it belongs to.")] = None
    starts_at: Annotated[Time | None, Field(description="When it becomes valid; by default immediately.")] = None
    expires_at: Annotated[
        Time | None, Field(description="When it expires; by default never.", examples=["2027-11-15T10:30:00Z"])
    ] = None
    note: Annotated[CardNote | None, Field(description="A note for the staff.")] = None
    code: Annotated[
        Annotated[str, Field(max_length=255)] | None,
        Field(description="A custom code: 8 to 64 letters and digits with hyphens between them. By default generated."),
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
            body=NewGiftCardBody,
            description="The full `code` is shown only here and in the e-mail to the recipient.",
        ),
    ),
)
