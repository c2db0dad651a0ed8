"""The form of a campaign: its e-mail, and whom it is for."""

from __future__ import annotations

from typing import Any

from lootkeep.console import forms
from lootkeep.console.forms import Field
from lootkeep.console.page import Visit
from lootkeep.domain.campaigns import MAX_BODY, MAX_CUSTOMERS, Audience, Campaign, SegmentFilters, audience_of
from lootkeep.kernel.errors import invalid

_MAX_ID_LENGTH = 18
_MAX_TAG_LENGTH = 64
_MAX_WORDS = 1000
_MAX_ORDERS = 10**15 - 1
AUDIENCES = {
    "all": "Everyone who accepts marketing",
    "segment": "A segment: everyone who meets all conditions",
    "customers": "Customers by their ids",
}
MAIL = (
    Field("name", "Name", forms.text(), "For the store’s own eyes.", is_required=True),
    Field("subject", "Subject", forms.text(), is_required=True),
    Field("preview_text", "Preview text", forms.text(), "What mail programs show next to the subject."),
    Field("body_html", "HTML", forms.text(MAX_BODY, "tall")),
    Field("body_text", "Plain text", forms.text(MAX_BODY, "textarea"), "Made from the HTML when empty."),
    Field("from_name", "From", forms.text(), "The store’s name when empty."),
    Field("reply_to", "Answers go to", forms.EMAIL),
)


_ID = forms.whole(1, 10**15 - 1)
_CUSTOMERS = "For customers by their ids, separated by commas."
_REACHED = "Only customers who accept marketing and can be reached are written to."
AUDIENCE = (
    Field("audience", "Audience", forms.choice(AUDIENCES), _REACHED, default="all"),
    Field("customer_ids", "Customer ids", forms.words(MAX_CUSTOMERS, _MAX_ID_LENGTH, _ID), _CUSTOMERS),
)
CONDITIONS = (
    Field("countries", "Countries", forms.words(_MAX_WORDS, 2, forms.COUNTRY), "Codes such as DE, AT"),
    Field("tags", "Tags", forms.words(_MAX_WORDS, _MAX_TAG_LENGTH), "With one of these, separated by commas"),
    Field("min_orders", "Paid orders, at least", forms.whole(0, _MAX_ORDERS)),
    Field("min_total_spent", "Spent, at least", forms.amount()),
    Field(
        "product_ids", "Bought one of the products", forms.words(_MAX_WORDS, _MAX_ID_LENGTH, _ID), "Ids, with commas"
    ),
    Field("last_order_before", "Last order before", forms.day()),
    Field("last_order_after", "Last order on or after", forms.day()),
    Field("registered_from", "Signed up on or after", forms.day()),
    Field("registered_to", "Signed up before the end of", forms.day()),
    Field("is_referrer", "Has referred somebody", forms.yes_or_no("Yes", "No", "Does not matter")),
)
CARDS = {"The e-mail": MAIL, "Whom it is for": AUDIENCE, "Conditions of a segment": CONDITIONS}


def read(visit: Visit) -> dict[str, Any]:
    """The fields of the campaign, or everything that is wrong with them."""
    kind = visit.form.get("audience", "all")
    asked = {"segment": CONDITIONS, "customers": AUDIENCE[1:]}.get(kind, ())
    values = forms.read(visit, [*MAIL, AUDIENCE[0], *asked], {"audience": "all"} | dict(visit.form))
    filters = {field.name: _fixed(values[field.name]) for field in CONDITIONS if field.name in values}
    if kind == "segment" and not any(value is not None for value in filters.values()):
        raise invalid("audience", "A segment needs at least one condition.")
    if kind == "customers" and not values["customer_ids"]:
        raise invalid("customer_ids", f"Name 1 to {MAX_CUSTOMERS:,} customers.")
    audience = Audience(values["audience"], tuple(values.get("customer_ids") or ()), SegmentFilters(**filters))
    return {field.name: values[field.name] for field in MAIL} | {"audience": audience}


def _fixed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def written(visit: Visit, campaign: Campaign) -> dict[str, str]:
    """What the form shows of a campaign."""
    audience = audience_of(campaign)
    shown = forms.written(visit, MAIL, campaign) | forms.written(visit, CONDITIONS, audience.filters)
    if campaign.is_text_derived:
        shown["body_text"] = ""
    ids = ", ".join(str(customer_id) for customer_id in audience.customer_ids)
    return shown | {"audience": audience.type, "customer_ids": ids}
