"""The demo store: a realistic game store with a year of history, created by the store's own operations."""
