"""Tools for developers of a webhook receiver: one that listens, and one that certifies."""
