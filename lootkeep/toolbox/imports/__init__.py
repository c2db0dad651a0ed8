"""Bringing a shop's history: reading files, checking rows as the API does, writing them in batches."""
