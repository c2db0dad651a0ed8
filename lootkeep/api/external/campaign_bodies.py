"""Request models of e-mail campaigns: their fields, their audience, and the filters of the list."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PrivateAttr

from lootkeep.api.http.fields import (
    Country,
    EmailAddress,
    Money,
    Name,
    QueryDate,
    QueryInteger,
    Time,
    not_blank,
    refuse,
)
from lootkeep.api.http.pages import PageQuery, SortDirection
from lootkeep.api.http.validation import Body, QueryParameters, partial
from lootkeep.domain.campaign_emails import MAX_BODY, MAX_MARKDOWN
from lootkeep.domain.campaigns import MAX_CUSTOMERS, AudienceType, CampaignStatus
from lootkeep.kernel.money import Hundredths
from lootkeep.services.campaigns import Reading, read

_MAX_INTEGER = 2**63 - 1


def _not_negative(amount: Hundredths) -> Hundredths:
    if amount < 0:
        raise refuse("must be at least 0")
    return amount


RecordId = Annotated[int, Field(ge=1, le=_MAX_INTEGER)]
OrderCount = Annotated[int, Field(ge=0, le=_MAX_INTEGER)]
TagFilter = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(not_blank)]
OptionalText = Annotated[str, Field(max_length=255)]
BodyText = Annotated[str, Field(max_length=MAX_BODY)]


class FiltersBody(Body):
    """A segment: all given filters must match."""

    countries: Annotated[
        Annotated[list[Country], Field(min_length=1, max_length=250)] | None,
        Field(description="Customers of these countries.", examples=[["DE", "AT"]]),
    ] = None
    min_total_spent: Annotated[
        Annotated[Money, AfterValidator(_not_negative)] | None,
        Field(description="Customers who spent at least this amount."),
    ] = None
    min_orders: Annotated[
        OrderCount | None, Field(description="Customers with at least this many paid orders.", examples=[2])
    ] = None
    last_order_before: Annotated[Time | None, Field(description="Customers whose last order is before this time.")] = (
        None
    )
    last_order_after: Annotated[
        Time | None, Field(description="Customers whose last order is at or after this time.")
    ] = None
    registered_from: Annotated[Time | None, Field(description="Customers created at or after this time.")] = None
    registered_to: Annotated[Time | None, Field(description="Customers created at or before this time.")] = None
    product_ids: Annotated[
        Annotated[list[RecordId], Field(min_length=1, max_length=1000)] | None,
        Field(description="Customers who bought one of these products."),
    ] = None
    tags: Annotated[
        Annotated[list[TagFilter], Field(min_length=1, max_length=100)] | None,
        Field(description="Customers with one of these tags."),
    ] = None
    is_referrer: Annotated[bool | None, Field(description="Customers who have, or have not, referred someone.")] = None


_NO_FILTERS = FiltersBody()
_NO_IDS: list[int] = []


class AudienceBody(Body):
    """The audience of a campaign. Only customers who accept marketing and can be reached get an e-mail."""

    type: Annotated[
        AudienceType, Field(description="Everyone, a segment, or a list of customers.", examples=["segment"])
    ]
    customer_ids: Annotated[
        list[RecordId], Field(max_length=MAX_CUSTOMERS, description="Required if the type is customers.")
    ] = _NO_IDS
    filters: Annotated[
        FiltersBody, Field(description="Required if the type is segment.", examples=[{"countries": ["DE", "AT"]}])
    ] = _NO_FILTERS


_EVERYONE = AudienceBody(type="all")


class CampaignBody(Body):
    """The fields of a campaign."""

    name: Annotated[Name, Field(description="The name, for the staff.", examples=["Winter sale"])]
    subject: Annotated[Name, Field(description="One line; may contain placeholders.", examples=["20% off, {{ name }}"])]
    preview_text: Annotated[OptionalText | None, Field(description="What mail programs show next to the subject.")] = (
        None
    )
    from_name: Annotated[OptionalText | None, Field(description="The sender name; by default that of the store.")] = (
        None
    )
    reply_to: Annotated[EmailAddress | None, Field(description="Where replies go.")] = None
    body_html: Annotated[
        BodyText | None,
        Field(description="At most 500 KB; may contain placeholders.", examples=["<p>Hello {{ name }}!</p>"]),
    ] = None
    body_text: Annotated[BodyText | None, Field(description="By default generated from the HTML.")] = None
    body_markdown: Annotated[
        Annotated[str, Field(max_length=MAX_MARKDOWN)] | None,
        Field(
            description="Instead of `body_html`: the e-mail in Markdown, at most 50 KB. HTML and text are generated "
            "when it is sent.",
        ),
    ] = None
    audience: Annotated[
        AudienceBody,
        Field(
            description="The audience; by default everyone.",
            examples=[{"type": "segment", "filters": {"countries": ["DE", "AT"]}}],
        ),
    ] = _EVERYONE
    _reading: Reading = PrivateAttr()

    def model_post_init(self, _context: Any) -> None:
        """Large bodies are checked in a thread and before any transaction, so there is time to read them here."""
        self._reading = read(self.body_html, self.body_text)

    @property
    def reading(self) -> Reading:
        return self._reading


CampaignChanges = partial(CampaignBody, "CampaignChanges")


class SendBody(Body):
    """When to send."""

    scheduled_at: Annotated[
        Time | None,
        Field(description="In the future, at most a year ahead; by default now.", examples=["2027-01-01T09:00:00Z"]),
    ] = None


class PreviewQuery(QueryParameters):
    """Whom to fill the e-mail in for."""

    customer_id: Annotated[
        Annotated[QueryInteger, Field(ge=1, le=_MAX_INTEGER)] | None,
        Field(description="The recipient; by default someone in the audience."),
    ] = None


class TestBody(Body):
    """Where to send the test."""

    email: Annotated[EmailAddress, Field(description="Any e-mail address.", examples=["me@shop.example"])]


class DuplicateBody(Body):
    """The name of the copy."""

    name: Annotated[
        Name | None, Field(description="By default `NAME (copy)`.", examples=["Winter sale, second letter"])
    ] = None


class CampaignQuery(PageQuery):
    """Filters of the list."""

    status: Annotated[CampaignStatus | None, Field(description="Only campaigns in this state.")] = None
    search: Annotated[
        Annotated[str, Field(max_length=255)] | None, Field(description="Part of the name or the subject.")
    ] = None
    from_: Annotated[QueryDate | None, Field(alias="from", description="Created on this UTC day or later.")] = None
    to: Annotated[QueryDate | None, Field(description="Created on this UTC day or earlier.")] = None
    sort: Annotated[Literal["created_at", "name"], Field(description="The sort field.")] = "created_at"
    order: SortDirection = "desc"
