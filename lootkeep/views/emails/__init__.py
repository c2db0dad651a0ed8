"""Records as e-mails: two templates for each kind, plain text with the subject on its first line, and HTML."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lootkeep.domain import campaign_emails as campaign_emails_rules, inputs as inputs_rules
from lootkeep.domain.campaign_emails import CONTENT, EmailLayout, written
from lootkeep.domain.campaigns import Campaign
from lootkeep.domain.emails import NewEmail, StoreIdentity, one_line
from lootkeep.kernel.clock import Instant

if TYPE_CHECKING:
    from jinja2 import Environment, Template

_SUBJECT = "Subject: "
# Why the recipient gets an e-mail of this kind, for its footer.
_REASONS = {
    "alert": "You get this e-mail because you work for {store}.",
    "mail_test": "You get this e-mail because someone tested the mail server of {store}.",
    "gift_card": "You get this e-mail because a gift card of {store} was sent to you.",
    "order": "You get this e-mail because you bought something at {store}.",
    "ticket_reply": "You get this e-mail because you contacted the support of {store}.",
    "campaign": "You get this e-mail because you agreed to receive news and offers from {store}.",
}


def render(
    kind: str,
    store: StoreIdentity,
    to_email: str,
    to_name: str,
    *,
    from_name: str | None = None,
    reply_to: str | None = None,
    **values: Any,
) -> NewEmail:
    """The e-mail of `KIND.txt` and `KIND.html`. Values go in as they are into the text, and escaped into the HTML."""
    reason = _reason(kind, store)
    first, _, text = _environment().get_template(f"{kind}.txt").render(values).partition("\n")
    if not first.startswith(_SUBJECT):
        raise ValueError(f"{kind}.txt must start with `{_SUBJECT}`")
    frame = {"store": store, "reason": reason, "unsubscribe_url": None}
    return NewEmail(
        kind=kind,
        to_email=to_email,
        to_name=one_line(to_name),
        subject=one_line(first.removeprefix(_SUBJECT)),
        text=text.strip() + _text_footer(store, reason),
        html=_environment().get_template(f"{kind}.html").render(frame | values),
        from_name=None if from_name is None else one_line(from_name),
        reply_to=reply_to,
    )


def campaign_template(campaign: Campaign, store: StoreIdentity, *, is_tracked: bool) -> campaign_emails_rules.Template:
    """The e-mail of a campaign before it has a recipient. Half a megabyte takes a while: never on the event loop."""
    subject, preview_text, layout = campaign.subject, campaign.preview_text, campaign_layout(store)
    return campaign_emails_rules.template(
        subject, preview_text, campaign.body_html, campaign.body_text, layout, is_tracked=is_tracked
    )


@cache
def campaign_layout(store: StoreIdentity) -> EmailLayout:
    """The layout around the text of every campaign."""
    reason = store.mail_reason or _reason("campaign", store)
    link = written("unsubscribe_url")
    frame = {"store": store, "reason": reason, "unsubscribe_url": link, "content": CONTENT}
    return EmailLayout(
        html=_environment().get_template("campaign.html").render(frame),
        footer=_environment().get_template("footer.html").render(frame),
        text=_text_footer(store, f"{reason}\nUnsubscribe: {link}"),
    )


def last_day(end: Instant, timezone: str) -> str:
    """`25 November 2026`, of what ends with that day."""
    return f"{inputs_rules.last_day(end, timezone):%-d %B %Y}"


def template_of(name: str) -> Template:
    return _environment().get_template(name)


def _reason(kind: str, store: StoreIdentity) -> str:
    return _REASONS[kind].format(store=store.name)


def _text_footer(store: StoreIdentity, reason: str) -> str:
    """After the line that mail programs recognise as the start of a signature."""
    return "\n".join(("", "", "-- ", reason, *filter(None, (store.name, store.postal_address)), ""))


@cache
def _environment() -> Environment:
    # Loaded for the first e-mail, like the templates.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        # Only HTML is escaped: in plain text `&amp;` would be shown literally.
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["one_line"] = one_line
    return environment
