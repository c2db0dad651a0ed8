"""Cells of CSV files that people open in a spreadsheet."""

from __future__ import annotations

# A spreadsheet treats text that starts with one of these as a formula, or splits the cell there, and a formula can send
# other cells elsewhere. In some languages it reads full-width signs as the usual ones.
_FORMULA_STARTS = ("=", "+", "-", "@", "|", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_DEFUSED = "'"


def plain_cell(text: str) -> str:
    """The text, with an apostrophe in front if a spreadsheet would execute it."""
    return f"{_DEFUSED}{text}" if text.startswith(_FORMULA_STARTS) else text


def original_cell(text: str) -> str:
    """The text of a cell that `plain_cell` may have written."""
    bare = text.removeprefix(_DEFUSED)
    return bare if bare.startswith(_FORMULA_STARTS) else text
