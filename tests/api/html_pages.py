"""What a browser would make of a page: its elements, its anchors, where its links lead and what it fetches."""

from __future__ import annotations

from html.parser import HTMLParser

# What a browser fetches by itself, without anyone following a link.
_FETCHED = {("script", "src"), ("link", "href"), ("img", "src"), ("source", "src")}
_VOID = {"meta", "link", "img", "input", "br", "hr"}


class HtmlPage(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.unbalanced: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.unbalanced += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "a" and "a" in self._open:
            self.unbalanced.append("a link within a link")
        if tag not in _VOID:
            self._open.append(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name == "id":
                self.ids.append(value or "")
            if value and (tag, name) == ("a", "href"):
                self.links.append(value)
            if value and (tag, name) in _FETCHED:
                self.fetched.append(value)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.unbalanced.append(tag)
