"""Backups of a store: made while it runs, verified, and restored."""
