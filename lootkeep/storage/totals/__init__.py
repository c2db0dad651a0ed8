"""Maintained totals: declared once, incremented and recounted by the same declaration."""
