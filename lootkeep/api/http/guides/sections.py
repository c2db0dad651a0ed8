"""What a guide says, without its markup: its sections with their anchors and words, and its first sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

_FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^]]*)\]\([^)]*\)")
_MARK = re.compile(r"[`*]+")
_WORD = re.compile(r"\w[\w./-]*\w")
# The date of a decision, and the bold words at the start of a paragraph, are not what a page is about.
_STATUS = re.compile(r"(Accepted|Superseded) ")
_LABEL = re.compile(r"\*\*[^*]+\.\*\* ")
_SENTENCE = re.compile(r"(.+?\w\W?)[.!?:](?= |$)")


class Anchors:
    """The anchors of one page, as the published site names them: links lead to the same place in both."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def of(self, heading: str) -> str:
        ascii_only = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
        base = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip().lower())
        anchor, number = base, 1
        while anchor in self._used:
            anchor, number = f"{base}_{number}", number + 1
        self._used.add(anchor)
        return anchor


class Section(NamedTuple):
    title: str
    anchor: str
    # Each once, in lower case; a search does not ask for their order.
    words: str


def sections(markdown: str) -> Iterator[Section]:
    """The page itself first, up to its first heading. Blocks of code show what the text around them says."""
    anchors = Anchors()
    _, *parts = _HEADING.split(_FENCE.sub("", markdown))
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        title = plain(heading)
        yield Section(title, anchors.of(title), _words(text))


def summary(markdown: str) -> str:
    """The first sentence of the first paragraph."""
    for block in re.split(r"\n\s*\n", _FENCE.sub("", markdown)):
        text = plain(_LABEL.sub("", " ".join(block.split())))
        if not text.startswith(("#", "|")) and not _STATUS.match(text) and (sentence := _SENTENCE.match(text)):
            return f"{sentence[1]}."
    return ""


def plain(text: str) -> str:
    return _MARK.sub("", _LINK.sub(r"\1", text)).strip()


def _words(text: str) -> str:
    # Sorted, they compress better.
    return " ".join(sorted(set(_WORD.findall(_LINK.sub(r"\1", text).lower()))))
