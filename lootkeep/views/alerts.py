"""The public JSON of alerts, and their messages in the format of each channel."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec

from lootkeep.domain.alerts import MAX_LINES, Alert, AlertChannel, AlertTrigger, Notice, title
from lootkeep.domain.emails import NewEmail, StoreIdentity, one_line
from lootkeep.kernel.clock import iso
from lootkeep.views.emails import render
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of

# What Discord takes.
_MAX_DISCORD = 2000
# What has a meaning in its Markdown.
_MARKDOWN = re.compile(r"([\\*_~`|>\[\]()#@:-])")


class AlertView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the alert.", 3)]
    name: Annotated[str, field("The name, for the staff.", "Staff channel")]
    channel: Annotated[AlertChannel, field("Where messages go.", "discord")]
    target: Annotated[str, field("The e-mail address, or the host of the URL; the rest is secret.", "discord.com")]
    triggers: Annotated[list[AlertTrigger], field("What the alert reports.", ["order_held", "ticket_created"])]
    amount: Annotated[str | None, field("Only orders with at least this total; null means all.", "100.00")]
    minutes: Annotated[int, field("How long a receiver must fail, or work must be late, before it is reported.", 15)]
    limit_per_hour: Annotated[int, field("Messages per hour; the rest is summarised at the end of the hour.", 10)]
    muted_until: Annotated[Moment | None, field("Nothing is sent before this time; then one summary.", None)]
    last_sent_at: Annotated[Moment | None, field("When the last message was sent.", None)]
    error: Annotated[str | None, field("Why the last attempt failed; null if it succeeded.", None)]
    created_at: Time
    updated_at: Time


_ALERT = view_of(AlertView, Alert, "target", "triggers", last_sent_at="finished_at", error="reason")


def alert(record: Alert, target: str) -> AlertView:
    return _ALERT(record, target=hint(record, target), triggers=record.trigger_names)


def hint(record: Alert, target: str) -> str:
    """Enough of a target for people to recognise it."""
    return target if record.channel == "email" else urlsplit(target).netloc


def payload(record: Alert, store: StoreIdentity, notices: Sequence[Notice]) -> bytes:
    """The body of the request to a channel that is reached over HTTP."""
    return msgspec.json.encode(_PAYLOADS[record.channel](record, store, notices))


def email(record: Alert, store: StoreIdentity, to_email: str, notices: Sequence[Notice]) -> NewEmail:
    return render(
        "alert",
        store,
        to_email,
        "",
        name=record.name,
        title=title(notices),
        lines=_lines(store, notices),
        more=_more(notices),
        console=_link(store, "/alerts"),
    )


def _discord(_: Alert, store: StoreIdentity, notices: Sequence[Notice]) -> dict[str, Any]:
    lines = [f"{_MARKDOWN.sub(_ESCAPED, text)} <{url}>" for text, url in _lines(store, notices)]
    # Nobody is mentioned, no matter what a customer wrote.
    return {"content": _joined(store, notices, lines)[:_MAX_DISCORD], "allowed_mentions": {"parse": []}}


def _slack(_: Alert, store: StoreIdentity, notices: Sequence[Notice]) -> dict[str, Any]:
    lines = [f"{_escaped(text)} <{_escaped(url)}|Open>" for text, url in _lines(store, notices)]
    return {"text": _joined(store, notices, lines)}


def _webhook(record: Alert, store: StoreIdentity, notices: Sequence[Notice]) -> dict[str, Any]:
    entries = [
        {
            "trigger": notice.trigger,
            "text": notice.text,
            "url": _link(store, notice.path),
            "created_at": iso(notice.created_at),
        }
        for notice in notices
    ]
    return {"alert": record.name, "store": store.name, "title": title(notices), "notices": entries}


_PAYLOADS: dict[str, Callable[[Alert, StoreIdentity, Sequence[Notice]], dict[str, Any]]] = {
    "discord": _discord,
    "slack": _slack,
    "webhook": _webhook,
}
_ESCAPED = r"\\\1"


def _joined(store: StoreIdentity, notices: Sequence[Notice], lines: list[str]) -> str:
    if len(notices) == 1:
        return lines[0]
    return "\n".join([f"{title(notices)}:", *lines, *filter(None, (_more(notices),))])


def _more(notices: Sequence[Notice]) -> str:
    """What does not fit into the message, by its number."""
    return f"and {len(notices) - MAX_LINES} more" if len(notices) > MAX_LINES else ""


def _lines(store: StoreIdentity, notices: Sequence[Notice]) -> list[tuple[str, str]]:
    return [(one_line(notice.text)[:300], _link(store, notice.path)) for notice in notices[:MAX_LINES]]


def _link(store: StoreIdentity, path: str) -> str:
    return f"{store.public_url}/console{path}"


def _escaped(text: str) -> str:
    """The three characters that are special in Slack."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
