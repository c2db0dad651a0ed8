"""Gift cards over the Store API: making one."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lootkeep.api.external.gift_cards import GiftMessage, Note
from lootkeep.api.http.fields import Currency, Email, Name, PositiveMoney, Time
from lootkeep.api.http.routes import Call, Group, Reply, Route, single
from lootkeep.api.http.validation import Body
from lootkeep.domain.gift_cards import GiftCardTerms
from lootkeep.services import gift_cards as gift_cards_service
from lootkeep.views import gift_cards as gift_cards_views


class NewGiftCardBody(Body):
    """A gift card as the store's back end makes it."""

    initial_balance: Annotated[PositiveMoney, Field(description="0.01 to 10000.00.", examples=["25.00"])]
    currency: Annotated[Currency | None, Field(description="The store's when absent.", examples=["USD"])] = None
    recipient_email: Annotated[Email | None, Field(description="Who it is for.", examples=["jun@example.com"])] = None
    recipient_name: Annotated[Name | None, Field(description="Their name.", examples=["Jun Park"])] = None
    sender_name: Annotated[Name | None, Field(description="Who gives it.", examples=["Mina"])] = None
    message: Annotated[GiftMessage | None, Field(description="What they say.", examples=["Happy birthday!"])] = None
    customer_id: Annotated[Annotated[int, Field(ge=1)] | None, Field(description="The customer it belongs to.")] = None
    starts_at: Annotated[Time | None, Field(description="From when on it is valid; at once when absent.")] = None
    expires_at: Annotated[
        Time | None, Field(description="When it expires; never when absent.", examples=["2027-11-15T10:30:00Z"])
    ] = None
    note: Annotated[Note | None, Field(description="The store's own note.")] = None
    code: Annotated[
        Annotated[str, Field(max_length=255)] | None,
        Field(description="The store's own: 8 to 64 letters and digits, hyphens between them. Made when absent."),
    ] = None


async def create_gift_card(call: Call[NewGiftCardBody, None]) -> Reply:
    given: dict[str, Any] = {name: getattr(call.body, name) for name in type(call.body).model_fields}
    own_code = given.pop("code")
    given["currency"] = given["currency"] or call.deps.currency
    card, code = await gift_cards_service.create(call.deps, GiftCardTerms(**given, order_id=None), own_code)
    return Reply(gift_cards_views.gift_card_with_code(card, code, call.deps.clock.now()))


GROUP = Group(
    name="Store: gift cards",
    description="Gift cards that the store's back end makes.",
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
            description="The whole `code` is shown only here and in the e-mail to the recipient.",
        ),
    ),
)
