"""Replaying a shop's past orders through the fraud engine, and reporting how well it does."""
