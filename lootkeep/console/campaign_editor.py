"""Where a campaign is written, in Markdown or HTML, next to the e-mail as one of its readers gets it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from lootkeep.console import forms
from lootkeep.console.formats import country
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Visit
from lootkeep.domain.audiences import MAX_CUSTOMERS, Audience, SegmentFilters, reversed_ranges
from lootkeep.domain.campaign_emails import MAX_BODY, MAX_MARKDOWN, PLACEHOLDERS, written as placeholder
from lootkeep.domain.campaigns import Campaign, audience_of
from lootkeep.domain.roles import Scope
from lootkeep.kernel.errors import AppError, InvalidFields, invalid
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.services import campaign_previews as campaign_previews_service, campaigns as campaigns_service
from lootkeep.storage import coupons as coupons_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.lists import Listing
from lootkeep.storage.products import lists as product_lists_db
from lootkeep.views.emails import previews as previews_views

_MAX_ID_LENGTH = 18
_MAX_TAG_LENGTH = 64
_MAX_WORDS = 1000
_MAX_ORDERS = 10**15 - 1
# Of products and of coupons, the newest, in the menus of the editor; any other can be written.
_OFFERED = 50
AUDIENCES = {
    "all": "Everyone who agreed",
    "segment": "A segment: everyone who meets all conditions",
    "customers": "Customers by their ids",
}
_PLACEHOLDERS = ", ".join(placeholder(name) for name in PLACEHOLDERS)
HEAD = (
    Field("name", "Name", forms.text(), "Only staff see it.", is_required=True),
    Field("subject", "Subject", forms.text(), is_required=True),
    Field("preview_text", "Preview text", forms.text(), "What mail programs show next to the subject."),
)
MARKDOWN = Field("body_markdown", "Markdown", forms.text(MAX_MARKDOWN, "tall"), f"Placeholders: {_PLACEHOLDERS}.")
HTML = Field("body_html", "HTML", forms.text(MAX_BODY, "tall"), f"Placeholders: {_PLACEHOLDERS}.")
REST = (
    Field("body_text", "Plain text", forms.text(MAX_BODY, "textarea"), "Leave empty to create it from the e-mail."),
    Field("from_name", "From", forms.text(), "Leave empty for the store’s name."),
    Field("reply_to", "Reply to", forms.EMAIL),
)
MAIL = (*HEAD, MARKDOWN, HTML, *REST)
_CUSTOMERS = "Ids of customers, separated by commas."
_PRODUCTS = forms.words(_MAX_WORDS, _MAX_ID_LENGTH, forms.ID)
_COUNTRIES = replace(
    forms.words(_MAX_WORDS, _MAX_TAG_LENGTH, forms.COUNTRY), write=lambda codes, _: ", ".join(map(country, codes))
)
_REACHED = "Only customers who accept marketing and have a working mailbox receive it."
AUDIENCE = (
    Field("audience", "Audience", forms.choice(AUDIENCES), _REACHED, default="all"),
    Field("customer_ids", "Customer ids", forms.words(MAX_CUSTOMERS, _MAX_ID_LENGTH, forms.ID), _CUSTOMERS),
)
CONDITIONS = (
    Field("countries", "Countries", _COUNTRIES, "Names or codes, such as Germany, AT"),
    Field("tags", "Tags", forms.words(_MAX_WORDS, _MAX_TAG_LENGTH), "With one of these, separated by commas"),
    Field("min_orders", "Paid orders, at least", forms.whole(0, _MAX_ORDERS)),
    Field("min_total_spent", "Spent, at least", forms.amount()),
    Field("product_ids", "Bought one of the products", _PRODUCTS, "Ids, separated by commas"),
    Field("last_order_before", "Last order before", forms.day()),
    Field("last_order_after", "Last order on or after", forms.day()),
    Field("registered_from", "Signed up on or after", forms.day()),
    Field("registered_to", "Signed up before", forms.day()),
    Field("is_referrer", "Has referred someone", forms.yes_or_no("Yes", "No", "Does not matter")),
)
CARDS = {
    "The e-mail": HEAD,
    "markdown": (MARKDOWN,),
    "html": (HTML,),
    "Sender and plain text": REST,
    "Whom it is for": AUDIENCE,
    "Conditions of a segment": CONDITIONS,
}
# What the buttons of the editor write.
_BLOCKS = {
    "Heading": "# A heading",
    "Text": "Some **bold** text, and a list:\n\n- one\n- two",
    "Button": '[Have a look](https://shop.example "button")',
    "Image": "![What it shows](https://shop.example/picture.png)",
}
# A mail is shown as it is sent, so its own styles count; it can load, send and execute nothing.
_MAIL_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"


async def show_new(visit: Visit) -> Answer:
    page = {"title": visit.page.title, "back": "/campaigns", **await _page(visit, "markdown")}
    return forms.show(visit, CARDS, None, **page)


async def show_edit(visit: Visit, campaign: Campaign) -> Answer:
    is_html = bool((campaign.body_html or "").strip()) and not campaign.body_markdown
    page = {"title": f"Edit {campaign.name}", "back": f"/campaigns/{campaign.id}"}
    page |= await _page(visit, "html" if is_html else "markdown", campaign.id)
    return forms.show(visit, CARDS, campaign, **page, values=values(visit, campaign))


async def _page(visit: Visit, written_in: str, campaign_id: int | None = None) -> dict[str, Any]:
    async with visit.deps.db.read(slow=True) as tx:
        products = await _offered(visit, tx, "products:read", product_lists_db.LISTING, status="active")
        coupons = await _offered(visit, tx, "coupons:read", coupons_db.LISTING, state="active", origin="owner")
    return {
        "written_in": visit.form.get("written_in", written_in),
        "campaign_id": campaign_id,
        "blocks": _BLOCKS,
        "menus": {
            "Product…": [(f"[](product:{product.id})", product.name) for product in products],
            "Coupon…": [(f"[](coupon:{coupon.code})", coupon.code) for coupon in coupons],
        },
    }


async def _offered(visit: Visit, tx: Transaction, scope: Scope, listing: Listing[Any], **filters: str) -> Sequence[Any]:
    """Nothing of an area that the role may not see."""
    if not visit.user.may(scope):
        return ()
    rows, _ = await listing.page(tx, ListRequest(PageRequest(1, _OFFERED), filters))
    return rows


async def show_preview(visit: Visit) -> Answer:
    """The e-mail that is being written; nothing is stored."""
    visit.form = dict(visit.form) | {name: visit.text(name) or "–" for name in ("name", "subject")}
    try:
        draft = await campaigns_service.draft(visit.deps, read(visit, None))
        if draft.has_body:
            return mail(visit, await campaign_previews_service.preview_of(visit.deps, draft))
        sentences = ["What you write is shown here."]
    except AppError as wrong:
        sentences = [sentence for group in (wrong.fields or {"": [wrong.message]}).values() for sentence in group]
    return _framed(previews_views.problems(sentences, visit.form.get("theme", "")))


async def show_mail(visit: Visit) -> Answer:
    """The e-mail of a stored campaign."""
    visit.form = visit.query
    try:
        return mail(visit, await campaign_previews_service.preview(visit.deps, visit.id))
    except AppError as wrong:
        if not wrong.fields:
            raise
        sentences = [sentence for group in wrong.fields.values() for sentence in group]
        return _framed(previews_views.problems(sentences, visit.form.get("theme", "")))


def mail(visit: Visit, preview: Any) -> Response:
    return _framed(previews_views.framed(preview, visit.deps.store.name, visit.form.get("theme", "")))


def _framed(html: str) -> Response:
    headers = {"content-security-policy": _MAIL_POLICY, "x-frame-options": "SAMEORIGIN"}
    return Response(html, headers=headers, media_type="text/html")


def read(visit: Visit, stored: Campaign | None) -> dict[str, Any]:
    """The fields of the campaign, or everything that is wrong with them; what is kept is as it was stored."""
    visit.form = {"audience": "all"} | dict(visit.form)
    kind = visit.form["audience"]
    asked = {"segment": CONDITIONS, "customers": AUDIENCE[1:]}.get(kind, ())
    values = forms.read(visit, [*MAIL, AUDIENCE[0], *asked])
    if "written_in" in visit.form:
        values["body_html" if visit.form["written_in"] == "markdown" else "body_markdown"] = None
    kept = audience_of(stored) if stored else Audience()
    filters = {field.name: values.get(field.name, getattr(kept.filters, field.name)) for field in CONDITIONS}
    if kind == "segment" and not any(value is not None for value in filters.values()):
        raise invalid("audience", "A segment needs at least one condition.")
    if kind == "segment" and (errors := reversed_ranges(SegmentFilters(**filters))):
        raise InvalidFields(errors)
    ids = values.get("customer_ids", kept.customer_ids)
    if kind == "customers" and not ids:
        raise invalid("customer_ids", f"Name 1 to {MAX_CUSTOMERS:,} customers.")
    # The service takes what the kind of audience looks at.
    audience = Audience(values["audience"], ids or (), SegmentFilters(**filters))
    return {field.name: values[field.name] for field in MAIL if field.name in values} | {"audience": audience}


def values(visit: Visit, campaign: Campaign) -> dict[str, str]:
    """What the form shows of a campaign."""
    audience = audience_of(campaign)
    texts = forms.written(visit, MAIL, campaign) | forms.written(visit, CONDITIONS, audience.filters)
    if campaign.is_text_derived:
        texts["body_text"] = ""
    ids = ", ".join(str(customer_id) for customer_id in audience.customer_ids)
    return texts | {"audience": audience.type, "customer_ids": ids}
