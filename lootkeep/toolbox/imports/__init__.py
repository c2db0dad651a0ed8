"""Imports a shop's history: parses files, validates rows like the API, writes them in batches."""
