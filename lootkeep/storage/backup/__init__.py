"""Whole copies of a store: made while it runs, read again, and brought back."""
