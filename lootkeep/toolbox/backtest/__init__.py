"""Replaying a shop's past orders through the fraud engine, and telling how well it does."""
