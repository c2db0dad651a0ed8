"""Parses HTML as far as an e-mail needs it: its text and its links, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple
from urllib.parse import urlsplit

# A tag contains no start of another tag, except in quotes, and always ends: no text is scanned twice.
_TAG = re.compile(r"""<(/?)([A-Za-z][A-Za-z0-9-]*)((?>[^<>"']+|"[^"]{0,4096}"|'[^']{0,4096}'){0,500}+)>""")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>`]++)))?""")
_BLANK_LINES = re.compile(r"\n{3,}")
_BLANKS = re.compile(r"\s+")
_BLOCK = re.compile(
    "address|article|aside|blockquote|br|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|ol|p|pre"
    "|section|table|tr|ul"
)
# The content of these is skipped.
_SILENT = frozenset({"head", "script", "style", "template", "title"})


class HtmlLink(NamedTuple):
    """The target of a link, and its position in the HTML, without quotes."""

    target: str
    start: int
    end: int


class _Tag(NamedTuple):
    name: str
    is_end: bool
    # The attributes as written, and where they start.
    attributes: str
    start: int


def links(html: str) -> list[HtmlLink]:
    """Links to absolute URLs that are the same for every recipient and that fit into a header."""
    targets_of_links = []
    for token in _tokens(html):
        if isinstance(token, _Tag) and token.name == "a" and not token.is_end:
            link = _link(token)
            if link and is_web_address(link.target):
                targets_of_links.append(link)
    return targets_of_links


def text_of(html: str) -> str:
    """What a reader without HTML sees: text, a line for each block, and the targets of links."""
    parts: list[str] = []
    targets: list[str] = []
    for token in _tokens(html):
        if isinstance(token, str):
            # A line break in HTML is a space; the line breaks of the text come from its blocks.
            parts.append(_BLANKS.sub(" ", unescape(token)))
        elif token.name == "a":
            parts.append(_end_of_link(targets, parts) if token.is_end else _start_of_link(targets, token))
        elif _BLOCK.fullmatch(token.name):
            parts.append("\n\n- " if token.name == "li" and not token.is_end else _break(token))
        elif token.name == "img":
            parts.append(_attributes(token).get("alt", ("", 0, 0))[0])
    lines = [" ".join(line.split()) for line in "".join(parts).split("\n")]
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip() + "\n"


def is_web_address(link: str) -> bool:
    if "{{" in link or not link.isprintable() or " " in link:
        return False
    try:
        parts = urlsplit(link)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def _break(token: _Tag) -> str:
    return "\n" if token.name in ("br", "tr") else "\n\n"


def _start_of_link(targets: list[str], token: _Tag) -> str:
    link = _link(token)
    targets.append(link.target if link else "")
    return ""


def _end_of_link(targets: list[str], parts: list[str]) -> str:
    target = targets.pop() if targets else ""
    is_shown = bool(parts) and parts[-1].strip() == target
    return "" if not target or target.startswith("#") or is_shown else f" ({target})"


def _tokens(html: str) -> Iterator[_Tag | str]:
    """Tags, and the text between them."""
    position = 0
    while (start := html.find("<", position)) >= 0:
        if start > position:
            yield html[position:start]
        if html.startswith("<!--", start):
            position = _after(html, "-->", start)
            continue
        match = _TAG.match(html, start)
        if match is None:
            is_declaration = html.startswith(("<!", "<?"), start)
            position = _after(html, ">", start) if is_declaration else start + 1
            if not is_declaration:
                yield "<"
            continue
        tag = _Tag(match[2].lower(), bool(match[1]), match[3], match.start(3))
        position = match.end()
        if tag.name in _SILENT and not tag.is_end:
            closing = re.compile(f"</{tag.name}", re.IGNORECASE).search(html, position)
            position = closing.start() if closing else len(html)
        yield tag
    if position < len(html):
        yield html[position:]


def _after(html: str, sign: str, start: int) -> int:
    """Behind the marker; without an end, the rest is skipped, as in a browser."""
    position = html.find(sign, start)
    return len(html) if position < 0 else position + len(sign)


def _attributes(tag: _Tag) -> dict[str, tuple[str, int, int]]:
    """Each attribute's value and position; the first of a name counts."""
    attributes: dict[str, tuple[str, int, int]] = {}
    for match in _ATTRIBUTE.finditer(tag.attributes):
        group = match.lastindex or 1
        if group > 1 and match[1].lower() not in attributes:
            start = tag.start + match.start(group)
            attributes[match[1].lower()] = unescape(match[group]), start, start + len(match[group])
    return attributes


def _link(tag: _Tag) -> HtmlLink | None:
    href = _attributes(tag).get("href")
    return HtmlLink(href[0].strip(), href[1], href[2]) if href else None
