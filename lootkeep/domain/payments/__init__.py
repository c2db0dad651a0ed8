"""Payments that providers report: sources, their signatures, and what their events say."""
