"""What is sent about e-mail campaigns: their fields, their audience, and the filters of the list."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PrivateAttr

from lootkeep.api.http.fields import Country, Email, Money, Name, QueryDate, QueryInteger, Time, not_blank, refuse
from lootkeep.api.http.pages import PageQuery, SortDirection
from lootkeep.api.http.validation import Body, Query, partial
from lootkeep.domain.campaigns import MAX_BODY, MAX_CUSTOMERS, AudienceType, CampaignStatus
from lootkeep.kernel.money import Hundredths
from lootkeep.services.campaigns import Reading, read

_MAX_INTEGER = 2**63 - 1


def _not_negative(amount: Hundredths) -> Hundredths:
    if amount < 0:
        raise refuse("must be at least 0")
    return amount


RecordId = Annotated[int, Field(ge=1, le=_MAX_INTEGER)]
Count = Annotated[int, Field(ge=0, le=_MAX_INTEGER)]
ShortText = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(not_blank)]
OptionalText = Annotated[str, Field(max_length=255)]
BodyText = Annotated[str, Field(max_length=MAX_BODY)]


class FiltersBody(Body):
    """A segment: all that are set must hold."""

    countries: Annotated[
        Annotated[list[Country], Field(min_length=1, max_length=250)] | None,
        Field(description="Customers of these countries.", examples=[["DE", "AT"]]),
    ] = None
    min_total_spent: Annotated[
        Annotated[Money, AfterValidator(_not_negative)] | None, Field(description="Who have spent at least this.")
    ] = None
    min_orders: Annotated[Count | None, Field(description="Who have at least this many paid orders.", examples=[2])] = (
        None
    )
    last_order_before: Annotated[Time | None, Field(description="Whose last order is before this time.")] = None
    last_order_after: Annotated[Time | None, Field(description="Whose last order is at or after this time.")] = None
    registered_from: Annotated[Time | None, Field(description="Who were created at or after this time.")] = None
    registered_to: Annotated[Time | None, Field(description="Who were created at or before this time.")] = None
    product_ids: Annotated[
        Annotated[list[RecordId], Field(min_length=1, max_length=1000)] | None,
        Field(description="Who have paid for one of these products."),
    ] = None
    tags: Annotated[
        Annotated[list[ShortText], Field(min_length=1, max_length=100)] | None,
        Field(description="Who have one of these tags."),
    ] = None
    is_referrer: Annotated[bool | None, Field(description="Who have, or have not, referred somebody.")] = None


_NO_FILTERS = FiltersBody()
_NO_IDS: list[int] = []


class AudienceBody(Body):
    """Whom a campaign is for. Only customers who accept marketing and can be reached are written to."""

    type: Annotated[AudienceType, Field(description="Everyone, a segment, or customers by name.", examples=["segment"])]
    customer_ids: Annotated[
        list[RecordId], Field(max_length=MAX_CUSTOMERS, description="Needed when the type is customers.")
    ] = _NO_IDS
    filters: Annotated[
        FiltersBody, Field(description="Needed when the type is segment.", examples=[{"countries": ["DE", "AT"]}])
    ] = _NO_FILTERS


_EVERYONE = AudienceBody(type="all")


class CampaignBody(Body):
    """A campaign as it is sent."""

    name: Annotated[Name, Field(description="For the store's own eyes.", examples=["Winter sale"])]
    subject: Annotated[Name, Field(description="One line; may hold placeholders.", examples=["20% off, {{ name }}"])]
    preview_text: Annotated[OptionalText | None, Field(description="What mail programs show next to the subject.")] = (
        None
    )
    from_name: Annotated[OptionalText | None, Field(description="In whose name; the store's when absent.")] = None
    reply_to: Annotated[Email | None, Field(description="Where answers go.")] = None
    body_html: Annotated[
        BodyText | None,
        Field(description="At most 500 KB; may hold placeholders.", examples=["<p>Hello {{ name }}!</p>"]),
    ] = None
    body_text: Annotated[BodyText | None, Field(description="Made from the HTML when absent.")] = None
    audience: Annotated[
        AudienceBody,
        Field(
            description="Whom it is for; everyone when absent.",
            examples=[{"type": "segment", "filters": {"countries": ["DE", "AT"]}}],
        ),
    ] = _EVERYONE
    _reading: Reading = PrivateAttr()

    def model_post_init(self, _context: Any) -> None:
        """Large bodies are checked aside and before any transaction, so this is where there is time to read them."""
        self._reading = read(self.body_html, self.body_text)

    @property
    def reading(self) -> Reading:
        return self._reading


CampaignChanges = partial(CampaignBody, "CampaignChanges")


class SendBody(Body):
    """When to send."""

    scheduled_at: Annotated[
        Time | None,
        Field(description="In the future, at most a year ahead; now when absent.", examples=["2027-01-01T09:00:00Z"]),
    ] = None


class PreviewQuery(Query):
    """Whom to fill the e-mail in for."""

    customer_id: Annotated[
        Annotated[QueryInteger, Field(ge=1, le=_MAX_INTEGER)] | None,
        Field(description="A customer; someone of the audience when absent."),
    ] = None


class TestBody(Body):
    """Where to send the test."""

    email: Annotated[Email, Field(description="Any address.", examples=["me@shop.example"])]


class DuplicateBody(Body):
    """What to call the copy."""

    name: Annotated[
        Name | None, Field(description="`NAME (copy)` when absent.", examples=["Winter sale, second letter"])
    ] = None


class CampaignQuery(PageQuery):
    """Filters of the list."""

    status: Annotated[CampaignStatus | None, Field(description="Only campaigns in this state.")] = None
    search: Annotated[
        Annotated[str, Field(max_length=255)] | None, Field(description="Part of the name or the subject.")
    ] = None
    from_: Annotated[QueryDate | None, Field(alias="from", description="Created on this UTC day or later.")] = None
    to: Annotated[QueryDate | None, Field(description="Created on this UTC day or earlier.")] = None
    sort: Annotated[Literal["created_at", "name"], Field(description="What to sort by.")] = "created_at"
    order: SortDirection = "desc"
