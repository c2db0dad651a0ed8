"""How a search compares texts: case folded, part by part."""

from __future__ import annotations


def search_text(*parts: str | None) -> str:
    """The text that a search looks at: the parts, case folded, one per line."""
    return "\n".join(folded(part) for part in parts if part)


def folded(text: str) -> str:
    """A search term: case folded, on one line, so no term can span two parts."""
    return text.casefold().replace("\n", " ")
