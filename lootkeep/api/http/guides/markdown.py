"""Markdown of a guide as HTML in the design of the reference; raw HTML in it stays text."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from lootkeep.api.http.guides.sections import Anchors, plain
from lootkeep.api.http.reference import environment

_PAGE_LINK = re.compile(r"(?!\w+:)(.+)\.md(#.*)?")
# How the reference colours what it can; anything else is plain.
_COLOURS = {"json": "json", "sh": "shell"}
_LANGUAGES = {"sh": "Shell", "json": "JSON", "js": "JavaScript", "php": "PHP", "sql": "SQL", "html": "HTML"}


class Heading(NamedTuple):
    level: int
    anchor: str
    title: str


class Guide(NamedTuple):
    html: Markup
    headings: list[Heading]


def render(markdown: str) -> Guide:
    tokens = _parser().parse(markdown)
    headings = list[Heading]()
    anchors = Anchors()
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            title = plain(tokens[index + 1].content)
            anchor = anchors.of(title)
            headings.append(Heading(int(token.tag[1]), anchor, title))
            _replace(token, f'<{token.tag} id="{escape(anchor)}"><a href="#{escape(anchor)}">')
        elif token.type == "heading_close":
            _replace(token, f"</a></{token.tag}>\n")
        elif token.type in ("fence", "code_block"):
            _replace(token, _code(token.info.strip(), token.content))
        elif token.type in ("th_open", "td_open"):
            _cell(*tokens[index : index + 3])
        elif token.type == "table_open":
            # A wide table scrolls in a box of its own, which the keyboard reaches.
            _replace(token, '<div class="scroll" tabindex="0"><table>\n')
        elif token.type == "table_close":
            _replace(token, "</table></div>\n")
        for child in token.children or ():
            _link(child)
    html = _parser().renderer.render(tokens, _parser().options, {})
    return Guide(Markup(html), headings)  # noqa: S704  made of escaped text by the renderer


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}).enable(["table", "strikethrough"])


def _replace(token: Token, html: str) -> None:
    token.type, token.content = "html_block", html


def _code(language: str, text: str) -> str:
    parts = environment().get_template("parts.html").module
    title = _LANGUAGES.get(language, language.capitalize())
    return str(parts.code(title, text.removesuffix("\n"), _COLOURS.get(language, "")))  # type: ignore[attr-defined]


def _cell(start: Token, content: Token, end: Token) -> None:
    # The policy of the page allows no inline style.
    if "right" in str(start.attrs.pop("style", "")):
        start.attrSet("class", "right")
    if not content.content:
        # An empty heading of a column heads nothing.
        start.tag = end.tag = "td"


def _link(token: Token) -> None:
    """Pages link to files; here each page is at the path of its file without the ending."""
    if token.type == "link_open" and (page := _PAGE_LINK.fullmatch(str(token.attrs["href"]))):
        token.attrs["href"] = page[1] + (page[2] or "")
    elif token.type == "image":
        token.attrSet("loading", "lazy")
