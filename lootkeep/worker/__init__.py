"""Background work, after the response."""
