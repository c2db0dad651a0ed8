"""The e-mail of a campaign: fills in placeholders, counts links, and generates plain text from HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import msgspec

from lootkeep.domain.emails import one_line
from lootkeep.domain.html import HtmlLink, links, text_of
from lootkeep.kernel.words import did_you_mean

# The placeholders for data of the recipient.
PLACEHOLDERS = ("name", "email", "referral_code", "referral_url", "unsubscribe_url")
MAX_BODY = 500 * 1024
# Gmail cuts off an e-mail of more than 102 KB, and blocks make it longer.
MAX_MARKDOWN = 50 * 1024
MAX_SIZES = {"body_html": MAX_BODY, "body_text": MAX_BODY, "body_markdown": MAX_MARKDOWN}
# Where the text of a campaign goes in its layout.
CONTENT = "\x00content\x00"
_PLACEHOLDER = re.compile(r"\{\{\s*(" + "|".join(PLACEHOLDERS) + r")\s*\}\}")
_ANY_PLACEHOLDER = re.compile(r"\{\{([^{}]{0,100})\}\}")
_BODY_TAG = re.compile(r"<body\b[^<>]*>", re.IGNORECASE)
_PAGE = re.compile(r"<(html|body)\b", re.IGNORECASE)
_BODY_END = re.compile(r"</body\s*>", re.IGNORECASE)
# A link that starts with this is filled in for each recipient.
_MARK = "\x00{}\x00"
_MARKS = re.compile(r"\x00(\d+)\x00")


class EmailLayout(msgspec.Struct, frozen=True):
    """The layout around the text of every campaign, with the unsubscribe link."""

    html: str
    # For an e-mail that is a complete page.
    footer: str
    text: str


class Template(msgspec.Struct, frozen=True):
    """The e-mail of a campaign before it has a recipient; rendered once, used for all of them."""

    subject: str
    text: str
    html: str
    # The targets of counted links, in the order in which they are counted.
    links: tuple[str, ...]


class TrackingLinks(msgspec.Struct, frozen=True):
    """The personal links of one e-mail; without tracking there are only the first two."""

    unsubscribe: str
    referral: str
    pixel: str | None = None
    click: Callable[[int], str] | None = None


def template(
    subject: str,
    preview_text: str | None,
    body_html: str | None,
    body_text: str | None,
    layout: EmailLayout,
    *,
    is_tracked: bool,
) -> Template:
    html = body_html if (body_html or "").strip() else _html_of(body_text or "")
    text = body_text if (body_text or "").strip() else text_of(html or "")
    assert html is not None
    assert text is not None
    counted = links(html) if is_tracked else []
    if counted:
        html = _marked(html, counted)
    html = _before_end(html, layout.footer) if _PAGE.search(html) else layout.html.replace(CONTENT, html)
    text = text.rstrip() + layout.text
    if preview_text:
        html = after_start(html, f'<div style="display:none">{escape(preview_text)}</div>')
    return Template(subject, text, html, _distinct(counted))


def filled(compiled: Template, values: Mapping[str, str], links: TrackingLinks) -> tuple[str, str, str]:
    """Subject, text and HTML for one recipient. Values are inserted once; placeholders inside them are not replaced."""
    plain = {name: one_line(value) for name, value in values.items()} | {
        "unsubscribe_url": links.unsubscribe,
        "referral_url": links.referral,
    }
    safe = {name: escape(value) for name, value in plain.items()}
    html = _PLACEHOLDER.sub(lambda match: safe[match[1]], compiled.html)
    if links.click is not None:
        click = links.click
        html = _MARKS.sub(lambda match: escape(click(int(match[1]))), html)
    if links.pixel is not None:
        html = _before_end(html, f'<img src="{escape(links.pixel)}" width="1" height="1" alt="">')
    subject = one_line(_PLACEHOLDER.sub(lambda match: plain[match[1]], compiled.subject))
    return subject, _PLACEHOLDER.sub(lambda match: plain[match[1]], compiled.text), html


def check_bodies(fields: dict[str, Any]) -> dict[str, list[str]]:
    errors = {}
    for name, most in MAX_SIZES.items():
        if len((fields.get(name) or "").encode()) > most:
            errors[name] = [f"The {name.replace('_', ' ')} field must not be larger than {most // 1024} KB."]
    if (fields.get("body_markdown") or "").strip() and (fields.get("body_html") or "").strip():
        errors["body_markdown"] = ["The body markdown field must be empty if the e-mail is written in HTML."]
    return errors


def one_body(changes: dict[str, Any]) -> dict[str, Any]:
    """An e-mail is written in Markdown or in HTML: what is written last replaces the other."""
    if (changes.get("body_markdown") or "").strip():
        return changes | {"body_html": None}
    return {"body_markdown": None} | changes if (changes.get("body_html") or "").strip() else changes


def check_placeholders(text: str, *, has_store_url: bool) -> str | None:
    """The errors of the placeholders. Known names are listed, so a typo is easy to see."""
    names = dict.fromkeys(match[1].strip() for match in _ANY_PLACEHOLDER.finditer(text))
    if "referral_url" in names and not has_store_url:
        return f"contains {written('referral_url')}, which needs the URL of the shop in the settings"
    unknown = [name for name in names if name not in PLACEHOLDERS]
    if not unknown:
        return None
    placeholders = ", ".join(map(written, PLACEHOLDERS))
    return f"contains an unknown placeholder{did_you_mean(unknown, PLACEHOLDERS)}; known placeholders: {placeholders}"


def tightened(text: str) -> str:
    """With `{{name}}` instead of `{{ name }}`: a link in Markdown has no blanks."""
    return _PLACEHOLDER.sub(r"{{\1}}", text)


def written(placeholder: str) -> str:
    """A placeholder as written in an e-mail."""
    return f"{{{{ {placeholder} }}}}"


def targets(body_html: str | None) -> tuple[str, ...]:
    """The targets of the counted links of an e-mail, each once, in order: a link is identified by its index here."""
    return _distinct(links(body_html or ""))


def _distinct(counted: list[HtmlLink]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(link.target for link in counted))


def _html_of(text: str) -> str:
    return f'<div style="white-space:pre-wrap">{escape(text)}</div>'


def _marked(html: str, counted: list[HtmlLink]) -> str:
    """The same HTML with a marker in place of each counted target."""
    numbers = {target: number for number, target in enumerate(_distinct(counted))}
    pieces, position = [], 0
    for link in counted:
        pieces += [html[position : link.start], _MARK.format(numbers[link.target])]
        position = link.end
    return "".join([*pieces, html[position:]])


def _before_end(html: str, piece: str) -> str:
    ends = list(_BODY_END.finditer(html))
    position = ends[-1].start() if ends else len(html)
    return html[:position] + piece + html[position:]


def after_start(html: str, piece: str) -> str:
    match = _BODY_TAG.search(html)
    position = match.end() if match else 0
    return html[:position] + piece + html[position:]
