"""Replays a shop's past orders through the fraud engine, and reports how well it does."""
