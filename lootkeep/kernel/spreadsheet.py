"""Cells of CSV files that people open in a spreadsheet."""

from __future__ import annotations

# A spreadsheet treats text that starts with one of these as a formula, and a formula can send other cells elsewhere.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def plain_cell(text: str) -> str:
    """The text, with an apostrophe in front if a spreadsheet would execute it."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
