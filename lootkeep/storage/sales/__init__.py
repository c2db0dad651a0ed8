"""SQL: figures of sales."""
