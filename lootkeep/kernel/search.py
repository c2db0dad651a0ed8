"""How a search compares texts: case folded, part by part."""

from __future__ import annotations

import re
import unicodedata

_ORDER_NUMBER = re.compile(r"(?:ord-)?0*([0-9]{1,18})", re.IGNORECASE)


def search_text(*parts: str | None) -> str:
    """The text that a search looks at: the parts, case folded, one per line; an e-mail is the last."""
    return "\n".join(folded(part) for part in parts if part)


def folded(text: str) -> str:
    """A search term: case folded, letters with their accents, on one line, so no term can span two parts."""
    folded_text = text.casefold().replace("\n", " ")
    # A Turkish I keeps its dot as a letter of its own.
    return folded_text if text.isascii() else unicodedata.normalize("NFC", folded_text).replace("i\u0307", "i")


def order_id_in(text: str) -> int | None:
    """The id that is meant by `17`, `ORD-000017` or `ord-17`; None if it is something else."""
    number = _ORDER_NUMBER.fullmatch(text)
    return int(number[1]) if number else None
