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
    field,
    not_blank,
)
from lootkeep.api.http.pages import PageQuery, SortDirection
from lootkeep.api.http.validation import Body, QueryParameters, partial
from lootkeep.domain.audiences import MAX_CUSTOMERS, AudienceType
from lootkeep.domain.campaign_emails import MAX_BODY, MAX_MARKDOWN
from lootkeep.domain.campaigns import CampaignStatus
from lootkeep.services.campaigns import Reading, read

_MAX_INTEGER = 2**63 - 1


RecordId = Annotated[int, Field(ge=1, le=_MAX_INTEGER)]
OrderCount = Annotated[int, Field(ge=0, le=_MAX_INTEGER)]
TagFilter = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(not_blank)]
OptionalText = Annotated[str, Field(max_length=255)]
BodyText = Annotated[str, Field(max_length=MAX_BODY)]


class FiltersBody(Body):
    """A segment: all given filters must match."""

    countries: Annotated[
        Annotated[list[Country], Field(min_length=1, max_length=250)] | None,
        field("Customers of these countries.", ["DE", "AT"]),
    ] = None
    min_total_spent: Annotated[Money | None, field("Customers who spent at least this amount.")] = None
    min_orders: Annotated[OrderCount | None, field("Customers with at least this many paid orders.", 2)] = None
    last_order_before: Annotated[Time | None, field("Customers whose last order is before this time.")] = None
    last_order_after: Annotated[Time | None, field("Customers whose last order is at or after this time.")] = None
    registered_from: Annotated[Time | None, field("Customers created at or after this time.")] = None
    registered_to: Annotated[Time | None, field("Customers created at or before this time.")] = None
    product_ids: Annotated[
        Annotated[list[RecordId], Field(min_length=1, max_length=1000)] | None,
        field("Customers who bought one of these products."),
    ] = None
    tags: Annotated[
        Annotated[list[TagFilter], Field(min_length=1, max_length=100)] | None,
        field("Customers with one of these tags."),
    ] = None
    is_referrer: Annotated[bool | None, field("Customers who have, or have not, referred someone.")] = None


_NO_FILTERS = FiltersBody()
_NO_IDS: list[int] = []


class AudienceBody(Body):
    """The audience of a campaign. Only customers who accept marketing and can be reached get an e-mail."""

    type: Annotated[AudienceType, field("Everyone, a segment, or a list of customers.", "segment")]
    customer_ids: Annotated[list[RecordId], field("Required if the type is customers.", max_length=MAX_CUSTOMERS)] = (
        _NO_IDS
    )
    filters: Annotated[FiltersBody, field("Required if the type is segment.", {"countries": ["DE", "AT"]})] = (
        _NO_FILTERS
    )


_EVERYONE = AudienceBody(type="all")


class CampaignBody(Body):
    """The fields of a campaign."""

    name: Annotated[Name, field("The name, for the staff.", "Winter sale")]
    subject: Annotated[Name, field("One line; may contain placeholders.", "20% off, {{ name }}")]
    preview_text: Annotated[OptionalText | None, field("What mail programs show next to the subject.")] = None
    from_name: Annotated[OptionalText | None, field("The sender name; by default that of the store.")] = None
    reply_to: Annotated[EmailAddress | None, field("Where replies go.")] = None
    body_html: Annotated[
        BodyText | None, field("At most 500 KB; may contain placeholders.", "<p>Hello {{ name }}!</p>")
    ] = None
    body_text: Annotated[BodyText | None, field("By default generated from the HTML.")] = None
    body_markdown: Annotated[
        Annotated[str, Field(max_length=MAX_MARKDOWN)] | None,
        field(
            "Instead of `body_html`: the e-mail in Markdown, at most 50 KB. HTML and text are generated "
            "when it is sent."
        ),
    ] = None
    audience: Annotated[
        AudienceBody,
        field("The audience; by default everyone.", {"type": "segment", "filters": {"countries": ["DE", "AT"]}}),
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
        Time | None, field("In the future, at most a year ahead; by default now.", "2027-01-01T09:00:00Z")
    ] = None


class PreviewQuery(QueryParameters):
    """Whom to fill the e-mail in for."""

    customer_id: Annotated[
        Annotated[QueryInteger, Field(ge=1, le=_MAX_INTEGER)] | None,
        field("The recipient; by default someone in the audience."),
    ] = None


class TestBody(Body):
    """Where to send the test."""

    email: Annotated[EmailAddress, field("Any e-mail address.", "me@shop.example")]


class DuplicateBody(Body):
    """The name of the copy."""

    name: Annotated[Name | None, field("By default `NAME (copy)`.", "Winter sale, second letter")] = None


class CampaignQuery(PageQuery):
    """Filters of the list."""

    status: Annotated[CampaignStatus | None, field("Only campaigns in this state.")] = None
    search: Annotated[Annotated[str, Field(max_length=255)] | None, field("Part of the name or the subject.")] = None
    from_: Annotated[QueryDate | None, field("Created on this UTC day or later.", alias="from")] = None
    to: Annotated[QueryDate | None, field("Created on this UTC day or earlier.")] = None
    sort: Annotated[Literal["id", "created_at", "name"], field("The sort field.")] = "created_at"
    order: SortDirection = "desc"
