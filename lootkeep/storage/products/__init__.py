"""SQL: products."""
