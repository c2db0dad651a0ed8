"""SQL: support tickets."""
