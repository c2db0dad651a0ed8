"""Lootkeep: referrals, fraud detection, signed webhooks and the back office of a store for game players."""

__version__ = "0.1.0"
