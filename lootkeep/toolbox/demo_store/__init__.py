"""The demo store: a believable game store and the year behind it, made by the store's own operations."""
