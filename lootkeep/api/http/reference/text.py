"""The small subset of Markdown that descriptions use, converted to HTML that is safe for any content."""

from __future__ import annotations

import re
from html import escape

_SPAN = re.compile(r"`([^`]+)`|\*\*(.+?)\*\*", re.DOTALL)
_BULLET = re.compile(r"[-*]\s+(.*)")


class Html(str):
    """Already escaped: the template engine calls `__html__` and does not escape it again."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def prose(text: str) -> Html:
    """Paragraphs and bullet lists."""
    blocks = re.split(r"\n\s*\n", text.strip())
    return Html("".join(_block(block.splitlines()) for block in blocks if block.strip()))


def inline(text: str) -> Html:
    """`code` and **bold**; everything else is escaped, so no HTML in the text survives."""
    out, at = "", 0
    for match in _SPAN.finditer(text):
        out += escape(text[at : match.start()]) + _span(match)
        at = match.end()
    return Html(out + escape(text[at:]))


def _span(match: re.Match[str]) -> str:
    code, bold = match.groups()
    return f"<code>{escape(code)}</code>" if code else f"<b>{inline(bold)}</b>"


def _block(lines: list[str]) -> str:
    """A paragraph, its bullets, or one followed by the other."""
    paragraph: list[str] = []
    items: list[list[str]] = []
    for line in map(str.strip, lines):
        bullet = _BULLET.fullmatch(line)
        if bullet:
            items.append([bullet[1]])
        else:
            # A line under a bullet continues that bullet.
            (items[-1] if items else paragraph).append(line)
    out = f"<p>{inline(' '.join(paragraph))}</p>" if paragraph else ""
    return out + _list(items) if items else out


def _list(items: list[list[str]]) -> str:
    return "<ul>" + "".join(f"<li>{inline(' '.join(item))}</li>" for item in items) + "</ul>"
