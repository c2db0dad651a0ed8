"""Totals that are maintained while writing: declared once, incremented and counted again by the same declaration."""
